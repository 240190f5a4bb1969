import { PalimpsestError } from '../errors/index.ts';
import { type Event, type EventInput, foldCoverage, isPlainObject, rangeAt } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';

/** An event of a source, named so that it is known again at the next import. */
export type NamedEvent = EventInput & { readonly id: string };

/** What brings a log up to its source. */
export interface ImportPlan {
  /** What is stored of the source, in its order and under the ids that it has in the log. */
  readonly known: readonly NamedEvent[];
  /** Where these stand in the log. */
  readonly knownSeqs: readonly number[];
  /** Hides the end of another path that the source has left. */
  readonly rewind?: NamedEvent;
  /** The rest of the source, under ids that are free in the log. */
  readonly fresh: readonly NamedEvent[];
}

/** Whose import it is. */
export interface ImportOrigin {
  readonly sessionId: string;
  readonly from: string;
}

const rewindId = 'import-rewind';
/** In the metadata of an event that was stored again: its id in the source. */
const sourceIdField = 'copyOfEvent';
const longestPlainId = 240;

/**
 * Works out how a log comes to hold its source. A source that leads on from what is stored is appended to it. One that
 * has taken another way, as when an answer was regenerated, is followed by a rewind and the new way; ids cannot be used
 * twice in a log, so events that must be stored again get derived ones. A source that ends earlier on the same way is
 * an older copy: nothing is to be done. Throws IMPORT_DIVERGED if a rewind would hide what is not of the source.
 */
export function planImport(stored: readonly Event[], wanted: readonly NamedEvent[], origin: ImportOrigin): ImportPlan {
  const log = new SourceLog(stored, wanted, origin);
  const standing = log.standing();
  const shared = log.shared(standing);
  const left = shared === wanted.length ? undefined : standing[shared];
  return left === undefined ? log.plan(standing.slice(0, shared)) : log.planTurn(left);
}

/** A log as the source sees it: without what others wrote into it. */
class SourceLog {
  readonly #stored: readonly Event[];
  readonly #wanted: readonly NamedEvent[];
  readonly #origin: ImportOrigin;
  readonly #wantedIds: ReadonlySet<string>;

  constructor(stored: readonly Event[], wanted: readonly NamedEvent[], origin: ImportOrigin) {
    this.#stored = stored;
    this.#wanted = wanted;
    this.#origin = origin;
    this.#wantedIds = new Set(wanted.map(({ id }) => id));
  }

  /** Events of the source that no import has taken back, of those below a seq. */
  standing(below = Number.POSITIVE_INFINITY): Event[] {
    const own = this.#stored.filter((event) => event.seq < below && this.#isOwn(event));
    const { hidden } = foldCoverage(own.filter(isImportRewind));
    return own.filter((event) => !isImportRewind(event) && rangeAt(hidden, event.seq) === -1);
  }

  /** How many events from the first on are those of the source. */
  shared(events: readonly Event[]): number {
    const differs = events.findIndex((event, index) => sourceIdOf(event) !== this.#wanted[index]?.id);
    return differs === -1 ? events.length : differs;
  }

  /** The plan where these stored events stay; the rest of the source follows, after a rewind if one is named. */
  plan(kept: readonly Event[], turn?: { readonly beforeInvocationId: string; readonly fromSeq: number }): ImportPlan {
    const storedIds = new Set(this.#stored.map(({ id }) => id));
    const taken = new Set([...storedIds, ...this.#wantedIds]);
    const known = kept.flatMap(({ id }, index) =>
      this.#wanted.slice(index, index + 1).map((event) => named(event, id)),
    );
    const fresh = this.#wanted.slice(kept.length).map((event) => {
      if (!storedIds.has(event.id)) return event;
      const id = freeId(event.id, taken);
      taken.add(id);
      return named(event, id);
    });
    this.#checkRewinds(kept);
    this.#checkSummaries(kept, turn?.fromSeq);
    const knownSeqs = kept.map(({ seq }) => seq);
    if (turn === undefined) return { known, knownSeqs, fresh };
    const { beforeInvocationId } = turn;
    const rewind = { id: freeId(rewindId, taken), author: 'system', actions: { rewind: { beforeInvocationId } } };
    return { known, knownSeqs, rewind, fresh };
  }

  /** The plan where the source leaves what is stored before this event. */
  planTurn(left: Event): ImportPlan {
    const { invocationId } = left;
    const fromSeq = this.#stored.find((event) => event.invocationId === invocationId)?.seq ?? left.seq;
    this.#refuseToHide(fromSeq);
    // A rewind hides whole invocations: what of this one the source has kept is stored again.
    const kept = this.standing(fromSeq);
    if (this.shared(kept) < kept.length) throw this.#refused(left.seq, 'cannot be hidden without what is to stay');
    return this.plan(kept, { beforeInvocationId: invocationId, fromSeq });
  }

  #isOwn(event: Event): boolean {
    return event.importedFrom === this.#origin.from || this.#wantedIds.has(event.id);
  }

  /** A rewind hides from the first event of its invocation in the log on, which a way left earlier may hold as well. */
  #checkRewinds(kept: readonly Event[]): void {
    for (const { actions } of this.#wanted.slice(kept.length)) {
      const invocationId = actions?.rewind?.beforeInvocationId;
      if (invocationId === undefined) continue;
      const fromSeq = this.#stored.find((event) => event.invocationId === invocationId)?.seq;
      if (fromSeq === undefined) continue;
      this.#refuseToHide(fromSeq);
      const first = kept.findIndex((event) => event.invocationId === invocationId);
      const before = kept.slice(0, first === -1 ? kept.length : first).find(({ seq }) => seq >= fromSeq);
      if (before !== undefined) throw this.#refused(before.seq, 'would be hidden by a rewind to what comes after it');
    }
  }

