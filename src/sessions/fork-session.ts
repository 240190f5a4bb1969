import { PalimpsestError } from '../errors/index.ts';
import { type Event, foldCoverage, isBookkeeping, openObligations, parseId, type SessionKey } from '../events/index.ts';
import { uuidV4, uuidV7 } from '../internal/index.ts';
import { requireHead, untilCommitted } from './commit-loop.ts';
import { freeId } from './create-session.ts';
import { LogFacts } from './log-facts.ts';
import { LogView } from './log-view.ts';
import { NamedArtifacts } from './named-artifacts.ts';
import { isTextName } from './request-texts.ts';
import { newHead } from './session-head.ts';
import type { SessionParts } from './session-parts.ts';
import type { ArtifactWrite, Commit, SessionHead } from './session-store.ts';
import { changesOf, foldSessionState } from './state.ts';
import { sessionWrites } from './state-plan.ts';

/** Where a fork leaves its session, and under which id it lives. */
export interface ForkOptions {
  readonly atSeq: number;
  readonly sessionId?: string;
}

/**
 * Makes a new session of the events up to a seq, ids and seqs kept, with the artifacts that they name. Its own state is
 * folded from them; what they wrote to `app:` and `user:` state is not written again. Throws FORK_REFUSED,
 * SESSION_EXISTS or SESSION_NOT_FOUND.
 */
export async function forkSession(parts: SessionParts, key: SessionKey, options: ForkOptions): Promise<SessionHead> {
  const { atSeq } = options;
  const sessionId =
    options.sessionId === undefined ? uuidV7(parts.clock.now()) : parseId(options.sessionId, 'sessionId');
  return untilCommitted(parts, async () => {
    const commit = await planFork(parts, await requireHead(parts, key), { atSeq, sessionId });
    if ((await parts.store.commit(commit)) === 'committed') {
      await dropErasedTexts(parts, key, commit);
      return commit.head;
    }
    // With no session in the way, the source has lost events since they were read: it is read again.
    return freeId(parts, commit.head.key);
  });
}

async function planFork(parts: SessionParts, from: SessionHead, options: Required<ForkOptions>): Promise<Commit> {
  const { atSeq, sessionId } = options;
  if (!Number.isSafeInteger(atSeq) || atSeq < 0 || atSeq > from.version) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'atSeq',
      reason: `must be a seq from 0 to ${from.version}`,
    });
  }
  const key = Object.freeze({ ...from.key, sessionId });
  const events: Event[] = [];
  for await (const event of new LogView(parts.store, from.key).events([[1, atSeq]])) events.push(event);
  const coverage = foldCoverage(events.filter(isBookkeeping));
  const live = events.filter(({ seq }) => coverage.isLive(seq));
  refuseOpenCalls(from.key, live);
  const artifacts = await copyArtifacts(parts, { from: from.key, to: key }, events);
  const head = forkedHead(parts, from, { key, atSeq, events, live: new Set(live), artifacts });
  const state = foldSessionState(
    live.flatMap((event) => changesOf(event)),
    parts.merges,
  );
  return { expectedStamp: undefined, head, events, states: sessionWrites(head, state), artifacts, restsOn: from };
}

function refuseOpenCalls(key: SessionKey, live: readonly Event[]): void {
  const openCalls = openObligations(live);
  if (openCalls.length > 0) throw new PalimpsestError('FORK_REFUSED', { sessionId: key.sessionId, openCalls });
}

function forkedHead(
  parts: SessionParts,
  from: SessionHead,
  copied: {
    readonly key: SessionKey;
    readonly atSeq: number;
    readonly events: readonly Event[];
    readonly live: ReadonlySet<Event>;
    readonly artifacts: readonly ArtifactWrite[];
  },
): SessionHead {
  const { key, atSeq, events, live } = copied;
  // Texts follow the journals that name them, of which the session may get more.
  const artifacts = copied.artifacts.filter(({ name }) => !isTextName(name));
  const last = events.at(-1);
  const facts = new LogFacts();
  for (const event of events) facts.add(event, live.has(event));
  return {
    ...newHead({
      key,
      incarnation: uuidV4(),
      now: parts.clock.now(),
      projectId: from.projectId,
      ttlSeconds: from.ttlSeconds,
      timeZone: from.timeZone,
      metadata: from.metadata,
      forkedFrom: Object.freeze({ sessionId: from.key.sessionId, incarnation: from.incarnation, atSeq }),
    }),
    ...facts.ofHead,
    version: atSeq,
    lastInvocationId: last?.invocationId,
    // An event that was erased may have reopened it.
    ended: last?.seq === atSeq && last.actions.sessionEnd === true,
    ...(artifacts.length === 0
      ? {}
      : { copiedArtifacts: artifacts.map(({ name, version }) => [name, version] as const) }),
  };
}

async function copyArtifacts(
  parts: SessionParts,
  keys: { readonly from: SessionKey; readonly to: SessionKey },
  events: readonly Event[],
): Promise<ArtifactWrite[]> {
  const named = new NamedArtifacts();
  for (const event of events) named.add(event);
  const copies: ArtifactWrite[] = [];
  for (const { name, version, mimeType } of await parts.store.artifacts({ scope: keys.from })) {
    if (!named.has([name, version])) continue;
    const wanted = { scope: keys.from, name, version, bytes: true, sources: true };
    const [{ bytes, sources = [] } = {}] = await parts.store.artifacts(wanted);
    const quoting = sources.length === 0 ? {} : { sources };
    if (bytes) copies.push({ scope: keys.to, name, version, mimeType, bytes, ...quoting });
  }
  return copies;
}

/** What was erased for what it quotes while it was being copied is not to live on in the copy. */
async function dropErasedTexts(parts: SessionParts, from: SessionKey, { head, artifacts = [] }: Commit): Promise<void> {
  const quoting = artifacts.filter(({ sources }) => sources !== undefined);
  if (quoting.length === 0) return;
  const left = new Set((await parts.store.artifacts({ scope: from })).map(({ name }) => name));
  for (const { name } of quoting) {
    if (!left.has(name)) await parts.store.remove({ what: 'artifacts', scope: head.key, name });
  }
}
