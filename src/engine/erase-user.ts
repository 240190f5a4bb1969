import { setImmediate as giveWay } from 'node:timers/promises';
import { isPalimpsestError } from '../errors/index.ts';
import type { EraseReceipt, Instant, SessionKey } from '../events/index.ts';
import type { IngestParts } from './ingest-log.ts';

/** What erasing a user takes. */
export interface EraseParts extends IngestParts {
  readonly now: () => Instant;
}

/** Removes everything of a user: sessions with what was learnt from them, memories given directly, state, artifacts. */
export async function eraseUser(
  parts: EraseParts,
  user: { readonly appName: string; readonly userId: string },
): Promise<EraseReceipt> {
  const receipts: EraseReceipt[] = [];
  // All at once costs a fraction of session by session; what is learnt meanwhile goes with its session, or at the end.
  const learnt = await parts.memory.delete(user, { all: true });
  for (;;) {
    // Expired sessions are listed no more but are there until they are swept.
    await parts.sessions.sweepExpired(parts.now());
    const { items } = await parts.sessions.list({ ...user, limit: 1000 });
    if (items.length === 0) break;
    for (const { key } of items) {
      receipts.push(...(await eraseIfThere(parts, key)));
      await giveWay();
    }
  }
  const memories = await parts.memory.delete(user, { all: true });
  receipts.push(await parts.sessions.deleteUserData(user));
  const total = addReceipts(receipts);
  return Object.freeze({ ...total, memories: learnt + total.memories + memories });
}

/** A session that somebody else has deleted meanwhile, or that has expired, stops nothing. */
async function eraseIfThere(parts: EraseParts, key: SessionKey): Promise<readonly EraseReceipt[]> {
  try {
    return [await parts.sessions.delete(key)];
  } catch (error) {
    if (isPalimpsestError(error, 'SESSION_NOT_FOUND')) return [];
    throw error;
  }
}

function addReceipts(receipts: readonly EraseReceipt[]): EraseReceipt {
  const sum = (count: (receipt: EraseReceipt) => number) =>
    receipts.reduce((total, receipt) => total + count(receipt), 0);
  return {
    at: receipts.at(-1)?.at ?? '',
    sessions: receipts.flatMap((receipt) => receipt.sessions),
    events: sum(({ events }) => events),
    stateKeys: sum(({ stateKeys }) => stateKeys),
    artifacts: sum(({ artifacts }) => artifacts),
    requestTexts: sum(({ requestTexts }) => requestTexts),
    memories: sum(({ memories }) => memories),
    left: receipts.at(-1)?.left ?? [],
  };
}
