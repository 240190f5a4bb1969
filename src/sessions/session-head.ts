import { type SessionKey, toInstant } from '../events/index.ts';
import type { SessionInfo } from './session-service.ts';
import type { SessionHead } from './session-store.ts';

/** What is told about a session, from its head. */
export function infoOf(head: SessionHead): SessionInfo {
  const {
    key,
    incarnation,
    version,
    ended,
    invocationId,
    erasures,
    projectId,
    timeZone,
    ttlSeconds,
    expiresAt,
    metadata,
    forkedFrom,
    ingestedSeq,
  } = head;
  return Object.freeze({
    key,
    incarnation,
    version,
    createdAt: toInstant(head.createdAt),
    updatedAt: toInstant(head.updatedAt),
    ended,
    ingestedSeq,
    ...(invocationId === undefined ? {} : { invocationId }),
    ...(erasures === undefined ? {} : { erasures }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    ...(expiresAt === undefined ? {} : { expiresAt: toInstant(expiresAt) }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
  });
}

/** The head of a session that has no events yet. */
export function newHead(facts: {
  readonly key: SessionKey;
  readonly incarnation: string;
  readonly now: number;
  readonly projectId?: string | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly timeZone?: string | undefined;
  readonly metadata?: SessionHead['metadata'];
  readonly forkedFrom?: SessionHead['forkedFrom'];
}): SessionHead {
  const { key, incarnation, now, projectId, ttlSeconds, timeZone, metadata, forkedFrom } = facts;
  return {
    key,
    incarnation,
    stamp: 1,
    version: 0,
    contentVersion: 0,
    createdAt: now,
    updatedAt: now,
    ended: false,
    invocationId: undefined,
    lastInvocationId: undefined,
    expiresAt: ttlSeconds === undefined ? undefined : now + ttlSeconds * 1000,
    leaseToken: 0,
    ingestedSeq: forkedFrom?.atSeq ?? 0,
    ...(projectId === undefined ? {} : { projectId }),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
  };
}

/** True if the session's time to live is over. */
export function hasExpired(head: SessionHead, now: number): boolean {
  return head.expiresAt !== undefined && head.expiresAt <= now;
}
