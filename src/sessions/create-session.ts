import { PalimpsestError } from '../errors/index.ts';
import {
  copyJsonMap,
  type JsonMap,
  parseId,
  parseSessionKey,
  parseTimeZone,
  type SessionKey,
} from '../events/index.ts';
import { uuidV4, uuidV7 } from '../internal/index.ts';
import { untilCommitted } from './commit-loop.ts';
import { eraseExpired } from './erase-session.ts';
import { parseSeconds } from './parse-options.ts';
import { planAppend } from './plan-append.ts';
import { type ReadyEvent, readyEvent } from './ready-event.ts';
import { hasExpired, newHead } from './session-head.ts';
import type { SessionParts } from './session-parts.ts';
import type { CreateSession } from './session-service.ts';
import type { Commit, SessionHead } from './session-store.ts';

/** The most JSON that the metadata of a session may take, in bytes. */
export const maxMetadataBytes = 16 * 1024;

/** Makes a session; state given with it becomes event 1. Throws SESSION_EXISTS if the id is in use. */
export async function createSession(parts: SessionParts, input: CreateSession): Promise<SessionHead> {
  const now = parts.clock.now();
  const key = parseSessionKey({ ...input, sessionId: input.sessionId ?? uuidV7(now) });
  const head = newHead({ ...parseFacts(input, now), key, incarnation: uuidV4(), now });
  const initial = await initialEvent(parts, input.state, key);
  return untilCommitted(parts, async () => {
    const commit = { ...(await planCreation(parts, head, initial)), expectedStamp: undefined };
    if ((await parts.store.commit(commit)) === 'committed') return commit.head;
    // With no session in the way, shared state moved while the first event was planned: it is planned again.
    return freeId(parts, key);
  });
}

/** Removes a session whose time to live is over from under its id. Throws SESSION_EXISTS for one that lives. */
export async function freeId(parts: SessionParts, key: SessionKey): Promise<undefined> {
  const standing = await parts.store.head(key);
  if (standing === undefined) return undefined;
  if (!hasExpired(standing, parts.clock.now())) {
    throw new PalimpsestError('SESSION_EXISTS', { sessionId: key.sessionId });
  }
  await eraseExpired(parts, standing);
  return undefined;
}

async function planCreation(
  parts: SessionParts,
  head: SessionHead,
  initial: ReadyEvent | undefined,
): Promise<Omit<Commit, 'expectedStamp'>> {
  const planned = initial && (await planAppend(parts, head, [initial], {})).commit;
  return planned ?? { head };
}

async function initialEvent(
  parts: SessionParts,
  state: CreateSession['state'],
  key: SessionKey,
): Promise<ReadyEvent | undefined> {
  if (state === undefined) return undefined;
  const stateDelta = copyMap(state, 'state');
  const ready = await readyEvent(parts, { author: 'system', actions: { stateDelta } }, 'state', key);
  return ready.draft.actions.stateDelta === undefined ? undefined : ready;
}

function parseFacts(
  input: CreateSession,
  now: number,
): Omit<Parameters<typeof newHead>[0], 'key' | 'incarnation' | 'now'> {
  const { ttlSeconds } = input;
  if (ttlSeconds !== undefined) parseSeconds(ttlSeconds, 'ttlSeconds', now);
  return {
    projectId: input.projectId === undefined ? undefined : parseId(input.projectId, 'projectId'),
    ttlSeconds,
    timeZone: input.timeZone === undefined ? undefined : parseTimeZone(input.timeZone, 'timeZone'),
    ...(input.metadata === undefined ? {} : { metadata: copyMetadata(input.metadata) }),
  };
}

/** It is rewritten with the head at every append, so it is kept small. */
function copyMetadata(value: Readonly<Record<string, unknown>>): JsonMap {
  const metadata = copyMap(value, 'metadata');
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= maxMetadataBytes) return metadata;
  const reason = `takes ${bytes} bytes of JSON, the limit is ${maxMetadataBytes}`;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'metadata', reason });
}

function copyMap(value: Readonly<Record<string, unknown>>, path: string): JsonMap {
  return copyJsonMap(value, path, { replacedSurrogates: 0, size: 0 });
}
