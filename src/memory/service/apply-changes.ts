import { setTimeout as sleep } from 'node:timers/promises';
import { PalimpsestError } from '../../errors/index.ts';
import type { ChangeSet } from './change-set.ts';
import type { MemoryStore, Owner, OwnerHead } from './memory-store.ts';

/** What a planner makes of an owner's head: the answer to its caller and, unless nothing is to do, the changes. */
export interface Planned<T> {
  readonly result: T;
  readonly changes?: ChangeSet;
}

const attempts = 1000;

/**
 * Plans changes from an owner's head and commits them; plans again if somebody else committed in between, which can
 * only happen because they made progress.
 */
export async function applyChanges<T>(
  store: MemoryStore,
  owner: Owner,
  plan: (head: OwnerHead | undefined) => Promise<Planned<T>>,
): Promise<T> {
  const started = Date.now();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { result, changes } = await plan(await store.head(owner));
    if (changes === undefined || (await store.commit(changes.commit())) === 'committed') return result;
    if (attempt > 2) await sleep(Math.random() * Math.min(20, attempt));
  }
  throw new PalimpsestError('STORE_BUSY', { file: store.name, waitedMs: Date.now() - started });
}
