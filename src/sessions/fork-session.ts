import { PalimpsestError } from '../errors/index.ts';
import {
  type Event,
  foldCoverage,
  isBookkeeping,
  isPassive,
  openObligations,
  parseId,
  type SessionKey,
} from '../events/index.ts';
import { uuidV4, uuidV7 } from '../internal/index.ts';
import { requireHead } from './commit-loop.ts';
import { freeId } from './create-session.ts';
import { eraseLife } from './erase-session.ts';
import { LogView } from './log-view.ts';
import { newHead } from './session-head.ts';
import type { SessionParts } from './session-parts.ts';
import type { ArtifactWrite, SessionHead } from './session-store.ts';
import { changesOf, foldSessionState } from './state.ts';
import { sessionWrites } from './state-plan.ts';

/** Where a fork leaves its session, and under which id it lives. */
export interface ForkOptions {
  readonly atSeq: number;
  readonly sessionId?: string;
}

/**
 * Makes a new session of the events up to a seq, ids and seqs kept. Its own state is folded from them; what they wrote
 * to `app:` and `user:` state is not written again. Throws FORK_REFUSED, SESSION_EXISTS or SESSION_NOT_FOUND.
 */
export async function forkSession(parts: SessionParts, key: SessionKey, options: ForkOptions): Promise<SessionHead> {
  const { atSeq } = options;
  const from = await requireHead(parts, key);
  if (!Number.isSafeInteger(atSeq) || atSeq < 0 || atSeq > from.version) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'atSeq',
      reason: `must be a seq from 0 to ${from.version}`,
    });
  }
  const sessionId =
    options.sessionId === undefined ? uuidV7(parts.clock.now()) : parseId(options.sessionId, 'sessionId');
  const events: Event[] = [];
  for await (const event of new LogView(parts.store, key).events([[1, atSeq]])) events.push(event);
  const coverage = foldCoverage(events.filter(isBookkeeping));
  const live = events.filter(({ seq }) => coverage.isLive(seq));
  refuseOpenCalls(key, live);
  const head = forkedHead(parts, from, { events, live, sessionId, atSeq });
  const commit = {
    expectedStamp: undefined,
    head,
    events,
    states: sessionWrites(
      head,
      foldSessionState(
        live.flatMap((event) => changesOf(event)),
        parts.merges,
      ),
    ),
    artifacts: await copyArtifacts(parts, from.key, head.key),
  };
  while ((await parts.store.commit(commit)) !== 'committed') await freeId(parts, head.key);
  await eraseIfSourceIsGone(parts, from, head);
  return head;
}

/** A deletion that ran meanwhile could not see this fork yet; what it deleted must not live on here. */
async function eraseIfSourceIsGone(parts: SessionParts, from: SessionHead, fork: SessionHead): Promise<void> {
  const source = await parts.store.head(from.key);
  if (source?.incarnation === from.incarnation) return;
  await eraseLife(parts, fork);
  throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: from.key.sessionId });
}

function refuseOpenCalls(key: SessionKey, live: readonly Event[]): void {
  const openCalls = openObligations(live);
  if (openCalls.length > 0) throw new PalimpsestError('FORK_REFUSED', { sessionId: key.sessionId, openCalls });
}

function forkedHead(
  parts: SessionParts,
  from: SessionHead,
  copied: {
    readonly events: readonly Event[];
    readonly live: readonly Event[];
    readonly sessionId: string;
    readonly atSeq: number;
  },
): SessionHead {
  const { events, live, sessionId, atSeq } = copied;
  const invocationId = live.findLast((event) => !isBookkeeping(event) && event.content !== undefined)?.invocationId;
  const last = events.at(-1);
  return {
    ...newHead({
      key: Object.freeze({ ...from.key, sessionId }),
      incarnation: uuidV4(),
      now: parts.clock.now(),
      projectId: from.projectId,
      ttlSeconds: from.ttlSeconds,
      timeZone: from.timeZone,
      metadata: from.metadata,
      forkedFrom: Object.freeze({ sessionId: from.key.sessionId, incarnation: from.incarnation, atSeq }),
    }),
    version: atSeq,
    contentVersion: events.findLast((event) => !isPassive(event))?.seq ?? 0,
    ended: last?.actions.sessionEnd === true,
    invocationId,
    lastInvocationId: last?.invocationId,
  };
}

async function copyArtifacts(parts: SessionParts, from: SessionKey, to: SessionKey): Promise<ArtifactWrite[]> {
  const copies: ArtifactWrite[] = [];
  for (const { name, version } of await parts.store.artifacts({ scope: from })) {
    const [saved] = await parts.store.artifacts({ scope: from, name, version, bytes: true });
    if (saved?.bytes) copies.push({ scope: to, name, version, mimeType: saved.mimeType, bytes: saved.bytes });
  }
  return copies;
}
