import { PalimpsestError } from '../errors/index.ts';
import type { SessionKey } from '../events/index.ts';
import { giveWay } from './give-way.ts';
import { nameOf } from './head-cache.ts';
import { hasExpired } from './session-head.ts';
import type { SessionParts } from './session-parts.ts';
import type { Commit, SessionHead } from './session-store.ts';

/** Far more than writers in each other's way ever need: a store that goes on refusing is broken. */
const mostAttempts = 200;

/** What is to be written under a head, and what the caller gets once it is; no commit: there is nothing to write. */
export interface Plan<T> {
  readonly commit?: Commit;
  readonly result: T;
}

/**
 * Plans a commit against the newest head it knows and writes it; plans again when the store has moved on. A plan that
 * throws is believed only if its head was fresh. `onRefused` may still answer a call that the plan or an id in use
 * refused; otherwise the refusal is thrown. Throws SESSION_NOT_FOUND if there is no live session.
 */
export function commitLoop<T>(
  parts: SessionParts,
  key: SessionKey,
  plan: (head: SessionHead) => Plan<T> | Promise<Plan<T>>,
  onRefused?: () => Promise<T | undefined>,
): Promise<T> {
  return parts.locks.run(nameOf(key), async () => {
    await giveWay();
    let known = parts.heads.get(key);
    for (let attempt = 0; attempt < mostAttempts; attempt++, known = undefined) {
      const head = known ?? (await requireHead(parts, key));
      try {
        const planned = hasExpired(head, parts.clock.now()) ? notFound(key) : await plan(head);
        // That there is nothing to write is believed only of the newest head.
        if (planned.commit === undefined && known !== undefined) continue;
        const outcome = planned.commit ? await parts.store.commit(planned.commit) : 'committed';
        if (outcome === 'committed') {
          if (planned.commit) parts.heads.set(planned.commit.head);
          return planned.result;
        }
        if (outcome === 'idTaken') {
          const answer = await onRefused?.();
          if (answer !== undefined) return answer;
        }
        parts.heads.delete(key);
      } catch (error) {
        parts.heads.delete(key);
        if (known !== undefined) continue;
        const answer = await onRefused?.();
        if (answer !== undefined) return answer;
        throw error;
      }
    }
    throw refusedForEver(parts);
  });
}

/** The head as the store has it now. Throws SESSION_NOT_FOUND if there is none, or its time to live is over. */
export async function requireHead(parts: SessionParts, key: SessionKey): Promise<SessionHead> {
  await giveWay();
  const head = await parts.store.head(key);
  if (head === undefined || hasExpired(head, parts.clock.now())) return notFound(key);
  return head;
}

function notFound(key: SessionKey): never {
  throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: key.sessionId });
}

/** Makes attempts at a commit until one gives a result. Throws STORE_FAILED if the store goes on refusing. */
export async function untilCommitted<T>(parts: SessionParts, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let made = 0; made < mostAttempts; made++) {
    await giveWay();
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw refusedForEver(parts);
}

function refusedForEver(parts: SessionParts): PalimpsestError {
  return new PalimpsestError('STORE_FAILED', {
    file: parts.store.name,
    reason: 'it refused a commit under every head',
  });
}
