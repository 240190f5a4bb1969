import { PalimpsestError } from '../errors/index.ts';
import {
  type EraseReceipt,
  intersectRanges,
  normalizeRanges,
  rangeAt,
  type SeqRange,
  type SessionKey,
  subtractRanges,
  toInstant,
} from '../events/index.ts';
import { requireHead, untilCommitted } from './commit-loop.ts';
import { artifactsToErase } from './erased-artifacts.ts';
import { LogRemains } from './log-remains.ts';
import { LogView } from './log-view.ts';
import { sourceOfLife } from './quoted-sources.ts';
import { countTexts, unnamedTexts } from './request-texts.ts';
import { infoOf } from './session-head.ts';
import type { SessionParts } from './session-parts.ts';
import type { ErasedVersion, Removed, SessionHead } from './session-store.ts';
import { refoldSessionState } from './state-plan.ts';

const forksPage = 100;
const all: readonly SeqRange[] = [[1, Number.MAX_SAFE_INTEGER]];
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
 * The same for a session whose time to live is over, as long as nobody has written to it since its head was read.
 * Otherwise `moved`, and all of it stays.
 */
export async function eraseExpired(parts: SessionParts, head: SessionHead): Promise<EraseReceipt | 'moved'> {
  // From here on it is expired by every clock: an append comes before all that is removed, or is refused.
  const condemned = { ...head, stamp: head.stamp + 1, expiresAt: 0 };
  const outcome = await parts.store.commit({ expectedStamp: head.stamp, head: condemned });
  parts.heads.delete(head.key);
  return outcome === 'committed' ? eraseLife(parts, head) : 'moved';
}

/** One life of a session, expired or not; `moved` if it is gone already. */
async function eraseLife(parts: SessionParts, head: SessionHead): Promise<EraseReceipt | 'moved'> {
  const { key, incarnation } = head;
  const receipt = newReceipt(parts);
  const texts = await countTexts(parts, key);
  receipt.memories += (await parts.beforeErase?.(infoOf(head), 'all')) ?? 0;
  await eraseCopies(parts, head, all, receipt);
  const removed = await parts.store.remove({ what: 'session', key, incarnation, quoting: [sourceOfLife(incarnation)] });
  parts.heads.delete(key);
  parts.bookkeeping.delete(key);
  if (removed === 'moved') return 'moved';
  addTo(receipt, removed, texts);
  // Forks that were made since they were listed; from now on there can be no more.
  await eraseCopies(parts, head, all, receipt);
  receipt.memories += (await parts.beforeErase?.(infoOf(head), 'all')) ?? 0;
  receipt.sessions.set(incarnation, { userId: key.userId, sessionId: key.sessionId, incarnation });
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
  /** By incarnation. */
  readonly sessions: Map<string, EraseReceipt['sessions'][number]>;
  events: number;
  stateKeys: number;
  artifacts: number;
  requestTexts: number;
  memories: number;
}

async function eraseCopies(
  parts: SessionParts,
  origin: SessionHead,
  ranges: readonly SeqRange[],
  receipt: Receipt,
): Promise<void> {
  for await (const fork of forksOf(parts, origin)) {
    const copied = intersectRanges(ranges, [[1, fork.forkedFrom?.atSeq ?? 0]]);
    const left = subtractRanges(copied, receipt.sessions.get(fork.incarnation)?.seqs ?? []);
    if (left.length > 0) await eraseEvents(parts, fork, left, receipt);
  }
}

async function* forksOf(parts: SessionParts, { incarnation }: SessionHead): AsyncGenerator<SessionHead> {
  for (let after = 0; ; ) {
    const page = await parts.store.list({ by: 'forkedFrom', incarnation, after, limit: forksPage });
    for (const { head } of page) yield head;
    const last = page.at(-1);
    if (last === undefined || page.length < forksPage) return;
    after = last.position[1];
  }
}

