import {
  closes,
  type Event,
  isBookkeeping,
  type JsonValue,
  opens,
  rangeAt,
  type SeqRange,
  type SessionKey,
} from '../events/index.ts';
import { changesState, startsRun } from './event-traits.ts';
import { getOrAdd } from './get-or-add.ts';
import { nameOf } from './head-cache.ts';
import { InMemoryArtifacts } from './in-memory-artifacts.ts';
import { RunIndex } from './run-index.ts';
import { hasExpired } from './session-head.ts';
import type {
  ArtifactCommit,
  ArtifactQuery,
  Commit,
  CommitOutcome,
  ListedHead,
  ListQuery,
  Removal,
  Removed,
  RowQuery,
  SeenSession,
  SessionHead,
  SessionStore,
  StateQuery,
  StateScope,
  StateValue,
  StateWrite,
  StoredArtifact,
} from './session-store.ts';

interface Kept {
  readonly no: number;
  head: SessionHead;
  /** By seq; erased events leave a hole. */
  readonly events: (Event | undefined)[];
  readonly ids: Map<string, number>;
  readonly state: Map<string, JsonValue>;
  bookkeeping: number[];
  stateSeqs: number[];
  readonly runs: RunIndex;
  readonly calls: Map<string, number[]>;
}

type RemovalOf<What> = Extract<Removal, { readonly what: What }>;

const everything: readonly SeqRange[] = [[1, Number.MAX_SAFE_INTEGER]];
const nothingRemoved: Removed = { events: 0, stateKeys: 0, artifacts: 0, quotes: 0 };

/** A session store that lives and dies with the process. */
export function createInMemorySessionStore(): SessionStore {
  return new InMemorySessionStore();
}

class InMemorySessionStore implements SessionStore {
  readonly name = 'in-memory';
  readonly #sessions = new Map<string, Kept>();
  readonly #shared = new Map<string, Map<string, StateValue[]>>();
  readonly #artifacts = new InMemoryArtifacts();
  #lastNo = 0;

  async head(key: SessionKey): Promise<SessionHead | undefined> {
    return this.#sessions.get(nameOf(key))?.head;
  }

