import { PalimpsestError } from '../errors/index.ts';
import {
  beginsInvocation,
  type Event,
  type EventActions,
  type EventDraft,
  isBookkeeping,
  isPassive,
  type Origin,
  originOf,
  type Placed,
  placeEvent,
  type SeqRange,
  subtractRanges,
  toInstant,
} from '../events/index.ts';
import { uuidV7 } from '../internal/index.ts';
import { checkCompaction, checkMarks, resolveRewind } from './check-bookkeeping.ts';
import type { Plan } from './commit-loop.ts';
import { countContent } from './content-tokens.ts';
import { movesOn } from './log-facts.ts';
import { LogView } from './log-view.ts';
import type { ReadyOptions } from './parse-options.ts';
import type { ReadyEvent } from './ready-event.ts';
import { textWrites } from './request-texts.ts';
import { planArtifactRewind } from './rewind-artifacts.ts';
import { checkLease } from './run-lease.ts';
import type { SessionParts } from './session-parts.ts';
import type { ArtifactWrite, SessionHead } from './session-store.ts';
import { planState } from './state-plan.ts';

/** What moves as events are placed one after the other. */
interface Cursor {
  version: number;
  contentVersion: number;
  invocationId: string | undefined;
  lastInvocationId: string | undefined;
  ended: boolean;
}

/** Plans an append under a head: places the events, checks what they say about the log, and works out the state. */
export async function planAppend(
  parts: SessionParts,
  head: SessionHead,
  ready: readonly ReadyEvent[],
  options: ReadyOptions,
): Promise<Plan<readonly Event[]>> {
  refuseMixedRewind(ready);
  const now = parts.clock.now();
  checkLease(head, options.lease, now);
  checkVersion(head, options.expectedVersion);
  const events: Event[] = [];
  const artifacts: ArtifactWrite[] = [...textWrites(head.key, options.texts ?? [])];
  const log = new LogView(parts.store, head.key, events);
  const cursor: Cursor = {
    version: head.version,
    contentVersion: head.contentVersion,
    invocationId: head.invocationId,
    lastInvocationId: head.lastInvocationId,
    ended: head.ended,
  };
  const placing: Placing = { parts, head, log, cursor, now, importedFrom: options.importedFrom };
  for (const item of ready) {
    const rewound = item.draft.actions.rewind ? await planRewind(placing, item.draft, artifacts) : undefined;
    const event = await place(placing, rewound?.draft ?? item.draft);
    artifacts.push(...item.artifacts, ...(rewound?.artifacts ?? []));
    events.push(event);
    if (event.actions.rewind) cursor.invocationId = await newestLiveInvocation(log, cursor.version);
  }
  return {
    commit: {
      expectedStamp: head.stamp,
      head: nextHead(head, cursor, now),
      events,
      previousInvocationId: head.lastInvocationId,
      ...(await planState(parts, head, events, log)),
      ...(artifacts.length === 0 ? {} : { artifacts }),
    },
    result: events,
  };
}

/** A shared rewind puts back what is stored, so nothing may be written to shared state beside it. */
function refuseMixedRewind(ready: readonly ReadyEvent[]): void {
  const shared = ready.find(({ draft }) => draft.actions.rewind?.shared)?.draft.actions.rewind;
  const writes = ready[0]?.draft.actions.stateDelta ?? ready[0]?.draft.actions.stateRemoved;
  if (shared === undefined || (ready.length === 1 && writes === undefined)) return;
  const { beforeInvocationId: invocationId } = shared;
  throw new PalimpsestError('INVALID_REWIND', {
    invocationId,
    reason: 'a shared rewind is appended alone and writes no state itself',
  });
}

interface Placing {
  readonly parts: SessionParts;
  readonly head: SessionHead;
  readonly log: LogView;
  readonly cursor: Cursor;
  readonly now: number;
  readonly importedFrom: string | undefined;
}

