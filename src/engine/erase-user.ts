import type { EraseReceipt } from '../events/index.ts';
import { readAll } from './build-context.ts';
import type { IngestParts } from './ingest-log.ts';

/** Removes everything of a user: sessions with what was learnt from them, memories given directly, state, artifacts. */
export async function eraseUser(
  parts: IngestParts,
  user: { readonly appName: string; readonly userId: string },
): Promise<EraseReceipt> {
  const receipts: EraseReceipt[] = [];
  const sessions = await readAll((cursor) =>
    parts.sessions.list({ ...user, limit: 1000, ...(cursor ? { cursor } : {}) }),
  );
  for (const { key } of sessions) receipts.push(await parts.sessions.delete(key));
  const memories = await parts.memory.delete(user, { all: true });
  receipts.push(await parts.sessions.deleteUserData(user));
  const total = addReceipts(receipts);
  return Object.freeze({ ...total, memories: total.memories + memories });
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
    memories: sum(({ memories }) => memories),
    left: receipts.at(-1)?.left ?? [],
  };
}
