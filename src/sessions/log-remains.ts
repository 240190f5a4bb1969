import { intersectRanges, rangeAt, type SeqRange, subtractRanges } from '../events/index.ts';
import { LogFacts } from './log-facts.ts';
import type { LogView } from './log-view.ts';
import { NamedArtifacts } from './named-artifacts.ts';
import type { SessionHead } from './session-store.ts';

/**
 * What the events that an erasure leaves say about the head of their session, and which artifacts they name. Read again
 * once the log has grown, it reads only what is new.
 */
export class LogRemains {
  facts = new LogFacts();
  named = new NamedArtifacts();
  #upTo = 0;
  #past = '';

  async read(log: LogView, head: SessionHead, erased: readonly SeqRange[]): Promise<void> {
    const { hidden, isLive } = await log.without(erased).coverage();
    if (this.#past !== pastOf(head, hidden, this.#upTo)) {
      this.facts = new LogFacts();
      this.named = new NamedArtifacts();
      this.#upTo = 0;
    }
    const fresh = subtractRanges([[1, head.version]], [[0, this.#upTo]]);
    const gone = intersectRanges(fresh, erased);
    const saves = (await log.stateEvents()).filter(({ seq }) => rangeAt(gone, seq) !== -1).values();
    let save = saves.next().value;
    for await (const event of log.events(subtractRanges(fresh, erased))) {
      for (; save !== undefined && save.seq < event.seq; save = saves.next().value) this.named.pass(save);
      this.named.add(event);
      this.facts.add(event, isLive(event.seq));
    }
    for (; save !== undefined; save = saves.next().value) this.named.pass(save);
    this.#upTo = head.version;
    this.#past = pastOf(head, hidden, this.#upTo);
  }
}

/** What must not have changed for that which was learnt from the events up to a seq to hold. */
function pastOf({ erasures = 0 }: SessionHead, hidden: readonly SeqRange[], upTo: number): string {
  return JSON.stringify([erasures, intersectRanges(hidden, [[0, upTo]])]);
}