async function place(placing: Placing, given: EventDraft): Promise<Event> {
  const { parts, head, cursor, now, importedFrom } = placing;
  const origin = originOf(given);
  const seq = cursor.version + 1;
  const bookkeeping = isBookkeeping(given);
  const draft = bookkeeping ? { ...given, actions: await checkEffects(placing.log, seq, given.actions) } : given;
  const invocationId = await invocationOf(placing, draft, origin, bookkeeping);
  const placed: Placed = {
    seq,
    id: draft.id ?? uuidV7(now),
    invocationId,
    origin,
    recordedAt: toInstant(now),
    ...(importedFrom === undefined ? {} : { importedFrom }),
    ...(head.timeZone === undefined ? {} : { timeZone: head.timeZone }),
    ...(draft.content === undefined ? {} : { tokens: countContent(draft.content, parts.countTokens) }),
  };
  const event = placeEvent(draft, placed);
  cursor.version = seq;
  cursor.lastInvocationId = invocationId;
  if (!isPassive(event)) cursor.contentVersion = seq;
  cursor.ended = event.actions.sessionEnd === true;
  return event;
}

/** A new invocation for a question and for bookkeeping; anything else joins the newest one, unless the caller names one. */
async function invocationOf(
  placing: Placing,
  draft: EventDraft,
  origin: Origin,
  bookkeeping: boolean,
): Promise<string> {
  const { cursor, log, now } = placing;
  const named = draft.invocationId;
  if (bookkeeping) return named ?? uuidV7(now);
  const joined = beginsInvocation(origin, draft) ? undefined : cursor.invocationId;
  const invocationId = named ?? joined ?? uuidV7(now);
  if (invocationId === cursor.invocationId) return invocationId;
  const isMet = named !== undefined && (await log.firstOf(named)) !== undefined;
  if (movesOn({ ...draft, origin }, isMet)) cursor.invocationId = invocationId;
  return invocationId;
}

/** Checks what bookkeeping says about the log, and returns it with what the log adds. */
async function checkEffects(log: LogView, seq: number, actions: EventActions): Promise<EventActions> {
  const marks = actions.pin ?? actions.unpin ?? actions.trim;
  if (marks) await checkMarks(log, marks.seqs);
  if (actions.compaction === undefined) return actions;
  const outline = await checkCompaction(log, seq, actions.compaction);
  return Object.freeze({ ...actions, compaction: Object.freeze({ ...actions.compaction, outline }) });
}

async function planRewind(
  placing: Placing,
  draft: EventDraft,
  planned: readonly ArtifactWrite[],
): Promise<Pick<ReadyEvent, 'draft' | 'artifacts'>> {
  const { parts, head, log, cursor } = placing;
  if (draft.actions.rewind === undefined) return { draft, artifacts: [] };
  const rewind = await resolveRewind(log, draft.actions.rewind);
  const resolved = { ...draft.actions, rewind };
  const inPlace = { seq: cursor.version + 1, actions: resolved };
  const { artifacts, artifactDelta } = await planArtifactRewind(parts, head, log, inPlace, planned);
  const actions = Object.freeze({ ...resolved, ...(artifactDelta ? { artifactDelta } : {}) });
  return { draft: Object.freeze({ ...draft, actions }), artifacts };
}

async function newestLiveInvocation(log: LogView, version: number): Promise<string | undefined> {
  const { hidden } = await log.coverage();
  const live = subtractRanges([[1, version] satisfies SeqRange], hidden);
  const firsts = new Map<string, number | undefined>();
  for await (const event of log.events(live, true)) {
    const { invocationId } = event;
    if (!firsts.has(invocationId)) firsts.set(invocationId, (await log.firstOf(invocationId))?.seq);
    if (movesOn(event, firsts.get(invocationId) !== event.seq)) return invocationId;
  }
  return undefined;
}

function checkVersion(head: SessionHead, expected: number | 'any' | undefined): void {
  if (expected === undefined || expected === 'any') return;
  if (!Number.isSafeInteger(expected) || expected < 0) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'expectedVersion',
      reason: 'must be a version (0, 1, 2 …) or "any"',
    });
  }
  if (expected >= head.contentVersion && expected <= head.version) return;
  throw new PalimpsestError('APPEND_CONFLICT', { sessionId: head.key.sessionId, expected, actual: head.version });
}

function nextHead(head: SessionHead, cursor: Cursor, now: number): SessionHead {
  return {
    ...head,
    stamp: head.stamp + 1,
    version: cursor.version,
    contentVersion: cursor.contentVersion,
    updatedAt: now,
    ended: cursor.ended,
    invocationId: cursor.invocationId,
    lastInvocationId: cursor.lastInvocationId,
    expiresAt: head.ttlSeconds === undefined ? undefined : now + head.ttlSeconds * 1000,
  };
}
