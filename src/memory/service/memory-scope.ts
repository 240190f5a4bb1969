import { PalimpsestError } from '../../errors/index.ts';
import { parseScope, type Scope } from '../../events/index.ts';
import type { Owner, PartitionKey } from './memory-store.ts';

/** A checked scope, as the owner it names and the place within the owner's memory. */
export interface MemoryScope {
  readonly owner: Owner;
  /** Where what is added in this scope goes. */
  readonly home: PartitionKey;
}

/** Checks a scope. Throws INVALID_ID or INVALID_ARGUMENT, NOT_SUPPORTED for memory shared among users. */
export function readScope(scope: Scope): MemoryScope {
  const checked = parseScope(scope);
  if ('shared' in checked) {
    throw new PalimpsestError('NOT_SUPPORTED', {
      capability: 'Memory shared among users',
      instead: 'Name the user whose memory is meant.',
    });
  }
  const { appName, userId, ...home } = checked;
  return { owner: { appName, userId }, home };
}

/** The partitions that a scope sees. */
export function visiblePartitions(home: PartitionKey, projectOnly = false): readonly PartitionKey[] {
  const { projectId, sessionId } = home;
  const projects = projectId === undefined ? [{}] : projectOnly ? [{ projectId }] : [{}, { projectId }];
  return sessionId === undefined ? projects : projects.flatMap((project) => [project, { ...project, sessionId }]);
}

/** True if what is in the partition is found from a scope whose home is `home`. */
export function sees(home: PartitionKey, partition: PartitionKey): boolean {
  return (
    (partition.projectId === undefined || partition.projectId === home.projectId) &&
    (partition.sessionId === undefined || partition.sessionId === home.sessionId)
  );
}

/** True if the partition lies within the scope: it has every part that the scope names. */
export function contains(home: PartitionKey, partition: PartitionKey): boolean {
  return (
    (home.projectId === undefined || home.projectId === partition.projectId) &&
    (home.sessionId === undefined || home.sessionId === partition.sessionId)
  );
}

/** A text that is equal for equal partitions only. */
export function partitionName(key: PartitionKey): string {
  return JSON.stringify([key.projectId ?? null, key.sessionId ?? null]);
}
