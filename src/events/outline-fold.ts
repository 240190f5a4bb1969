import { type Event, isBookkeeping, type Outline } from './event.ts';
import { answers, asks } from './question.ts';
import { normalizeRanges, type SeqRange } from './ranges.ts';

/** More ranges than this are not worth telling apart: then all that is covered counts as unpaired. */
const mostUnpaired = 128;

/** A call that stands in one stretch of the log with whatever answers it. */
interface MetCall {
  readonly seq: number;
  readonly name: string;
  isAnswered: boolean;
}

/**
 * Works out the outline of a summary from the events that it covers, given in order of seq. A call and its response are
 * a pair if they share id and name and nothing that is not covered, nor a response without an id, stands between them:
 * then no other event can come into it, whatever the view, and whatever a rewind brings back.
 */
export class OutlineFold {
  #asked = 0;
  #answered = 0;
  #ended: number | undefined;
  readonly #unpaired = new Set<number>();
  readonly #calls = new Map<string, MetCall>();
  #newest = 0;

  add(event: Event): void {
    const { seq } = event;
    if (seq !== this.#newest + 1) this.#endStretch();
    this.#newest = seq;
    if (isBookkeeping(event)) return;
    if (asks(event)) this.#asked = seq;
    else if (answers(event)) this.#answered = seq;
    if (event.actions.endOfAgent === true && event.branch !== undefined) this.#ended = seq;
    for (const { functionCall, functionResponse } of event.content?.parts ?? []) {
      if (functionCall !== undefined) this.#addCall(event, functionCall);
      else if (functionResponse !== undefined) this.#addResponse(seq, functionResponse);
    }
  }

  /** The outline of a summary that covers the events added and all that the older ones cover. */
  outline(covers: readonly SeqRange[], older: readonly Outline[]): Outline {
    this.#endStretch();
    const asked = Math.max(this.#asked, ...older.map((one) => one.asked ?? 0));
    const answered = Math.max(this.#answered, ...older.map((one) => one.answered ?? 0));
    const ended = this.#ended ?? older.findLast((one) => one.ended !== undefined)?.ended;
    const own = [...this.#unpaired].map((seq): SeqRange => [seq, seq]);
    const unpaired = normalizeRanges([...own, ...older.flatMap((one) => one.unpaired ?? [])]);
    return Object.freeze({
      ...(asked > answered ? { asked } : {}),
      ...(answered > asked ? { answered } : {}),
      ...(ended === undefined ? {} : { ended }),
      ...(unpaired.length === 0 ? {} : { unpaired: unpaired.length > mostUnpaired ? covers : frozen(unpaired) }),
    });
  }

  #addCall({ seq, author, origin }: Event, { id, name }: { readonly id?: string; readonly name: string }): void {
    // What the user's side calls is no call, and leaves the response to an older one.
    if (id === undefined || author === 'user' || origin === 'user') {
      this.#unpaired.add(seq);
      return;
    }
    this.#leaveOpen(this.#calls.get(id));
    this.#calls.set(id, { seq, name, isAnswered: false });
  }

  #addResponse(seq: number, { id, name }: { readonly id?: string; readonly name: string }): void {
    const call = id === undefined ? undefined : this.#calls.get(id);
    if (call?.name === name) {
      call.isAnswered = true;
      return;
    }
    this.#unpaired.add(seq);
    if (id === undefined) for (const open of this.#calls.values()) this.#leaveOpen(open);
  }

  #endStretch(): void {
    for (const call of this.#calls.values()) this.#leaveOpen(call);
    this.#calls.clear();
  }

  #leaveOpen(call: MetCall | undefined): void {
    if (call !== undefined && !call.isAnswered) this.#unpaired.add(call.seq);
  }
}

function frozen(ranges: readonly SeqRange[]): readonly SeqRange[] {
  return Object.freeze(ranges.map((range) => Object.freeze(range)));
}
