import { type EventInput, isPlainObject, rangeAt, type SeqRange } from '../events/index.ts';

/**
 * Where the events of a source stand in the log. A source counts its own events 1, 2, 3 …; in the log others may stand
 * between them: ends of idle sessions, what was said here, ways that the source has left.
 */
export class SourcePlaces {
  /** Runs of the source that stand in the log without a gap, as the source counts, and how far each has moved. */
  readonly #runs: SeqRange[] = [];
  readonly #shifts: number[] = [];
  #count = 0;

  /** The next event of the source stands at this seq. */
  add(seq: number): void {
    const position = ++this.#count;
    const shift = seq - position;
    const last = this.#runs.at(-1);
    if (last !== undefined && this.#shifts.at(-1) === shift) this.#runs[this.#runs.length - 1] = [last[0], position];
    else {
      this.#runs.push([position, position]);
      this.#shifts.push(shift);
    }
  }

  /** The event with seqs instead of the source's places; what is not placed yet is taken to follow `version`. */
  inLog<E extends EventInput>(event: E, version: number): E {
    const { actions } = event;
    if (!namesPlaces(event) || actions === undefined) return event;
    const { compaction, pin, unpin, trim, overflow } = actions;
    const seqs = (list: readonly number[]) => this.#seqs(list, version);
    const marks = <M extends { readonly seqs: readonly number[] }>(mark: M): M =>
      isPlainObject(mark) ? { ...mark, seqs: seqs(mark.seqs) } : mark;
    const moved = {
      ...actions,
      ...(isPlainObject(compaction) && {
        compaction: {
          ...compaction,
          covers: this.#covers(compaction.covers, version),
          ...(compaction.supersedes && { supersedes: seqs(compaction.supersedes) }),
        },
      }),
      ...(pin && { pin: marks(pin) }),
      ...(unpin && { unpin: marks(unpin) }),
      ...(trim && { trim: marks(trim) }),
      ...(isPlainObject(overflow) && overflow.by && { overflow: { ...overflow, by: seqs(overflow.by) } }),
    };
    return { ...event, actions: moved };
  }

  /** What is no list of places stays as it is, for the append to refuse. */
  #seqs(list: readonly number[], version: number): readonly number[] {
    if (!Array.isArray(list)) return list;
    return list.map((position: number) => (isPlace(position) ? position + this.#shift(position, version) : position));
  }

  #covers(covers: readonly SeqRange[], version: number): readonly SeqRange[] {
    if (!Array.isArray(covers)) return covers;
    return covers.flatMap((range: SeqRange) => {
      const isRange = Array.isArray(range) && range.length === 2 && range.every(isPlace) && range[0] <= range[1];
      return isRange ? this.#range(range, version) : [range];
    });
  }

  /** A range is cut where others stand in the log, which it does not name. */
  #range([from, to]: SeqRange, version: number): SeqRange[] {
    const pieces: [number, number][] = [];
    for (let start = from; start <= to; ) {
      const end = Math.min(to, this.#runs[rangeAt(this.#runs, start)]?.[1] ?? to);
      const shift = this.#shift(start, version);
      const last = pieces.at(-1);
      if (last !== undefined && last[1] + 1 === start + shift) last[1] = end + shift;
      else pieces.push([start + shift, end + shift]);
      start = end + 1;
    }
    return pieces;
  }

  #shift(position: number, version: number): number {
    return this.#shifts[rangeAt(this.#runs, position)] ?? version - this.#count;
  }
}

/** True if the event names others by their places: a summary, a pin, a trim, a blocked fold. A rewind names an invocation. */
export function namesPlaces({ actions }: EventInput): boolean {
  if (!isPlainObject(actions)) return false;
  const { compaction, pin, unpin, trim, overflow } = actions;
  return [compaction, pin, unpin, trim, overflow].some((effect) => effect !== undefined);
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