  async commit(commit: Commit | ArtifactCommit): Promise<CommitOutcome> {
    if (commit.restsOn && !this.#isAsSeen(commit.restsOn)) return 'moved';
    if (commit.artifacts?.some((write) => this.#artifacts.stands(write))) return 'moved';
    if (!('head' in commit)) {
      for (const write of commit.artifacts) this.#artifacts.save(write);
      return 'committed';
    }
    const kept = this.#sessions.get(nameOf(commit.head.key));
    if (!isExpected(kept, commit)) return 'moved';
    if (commit.states?.some((write) => this.#hasMoved(write))) return 'moved';
    if (kept && commit.events?.some((event) => kept.ids.has(event.id))) return 'idTaken';
    this.#apply(kept ?? this.#add(commit.head), commit);
    return 'committed';
  }

  async rows(query: RowQuery): Promise<readonly Event[]> {
    const kept = this.#sessions.get(nameOf(query.key));
    if (kept === undefined || query.limit === 0) return [];
    const { ranges = everything, limit = Number.POSITIVE_INFINITY, newestFirst = false, invocationId } = query;
    const seqs = candidates(kept, query);
    if (seqs !== undefined) return pick(kept, seqs, ranges, newestFirst, limit);
    const wanted = newestFirst ? [...ranges].reverse() : ranges;
    const runs = invocationId === undefined ? wanted : kept.runs.within(invocationId, ranges, newestFirst);
    return scan(kept, runs, newestFirst, limit);
  }

  async states(scope: StateScope, query: StateQuery = {}): Promise<readonly StateValue[]> {
    if (scope.kind === 'session') {
      const state = this.#sessions.get(nameOf(scope.key))?.state ?? new Map<string, JsonValue>();
      return entriesOf(state, query.keys).map(([key, value]) => ({ key, value, revision: 0 }));
    }
    const shared = this.#shared.get(nameOfShared(scope)) ?? new Map<string, StateValue[]>();
    const revisions = entriesOf(shared, query.keys).map(([, values]) => values);
    return query.history ? revisions.flat() : revisions.flatMap((values) => values.at(-1) ?? []);
  }

  async list(query: ListQuery): Promise<readonly ListedHead[]> {
    const direction = query.by === 'active' && !query.oldestFirst ? -1 : 1;
    const wanted = [...this.#sessions.values()].filter((kept) => isWanted(kept, query));
    const listed = wanted
      .sort((a, b) => direction * comparePositions(placeOf(a, query), placeOf(b, query)))
      .map(toListed);
    const after = query.by === 'active' ? query.after : undefined;
    const rest = after ? listed.filter(({ position }) => direction * comparePositions(position, after) > 0) : listed;
    return rest.slice(0, query.limit);
  }

  async remove(removal: Removal): Promise<Removed | 'moved'> {
    switch (removal.what) {
      case 'session':
        return this.#removeSession(removal);
      case 'events':
        return this.#removeEvents(removal);
      case 'states': {
        const name = nameOfShared(removal.scope);
        const stateKeys = this.#shared.get(name)?.size ?? 0;
        this.#shared.delete(name);
        return { ...nothingRemoved, stateKeys };
      }
      case 'artifacts':
        return { ...nothingRemoved, artifacts: this.#artifacts.remove(removal.scope, removal.name) };
      case 'quotes':
        this.#artifacts.leaveOut(removal.gone);
        return { ...nothingRemoved, quotes: this.#artifacts.removeQuotes(removal, removal.quoting) };
    }
  }

  async artifacts(query: ArtifactQuery): Promise<readonly StoredArtifact[]> {
    return this.#artifacts.find(query);
  }

  async health(): Promise<void> {
    // Memory is always at hand.
  }

  async close(): Promise<void> {
    // Nothing is held open.
  }

  #add(head: SessionHead): Kept {
    const kept: Kept = {
      no: ++this.#lastNo,
      head,
      events: [],
      ids: new Map(),
      state: new Map(),
      bookkeeping: [],
      stateSeqs: [],
      runs: new RunIndex(),
      calls: new Map(),
    };
    this.#sessions.set(nameOf(head.key), kept);
    return kept;
  }

  #apply(kept: Kept, commit: Commit): void {
    kept.head = commit.head;
    let previous = commit.previousInvocationId;
    for (const event of commit.events ?? []) {
      addEvent(kept, event, previous);
      previous = event.invocationId;
    }
    if (commit.replaceSessionState) kept.state.clear();
    for (const write of commit.states ?? []) this.#writeState(kept, write);
    for (const write of commit.artifacts ?? []) this.#artifacts.save(write);
  }

  #writeState(kept: Kept, { scope, key, value, source }: StateWrite): void {
    if (scope.kind === 'session') {
      if (value === undefined) kept.state.delete(key);
      else kept.state.set(key, value);
      return;
    }
    const values = getOrAdd(this.#shared, nameOfShared(scope), () => new Map<string, StateValue[]>());
    const revisions = getOrAdd(values, key, () => []);
    const revision = (revisions.at(-1)?.revision ?? 0) + 1;
    revisions.push({ key, value, revision, ...(source ? { source } : {}) });
  }

  #hasMoved(write: StateWrite): boolean {
    if (write.scope.kind === 'session' || write.expectedRevision === undefined) return false;
    const revisions = this.#shared.get(nameOfShared(write.scope))?.get(write.key);
    return (revisions?.at(-1)?.revision ?? 0) !== write.expectedRevision;
  }

  #isAsSeen({ key, incarnation, erasures = 0 }: SeenSession): boolean {
    const head = this.#sessions.get(nameOf(key))?.head;
    return head?.incarnation === incarnation && (head.erasures ?? 0) === erasures;
  }

  #removeSession({ key, incarnation, quoting }: RemovalOf<'session'>): Removed | 'moved' {
    const kept = this.#sessions.get(nameOf(key));
    if (kept?.head.incarnation !== incarnation) return 'moved';
    this.#sessions.delete(nameOf(key));
    const counts = { events: kept.ids.size, stateKeys: kept.state.size };
    const artifacts = this.#artifacts.remove(key, undefined);
    this.#artifacts.leaveOut(quoting);
    return { ...counts, artifacts, quotes: this.#artifacts.removeQuotes(key, quoting) };
  }

  #removeEvents({ key, ranges, artifacts, quoting, commit }: RemovalOf<'events'>): Removed | 'moved' {
    const kept = this.#sessions.get(nameOf(key));
    if (kept === undefined || !isExpected(kept, commit)) return 'moved';
    const stateKeys = kept.state.size;
    let events = 0;
    for (const event of kept.events) {
      if (event === undefined || rangeAt(ranges, event.seq) === -1) continue;
      removeEvent(kept, event);
      events++;
    }
    const isLeft = (seq: number) => rangeAt(ranges, seq) === -1;
    kept.bookkeeping = kept.bookkeeping.filter(isLeft);
    kept.stateSeqs = kept.stateSeqs.filter(isLeft);
    for (const [, to] of ranges) restartRun(kept, to);
    this.#apply(kept, commit);
    return {
      events,
      stateKeys: stateKeys - kept.state.size,
      artifacts: this.#artifacts.removeVersions(key, artifacts),
      quotes: this.#artifacts.removeQuotes(key, quoting),
    };
  }
}

/** A session deleted and made anew may reach the same stamp, hence the look at its incarnation. */
function isExpected(kept: Kept | undefined, { expectedStamp, head }: Commit): boolean {
  if (kept === undefined) return expectedStamp === undefined;
  return kept.head.stamp === expectedStamp && kept.head.incarnation === head.incarnation;
}

/** Entries of a map; with keys, only of these. */
function entriesOf<T>(map: ReadonlyMap<string, T>, keys: readonly string[] | undefined): [string, T][] {
  if (keys === undefined) return [...map];
  return [...new Set(keys)].flatMap((key): [string, T][] => {
    const value = map.get(key);
    return value === undefined ? [] : [[key, value]];
  });
}

function addEvent(kept: Kept, event: Event, previousInvocationId: string | undefined): void {
  kept.events[event.seq] = event;
  kept.ids.set(event.id, event.seq);
  if (isBookkeeping(event)) kept.bookkeeping.push(event.seq);
  if (changesState(event)) kept.stateSeqs.push(event.seq);
  if (startsRun(event, previousInvocationId)) kept.runs.add(event);
  for (const id of [...opens(event), ...closes(event)]) getOrAdd(kept.calls, id, () => []).push(event.seq);
}

function removeEvent(kept: Kept, event: Event): void {
  kept.events[event.seq] = undefined;
  kept.ids.delete(event.id);
  for (const id of [...opens(event), ...closes(event)]) {
    const rest = kept.calls.get(id)?.filter((seq) => seq !== event.seq) ?? [];
    if (rest.length === 0) kept.calls.delete(id);
    else kept.calls.set(id, rest);
  }
}

/** The first event left behind an erased range may have lost the start of its run: it becomes one. */
function restartRun(kept: Kept, erasedTo: number): void {
  let seq = erasedTo + 1;
  while (seq < kept.events.length && kept.events[seq] === undefined) seq++;
  const event = kept.events[seq];
  if (event !== undefined && !kept.runs.startsAt(event.seq)) kept.runs.add(event);
}

/** The seqs that a query's narrowest condition names, in order; `undefined` if it names none. */
function candidates(kept: Kept, query: RowQuery): number[] | undefined {
  if (query.ids) return query.ids.flatMap((id) => kept.ids.get(id) ?? []).sort((a, b) => a - b);
  if (query.callId !== undefined) return [...new Set(kept.calls.get(query.callId))];
  if (query.kind) return query.kind === 'bookkeeping' ? kept.bookkeeping : kept.stateSeqs;
  return undefined;
}

function pick(
  kept: Kept,
  seqs: readonly number[],
  ranges: readonly SeqRange[],
  newestFirst: boolean,
  limit: number,
): Event[] {
  const found: Event[] = [];
  for (let at = 0; at < seqs.length && found.length < limit; at++) {
    const seq = seqs[newestFirst ? seqs.length - 1 - at : at] ?? 0;
    const event = kept.events[seq];
    if (event !== undefined && rangeAt(ranges, seq) !== -1) found.push(event);
  }
  return found;
}

function scan(kept: Kept, ranges: Iterable<SeqRange>, newestFirst: boolean, limit: number): Event[] {
  const found: Event[] = [];
  const last = kept.events.length - 1;
  for (const [from, to] of ranges) {
    if (found.length >= limit) break;
    const end = Math.min(to, last);
    for (let at = 0; from + at <= end && found.length < limit; at++) {
      const event = kept.events[newestFirst ? end - at : from + at];
      if (event !== undefined) found.push(event);
    }
  }
  return found;
}

function isWanted({ head, no }: Kept, query: ListQuery): boolean {
  switch (query.by) {
    case 'active':
      return (
        head.key.appName === query.appName &&
        (query.userId === undefined || head.key.userId === query.userId) &&
        (query.projectId === undefined || head.projectId === query.projectId)
      );
    case 'behind':
      return head.key.appName === query.appName && head.ingestedSeq < head.version && !hasExpired(head, query.liveAt);
    case 'idle':
      return (
        head.key.appName === query.appName &&
        !head.ended &&
        head.version > 0 &&
        head.updatedAt < query.before * 1000 &&
        !hasExpired(head, query.liveAt)
      );
    case 'expired':
      return head.expiresAt !== undefined && head.expiresAt <= query.before;
    case 'forkedFrom':
      return head.forkedFrom?.incarnation === query.incarnation && no > (query.after ?? 0);
  }
}

/** What a list is ordered by: the number that its index begins with, then the number of the session. */
function placeOf({ head, no }: Kept, query: ListQuery): readonly [number, number] {
  if (query.by === 'forkedFrom') return [0, no];
  return query.by === 'expired' ? [head.expiresAt ?? 0, no] : [activeSecond(head), no];
}

function activeSecond({ updatedAt }: SessionHead): number {
  return Math.floor(updatedAt / 1000);
}

function toListed({ head, no }: Kept): ListedHead {
  return { head, position: [activeSecond(head), no] };
}

function comparePositions(a: readonly [number, number], b: readonly [number, number]): number {
  return a[0] - b[0] || a[1] - b[1];
}

function nameOfShared(scope: StateScope): string {
  if (scope.kind === 'session') return nameOf(scope.key);
  return JSON.stringify(scope.kind === 'app' ? [scope.appName] : [scope.appName, scope.userId]);
}