  /** No event is in two summaries: one that was made here, or by a way that was left, may hold what a new one names. */
  #checkSummaries(kept: readonly Event[], fromSeq = Number.POSITIVE_INFINITY): void {
    const summaries = this.#wanted.slice(kept.length).filter(({ actions }) => actions?.compaction !== undefined);
    if (summaries.length === 0) return;
    const keptSeqs = new Set(kept.map(({ seq }) => seq));
    const others = foldCoverage(this.#stored).summaries.filter(({ seq, compaction }) => {
      const isHidden = (compaction.covers.at(-1)?.[1] ?? 0) >= fromSeq;
      return !keptSeqs.has(seq) && !isHidden;
    });
    for (const { seq, compaction } of others) {
      const places = kept.flatMap((event, index) => (rangeAt(compaction.covers, event.seq) === -1 ? [] : [index + 1]));
      const isNamed = summaries.some(({ actions }) => places.some((place) => covers(actions?.compaction, place)));
      if (isNamed) throw this.#refused(seq, 'sums up what a summary of the source sums up too');
    }
  }

  #refuseToHide(fromSeq: number): void {
    const other = this.#stored.find((event) => event.seq >= fromSeq && !this.#isOwn(event) && !isMadeByItself(event));
    if (other !== undefined) throw this.#refused(other.seq, 'was appended here since; it would be hidden');
  }

  #refused(seq: number, reason: string): PalimpsestError {
    return new PalimpsestError('IMPORT_DIVERGED', { sessionId: this.#origin.sessionId, seq, reason });
  }
}

/** The event under another id, which tells its own one. */
function named(event: NamedEvent, id: string): NamedEvent {
  if (id === event.id) return event;
  return { ...event, id, customMetadata: { ...event.customMetadata, [sourceIdField]: event.id } };
}

function sourceIdOf({ id, customMetadata }: Event): unknown {
  return customMetadata?.[sourceIdField] ?? id;
}

function isImportRewind(event: Event): boolean {
  return event.actions.rewind !== undefined && event.id.startsWith(`${rewindId}~`);
}

/** Nobody's words: a session that was idle is ended, and may be summarised, without anyone's doing. */
function isMadeByItself({ actions }: Event): boolean {
  return actions.sessionEnd !== undefined || actions.compaction !== undefined;
}

function covers(compaction: unknown, place: number): boolean {
  if (!isPlainObject(compaction) || !Array.isArray(compaction.covers)) return false;
  return compaction.covers.some((range: unknown) => Array.isArray(range) && range[0] <= place && place <= range[1]);
}

/** The first of `id~2`, `id~3` … that is not taken: the same one whenever the log is the same. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  const stem = stemOf(id);
  for (let number = 2; ; number++) if (!taken.has(`${stem}~${number}`)) return `${stem}~${number}`;
}

/** What derived ids begin with: the id, or a digest where the two together would be too long for an id. */
function stemOf(id: string): string {
  return id.length <= longestPlainId ? id : `sha256-${sha256(id).slice(0, 32)}`;
}
