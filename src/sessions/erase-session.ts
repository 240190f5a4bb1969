import { PalimpsestError } from '../errors/index.ts';
import {
  type EraseReceipt,
  type Event,
  intersectRanges,
  normalizeRanges,
  type SeqRange,
  type SessionKey,
  toInstant,
} from '../events/index.ts';
import { requireHead } from './commit-loop.ts';
import { LogView } from './log-view.ts';
import { infoOf } from './session-head.ts';
import type { SessionParts } from './session-parts.ts';
import type { Removed, SessionHead } from './session-store.ts';
import { refoldSessionState } from './state-plan.ts';

const mostForks = 10_000;
const ownWords = 'what users or agents repeated in their own words in other sessions';

/**
 * Removes a session for good, and in its forks the events copied from it with the summaries that name them. Forks come
 * first, so that a deletion that was cut short can be made again. Throws SESSION_NOT_FOUND.
 */
export async function eraseSession(parts: SessionParts, key: SessionKey): Promise<EraseReceipt> {
  const receipt = await eraseLife(parts, await requireHead(parts, key));
  // Another deletion was faster; what stands under the id now is another life.
  if (receipt === 'moved') throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: key.sessionId });
  return receipt;
}

/**
 * The same for one life of a session, expired or not; `moved` if it is gone already. With `onlyIfUntouched` a session
 * that was appended to since its head was read stays too.
 */
export async function eraseLife(
  parts: SessionParts,
  head: SessionHead,
  { onlyIfUntouched = false } = {},
): Promise<EraseReceipt | 'moved'> {
  const { key, incarnation, stamp } = head;
  const receipt = newReceipt(parts);
  const all: SeqRange[] = [[1, Math.max(1, head.version)]];
  receipt.memories += (await parts.beforeErase?.(infoOf(head), 'all')) ?? 0;
  await eraseCopies(parts, head, all, receipt);
  const untouched = onlyIfUntouched ? { expectedStamp: stamp } : {};
  const removed = await parts.store.remove({ what: 'session', key, incarnation, ...untouched });
  parts.heads.delete(key);
  if (removed === 'moved') return 'moved';
  addTo(receipt, removed);
  receipt.memories += (await parts.beforeErase?.(infoOf(head), 'all')) ?? 0;
  receipt.sessions.unshift({ userId: key.userId, sessionId: key.sessionId, incarnation });
  return freezeReceipt(receipt);
}

/** Removes the `user:` state and the user's artifacts, which belong to no session. */
export async function eraseUserData(
  parts: SessionParts,
  scope: { readonly appName: string; readonly userId: string },
): Promise<EraseReceipt> {
  const receipt = newReceipt(parts);
  addTo(receipt, await parts.store.remove({ what: 'states', scope: { kind: 'user', ...scope } }));
  addTo(receipt, await parts.store.remove({ what: 'artifacts', scope }));
  return freezeReceipt(receipt);
}

interface Receipt {
  readonly at: string;
  readonly sessions: EraseReceipt['sessions'][number][];
  events: number;
  stateKeys: number;
  artifacts: number;
  memories: number;
}

async function eraseCopies(
  parts: SessionParts,
  origin: SessionHead,
  ranges: readonly SeqRange[],
  receipt: Receipt,
): Promise<void> {
  const forks = await parts.store.list({ by: 'forkedFrom', incarnation: origin.incarnation, limit: mostForks });
  for (const { head } of forks) {
    const copied = intersectRanges(ranges, [[1, head.forkedFrom?.atSeq ?? 0]]);
    if (copied.length > 0) await eraseEvents(parts, head, copied, receipt);
  }
}

async function eraseEvents(
  parts: SessionParts,
  known: SessionHead,
  copied: readonly SeqRange[],
  receipt: Receipt,
): Promise<void> {
  for (let head: SessionHead | undefined = known; head !== undefined; head = await parts.store.head(known.key)) {
    if (head.incarnation !== known.incarnation) return;
    const log = new LogView(parts.store, head.key);
    const ranges = normalizeRanges([...copied, ...summariesOf(await log.bookkeeping(), copied)]);
    receipt.memories += (await parts.beforeErase?.(infoOf(head), ranges)) ?? 0;
    await eraseCopies(parts, head, ranges, receipt);
    const removed = await removeEvents(parts, head, ranges, log);
    if (removed === 'moved') continue;
    addTo(receipt, removed);
    receipt.memories += (await parts.beforeErase?.(infoOf(head), ranges)) ?? 0;
    receipt.artifacts += await removeOrphanedArtifacts(parts, head.key);
    receipt.sessions.push({
      userId: head.key.userId,
      sessionId: head.key.sessionId,
      incarnation: head.incarnation,
      seqs: ranges,
    });
    return;
  }
}

async function removeEvents(
  parts: SessionParts,
  head: SessionHead,
  ranges: readonly SeqRange[],
  log: LogView,
): Promise<Removed | 'moved'> {
  const remaining = log.without(ranges);
  const removed = await parts.store.remove({
    what: 'events',
    key: head.key,
    ranges,
    commit: {
      expectedStamp: head.stamp,
      head: { ...head, stamp: head.stamp + 1 },
      states: await refoldSessionState(parts, head, remaining),
      replaceSessionState: true,
    },
  });
  parts.heads.delete(head.key);
  return removed;
}

function summariesOf(bookkeeping: readonly Event[], ranges: readonly SeqRange[]): SeqRange[] {
  const quoting = bookkeeping.filter(
    ({ actions }) => actions.compaction && intersectRanges(actions.compaction.covers, ranges).length > 0,
  );
  return quoting.map(({ seq }): SeqRange => [seq, seq]);
}

/** A fork's artifacts came with the copied events; those that no event left behind names go with them. */
async function removeOrphanedArtifacts(parts: SessionParts, key: SessionKey): Promise<number> {
  const named = new Set<string>();
  for await (const event of new LogView(parts.store, key).events([[1, Number.MAX_SAFE_INTEGER]])) {
    for (const name of Object.keys(event.actions.artifactDelta ?? {})) named.add(name);
    for (const { fileData } of event.content?.parts ?? [])
      if (fileData) named.add(fileData.fileUri.replace(/^artifact:/, ''));
  }
  let removed = 0;
  for (const name of new Set((await parts.store.artifacts({ scope: key })).map((info) => info.name))) {
    if (named.has(name)) continue;
    const result = await parts.store.remove({ what: 'artifacts', scope: key, name });
    if (result !== 'moved') removed += result.artifacts;
  }
  return removed;
}

function newReceipt(parts: SessionParts): Receipt {
  return { at: toInstant(parts.clock.now()), sessions: [], events: 0, stateKeys: 0, artifacts: 0, memories: 0 };
}

function addTo(receipt: Receipt, removed: Removed | 'moved'): void {
  if (removed === 'moved') return;
  receipt.events += removed.events;
  receipt.stateKeys += removed.stateKeys;
  receipt.artifacts += removed.artifacts;
}

function freezeReceipt(receipt: Receipt): EraseReceipt {
  return Object.freeze({
    ...receipt,
    sessions: Object.freeze(receipt.sessions),
    left: Object.freeze([ownWords]),
  });
}
