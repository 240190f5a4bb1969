import { PalimpsestError } from '../errors/index.ts';
import { type Event, type EventInput, foldCoverage, isPlainObject, rangeAt } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';

/** An event of a source, named so that it is known again at the next import. */
export type NamedEvent = EventInput & { readonly id: string };

/** What brings a log up to its source. */
export interface ImportPlan {
  /** What is stored of the source, in its order and under the ids that it has in the log. */
  readonly known: readonly NamedEvent[];
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
  plan(kept: readonly Event[], beforeInvocationId?: string): ImportPlan {
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
    this.#checkPlaces(fresh, kept.length);
    if (beforeInvocationId === undefined) return { known, fresh };
    const rewind = { id: freeId(rewindId, taken), author: 'system', actions: { rewind: { beforeInvocationId } } };
    return { known, rewind, fresh };
  }

  /** The plan where the source leaves what is stored before this event. */
  planTurn(left: Event): ImportPlan {
    const { invocationId } = left;
    const fromSeq = this.#stored.find((event) => event.invocationId === invocationId)?.seq ?? left.seq;
    const other = this.#stored.find((event) => event.seq >= fromSeq && !this.#isOwn(event) && !isMadeByItself(event));
    if (other !== undefined) throw this.#refused(other.seq, 'was appended here since; it would be hidden');
    // A rewind hides whole invocations: what of this one the source has kept is stored again.
    const kept = this.standing(fromSeq);
    if (this.shared(kept) < kept.length) throw this.#refused(left.seq, 'cannot be hidden without what is to stay');
    return this.plan(kept, invocationId);
  }

  #isOwn(event: Event): boolean {
    return event.importedFrom === this.#origin.from || this.#wantedIds.has(event.id);
  }

  /** Summaries and marks of a source name its events by their places, so these must be the same in the log. */
  #checkPlaces(fresh: readonly NamedEvent[], kept: number): void {
    const naming = fresh.findIndex(({ actions }) => isPlainObject(actions) && namesPlaces(actions));
    if (naming === -1 || (this.#stored.at(-1)?.seq ?? 0) === kept) return;
    throw this.#refused(kept + naming + 1, 'of the source names others by their places, which have moved');
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

function namesPlaces(actions: Readonly<Record<string, unknown>>): boolean {
  const { compaction, rewind, pin, unpin, trim } = actions;
  return [compaction, rewind, pin, unpin, trim].some((effect) => effect !== undefined);
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