async function eraseEvents(
  parts: SessionParts,
  { key, incarnation }: SessionHead,
  copied: readonly SeqRange[],
  receipt: Receipt,
): Promise<void> {
  const remains = new LogRemains();
  await untilCommitted(parts, async () => {
    const head = await parts.store.head(key);
    if (head?.incarnation !== incarnation) return 'gone';
    const log = new LogView(parts.store, key);
    const ranges = normalizeRanges([...copied, ...(await summariesOf(log, copied))]);
    receipt.memories += (await parts.beforeErase?.(infoOf(head), ranges)) ?? 0;
    await eraseCopies(parts, head, ranges, receipt);
    await remains.read(log, head, ranges);
    const texts = await unnamedTexts(parts, key, remains.named);
    const removed = await removeEvents(parts, { head, ranges, log, remains, texts });
    if (removed === 'moved') return undefined;
    addTo(receipt, removed, texts.length);
    await eraseCopies(parts, head, ranges, receipt);
    receipt.memories += (await parts.beforeErase?.(infoOf(head), ranges)) ?? 0;
    const seqs = normalizeRanges([...(receipt.sessions.get(incarnation)?.seqs ?? []), ...ranges]);
    receipt.sessions.set(incarnation, { userId: key.userId, sessionId: key.sessionId, incarnation, seqs });
    return 'erased';
  });
}

/** Events to erase under a head, and what those left behind say. */
interface Erasure {
  readonly head: SessionHead;
  readonly ranges: readonly SeqRange[];
  readonly log: LogView;
  readonly remains: LogRemains;
  /** Those of requests that go with the events. */
  readonly texts: readonly ErasedVersion[];
}

async function removeEvents(
  parts: SessionParts,
  { head, ranges, log, remains: { facts, named }, texts }: Erasure,
): Promise<Removed | 'moved'> {
  const keepsNewest = rangeAt(ranges, head.version) === -1;
  const removed = await parts.store.remove({
    what: 'events',
    key: head.key,
    ranges,
    artifacts: [...(await artifactsToErase(head, log, named)), ...texts],
    quoting: [sourceOfLife(head.incarnation)],
    commit: {
      expectedStamp: head.stamp,
      head: {
        ...head,
        ...facts.ofHead,
        stamp: head.stamp + 1,
        erasures: (head.erasures ?? 0) + 1,
        ended: head.ended && keepsNewest,
        // The next event starts a run, whatever it joins.
        lastInvocationId: keepsNewest ? head.lastInvocationId : undefined,
        copiedArtifacts: (head.copiedArtifacts ?? []).filter((version) => named.has(version)),
      },
      states: await refoldSessionState(parts, head, log.without(ranges)),
      replaceSessionState: true,
    },
  });
  parts.heads.delete(head.key);
  parts.bookkeeping.delete(head.key);
  return removed;
}

/**
 * The summaries made of events that are to go. Bookkeeping between those is part of no summary, and what is gone already
 * has taken its summaries with it.
 */
async function summariesOf(log: LogView, ranges: readonly SeqRange[]): Promise<SeqRange[]> {
  const bookkeeping = await log.bookkeeping();
  const own = normalizeRanges(bookkeeping.map(({ seq }): SeqRange => [seq, seq]));
  const quoting: SeqRange[] = [];
  for (const { seq, actions } of bookkeeping) {
    const named = subtractRanges(intersectRanges(actions.compaction?.covers ?? [], ranges), own);
    if (named.length > 0 && (await log.hasAny(named))) quoting.push([seq, seq]);
  }
  return quoting;
}

function newReceipt(parts: SessionParts): Receipt {
  const counts = { events: 0, stateKeys: 0, artifacts: 0, requestTexts: 0, memories: 0 };
  return { at: toInstant(parts.clock.now()), sessions: new Map(), ...counts };
}

/** `texts`: how many of the artifacts were texts of requests. */
function addTo(receipt: Receipt, removed: Removed | 'moved', texts = 0): void {
  if (removed === 'moved') return;
  receipt.events += removed.events;
  receipt.stateKeys += removed.stateKeys;
  receipt.artifacts += Math.max(0, removed.artifacts - texts);
  receipt.requestTexts += Math.min(texts, removed.artifacts) + removed.quotes;
}

function freezeReceipt(receipt: Receipt): EraseReceipt {
  // The session itself is told before the forks that it reached.
  const sessions = [...receipt.sessions.values()].reverse();
  return Object.freeze({ ...receipt, sessions: Object.freeze(sessions), left: Object.freeze([ownWords]) });
}
