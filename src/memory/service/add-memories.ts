import { PalimpsestError } from '../../errors/index.ts';
import { toInstant } from '../../events/index.ts';
import { type Clock, uuidV7 } from '../../internal/index.ts';
import { applyChanges } from './apply-changes.ts';
import { ChangeSet } from './change-set.ts';
import type { MemoryEntry, NewMemory } from './memory-entry.ts';
import type { MemoryScope } from './memory-scope.ts';
import type { MemoryStore } from './memory-store.ts';
import { type Passage, passagesOf } from './passages.ts';
import { bad, type MemoryDraft, placeMemory, readMemory, saysTheSame } from './read-memory.ts';

/** The most memories that one call adds. */
export const maxBatch = 10_000;

interface Addition {
  readonly draft: MemoryDraft;
  readonly entry: MemoryEntry;
  readonly passages: readonly Passage[];
}

/** Stores memories, all or none, and returns the stored entries in the order given. */
export async function addMemories(
  store: MemoryStore,
  clock: Clock,
  addition: { readonly scope: MemoryScope; readonly memories: readonly NewMemory[] },
): Promise<readonly MemoryEntry[]> {
  const { owner, home } = addition.scope;
  if (!Array.isArray(addition.memories)) throw bad('memories', 'must be a list');
  if (addition.memories.length > maxBatch) throw bad('memories', `must be at most ${maxBatch} at once`);
  const drafts = addition.memories.map((memory: unknown, index) => readMemory(memory, `memories[${index}]`));
  const now = clock.now();
  const ready = drafts.map((draft): Addition => {
    const entry = placeMemory(draft, { id: draft.id ?? uuidV7(now), at: toInstant(now), partition: home });
    return { draft, entry, passages: passagesOf(entry) };
  });
  if (ready.length === 0) return [];
  const givenIds = drafts.flatMap(({ id }) => id ?? []);
  return applyChanges(store, owner, async (head) => {
    const stored = givenIds.length === 0 ? [] : await store.entries(owner, { by: 'id', ids: [...new Set(givenIds)] });
    const known = new Map(stored.map(({ entry }) => [entry.id, entry]));
    const changes = new ChangeSet(owner, head);
    let added = 0;
    const result = ready.map(({ draft, entry, passages }) => {
      const before = known.get(entry.id);
      if (before !== undefined) {
        if (saysTheSame(draft, before, home)) return before;
        throw new PalimpsestError('MEMORY_ID_REUSED', { id: entry.id });
      }
      known.set(entry.id, entry);
      changes.add({ partition: home, entry, passages });
      added++;
      return entry;
    });
    return added === 0 ? { result } : { result, changes };
  });
}
