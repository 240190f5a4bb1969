import { beginsInvocation, type Content, type Event, noActions, originOf } from '../events/index.ts';
import { matchPrompt } from './match-prompt.ts';
import { promptEvents } from './prompt-events.ts';

const instant = '2026-01-01T00:00:00.000Z';

/** A content that calls the tool `look`, or another. */
export function callOf(id: string, name = 'look', args = {}): Content {
  return { role: 'model', parts: [{ functionCall: { id, name, args } }] };
}

/** A content that answers such a call. */
export function responseOf(id: string, value = 'ok'): Content {
  return { role: 'user', parts: [{ functionResponse: { id, name: 'look', response: value } }] };
}

/** A log for tests of prompts, in which events join invocations as they do at append. */
export class SampleLog {
  events: Event[] = [];
  rewinds = 0;
  #seq = 0;

  add(content: Content, more: Partial<Event> = {}): void {
    const isTold = content.role === 'user' && content.parts.every((part) => part.functionResponse === undefined);
    const author = isTold ? 'user' : 'assistant';
    const origin = originOf({ author, content, actions: noActions });
    const seq = ++this.#seq;
    const joined = beginsInvocation(origin, { content }) ? undefined : this.events.at(-1)?.invocationId;
    const invocationId = joined ?? `i${seq}`;
    const always = { seq, id: `e${seq}`, invocationId, author, origin, timestamp: instant, recordedAt: instant };
    this.events.push({ ...always, actions: noActions, content, ...more });
  }

  /** An answer that failed before anything of it came. */
  fail(): void {
    this.add({ role: 'model', parts: [] }, { interrupted: true, errorCode: 'MODEL_FAILED' });
  }

  /** What begin() does with a prompt. */
  receive(prompt: readonly Content[], match = matchPrompt): void {
    const { rewindBefore, fresh } = match(this.events, prompt);
    if (rewindBefore !== undefined) {
      this.rewinds++;
      const first = this.events.findIndex(({ invocationId }) => invocationId === rewindBefore);
      // A rewind that finds nothing would hide all.
      this.events = this.events.slice(0, Math.max(0, first));
    }
    for (const { content } of promptEvents(fresh, 'assistant', this.events)) this.add(content as Content);
  }

  /** What was said, without answers that failed. */
  get contents(): readonly Content[] {
    return this.events.flatMap(({ content }) => (content === undefined || content.parts.length === 0 ? [] : content));
  }
}

/** A log that holds these contents. */
export function logOf(...contents: readonly Content[]): SampleLog {
  const log = new SampleLog();
  for (const content of contents) log.add(content);
  return log;
}
