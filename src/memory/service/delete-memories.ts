import { normalizeRanges, type ProvenanceRef, parseId, rangeAt, type SeqRange } from '../../events/index.ts';
import { applyChanges, type Planned } from './apply-changes.ts';
import { ChangeSet } from './change-set.ts';
import type { MemoryEntry } from './memory-entry.ts';
import { contains, type MemoryScope, partitionName, sees } from './memory-scope.ts';
import type { MemorySelector } from './memory-service.ts';
import type { MemoryStore, OwnerHead, StoredEntry } from './memory-store.ts';
import { bad } from './read-memory.ts';

/** Events of a session, as sources. */
export interface EventSources {
  readonly sessionId: string;
  readonly incarnation?: string;
  readonly ranges?: readonly SeqRange[];
}

/** Removes what a selector names within a scope and returns how many entries are gone. */
export async function deleteMemories(
  store: MemoryStore,
  scope: MemoryScope,
  selector: MemorySelector,
): Promise<number> {
  const { owner } = scope;
  if ('id' in selector) {
    const id = parseId(selector.id, 'selector.id');
    return applyChanges(store, owner, (head) => planEntry(store, head, { scope, id }));
  }
  if ('sessionId' in selector) {
    const sources: EventSources = {
      sessionId: parseId(selector.sessionId, 'selector.sessionId'),
      ...(selector.incarnation !== undefined && { incarnation: parseId(selector.incarnation, 'selector.incarnation') }),
      ...(selector.seqs !== undefined && { ranges: readRanges(selector.seqs, 'selector.seqs') }),
    };
    return applyChanges(store, owner, (head) => planSession(store, head, { scope, sources }));
  }
  if (selector.all !== true) throw bad('selector', 'must name an id, a sessionId, or all: true');
  return applyChanges(store, owner, (head) => planAll(head, scope));
}

/** Takes sources away from entries: those without any other go, the rest stay with what they have left. */
export function withdraw(changes: ChangeSet, stored: readonly StoredEntry[], sources: EventSources): StoredEntry[] {
  const gone: StoredEntry[] = [];
  for (const candidate of stored) {
    const left = candidate.entry.provenance.filter((ref) => !isAmong(ref, sources));
    if (left.length === 0) {
      changes.remove(candidate);
      gone.push(candidate);
    } else if (left.length < candidate.entry.provenance.length) {
      changes.replace(candidate, withProvenance(candidate.entry, left));
    }
  }
  return gone;
}

/** Checks ranges of seqs and brings them in order. */
export function readRanges(value: unknown, argument: string): readonly SeqRange[] {
  if (!Array.isArray(value)) throw bad(argument, 'must be a list of ranges [from, to]');
  const ranges = value.map((range: unknown, index): SeqRange => {
    const [from, to]: unknown[] = Array.isArray(range) ? range : [];
    if (isSeq(from) && isSeq(to)) return [from, to];
    throw bad(`${argument}[${index}]`, 'must be a range [from, to] of seqs');
  });
  return normalizeRanges(ranges);
}

async function planEntry(
  store: MemoryStore,
  head: OwnerHead | undefined,
  { scope, id }: { readonly scope: MemoryScope; readonly id: string },
): Promise<Planned<number>> {
  const [stored] = await store.entries(scope.owner, { by: 'id', ids: [id] });
  if (stored === undefined || !sees(scope.home, stored.partition)) return { result: 0 };
  const changes = new ChangeSet(scope.owner, head);
  changes.remove(stored);
  return { result: 1, changes };
}

async function planSession(
  store: MemoryStore,
  head: OwnerHead | undefined,
  { scope, sources }: { readonly scope: MemoryScope; readonly sources: EventSources },
): Promise<Planned<number>> {
  if (head === undefined) return { result: 0 };
  const changes = new ChangeSet(scope.owner, head);
  const cleared = new Set<string>();
  let removed = 0;
  for (const partition of sources.ranges === undefined ? head.partitions : []) {
    if (partition.key.sessionId !== sources.sessionId || !contains(scope.home, partition.key)) continue;
    changes.clear(partition);
    cleared.add(partitionName(partition.key));
    removed += partition.entries;
  }
  const cited = await store.entries(scope.owner, { by: 'source', ...sources });
  const within = cited.filter(
    ({ partition }) => contains(scope.home, partition) && !cleared.has(partitionName(partition)),
  );
  removed += withdraw(changes, within, sources).length;
  const { sessionId, incarnation, ranges } = sources;
  if (incarnation !== undefined && ranges === undefined) changes.forget({ sessionId, incarnation });
  return { result: removed, changes };
}

async function planAll(head: OwnerHead | undefined, scope: MemoryScope): Promise<Planned<number>> {
  const changes = new ChangeSet(scope.owner, head);
  let removed = 0;
  for (const partition of head?.partitions ?? []) {
    if (!contains(scope.home, partition.key)) continue;
    changes.clear(partition);
    removed += partition.entries;
  }
  return removed === 0 ? { result: 0 } : { result: removed, changes };
}

function isAmong(ref: ProvenanceRef, { sessionId, incarnation, ranges }: EventSources): boolean {
  return (
    ref.kind === 'event' &&
    ref.sessionId === sessionId &&
    (incarnation === undefined || ref.incarnation === incarnation) &&
    (ranges === undefined || rangeAt(ranges, ref.seq) >= 0)
  );
}

function withProvenance(entry: MemoryEntry, provenance: readonly ProvenanceRef[]): MemoryEntry {
  return Object.freeze({ ...entry, provenance: Object.freeze(provenance), revision: entry.revision + 1 });
}

function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}
