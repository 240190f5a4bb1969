import { setTimeout as sleep } from 'node:timers/promises';
import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { parseId, parseSessionKey, type SessionKey, toInstant } from '../events/index.ts';
import { commitLoop } from './commit-loop.ts';
import { parseSeconds } from './parse-options.ts';
import type { SessionParts } from './session-parts.ts';
import type { Lease, LeaseOptions } from './session-service.ts';
import type { HeadLease, SessionHead } from './session-store.ts';

/** How long a lease lasts unless renewed, in seconds. */
export const defaultLeaseSeconds = 30;

const firstPauseMs = 10;
const longestPauseMs = 250;

/** Takes the run lease of a session, waiting for another holder if asked to. Throws SESSION_BUSY. */
export async function acquireLease(
  parts: SessionParts,
  key: SessionKey,
  owner: string,
  options: LeaseOptions = {},
): Promise<Lease> {
  const { seconds = defaultLeaseSeconds, waitMs = 0, signal } = options;
  parseId(owner, 'owner');
  parseSeconds(seconds, 'seconds', parts.clock.now());
  if (!(waitMs >= 0 && Number.isFinite(waitMs))) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'waitMs',
      reason: 'must be a number of milliseconds, 0 or more',
    });
  }
  const until = Date.now() + waitMs;
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
    try {
      return await takeLease(parts, parseSessionKey(key), owner, seconds);
    } catch (error) {
      if (!isPalimpsestError(error, 'SESSION_BUSY') || Date.now() >= until) throw error;
    }
    await pauseFor(Math.min(pause, Math.max(1, until - Date.now())), signal);
  }
}

/** Prolongs a lease. Throws LEASE_LOST if another run has taken over or the session has begun another life. */
export async function renewLease(parts: SessionParts, lease: Lease, seconds = defaultLeaseSeconds): Promise<Lease> {
  parseSeconds(seconds, 'seconds', parts.clock.now());
  return commitLoop(parts, lease.key, (head) => {
    const held = requireHeld(head, lease);
    const renewed = { ...held, expiresAt: parts.clock.now() + seconds * 1000 };
    return { commit: { expectedStamp: head.stamp, head: withLease(head, renewed) }, result: publish(head, renewed) };
  });
}

/** Gives a lease back; one that is not held any more is left alone. */
export async function releaseLease(parts: SessionParts, lease: Lease): Promise<void> {
  try {
    await commitLoop(parts, lease.key, (head) => {
      requireHeld(head, lease);
      return { commit: { expectedStamp: head.stamp, head: withLease(head, undefined) }, result: undefined };
    });
  } catch (error) {
    if (!isPalimpsestError(error, 'LEASE_LOST') && !isPalimpsestError(error, 'SESSION_NOT_FOUND')) throw error;
  }
}

/** Throws LEASE_LOST if a writer names a lease that it does not hold at this moment. No lease: nothing is asked. */
export function checkLease(head: SessionHead, lease: Lease | undefined, now: number): void {
  if (lease === undefined) return;
  if (requireHeld(head, lease).expiresAt <= now) throw lost(lease);
}

function takeLease(parts: SessionParts, key: SessionKey, owner: string, seconds: number): Promise<Lease> {
  return commitLoop(parts, key, (head) => {
    const now = parts.clock.now();
    if (head.lease && head.lease.expiresAt > now) {
      throw new PalimpsestError('SESSION_BUSY', { sessionId: key.sessionId, freeAt: toInstant(head.lease.expiresAt) });
    }
    const taken: HeadLease = { owner, token: head.leaseToken + 1, expiresAt: now + seconds * 1000 };
    return { commit: { expectedStamp: head.stamp, head: withLease(head, taken) }, result: publish(head, taken) };
  });
}

function requireHeld(head: SessionHead, lease: Lease): HeadLease {
  const held = head.lease;
  if (held === undefined || held.token !== lease.token || head.incarnation !== lease.incarnation) throw lost(lease);
  return held;
}

function withLease(head: SessionHead, lease: HeadLease | undefined): SessionHead {
  const { lease: _before, ...rest } = head;
  const stamp = head.stamp + 1;
  return lease === undefined ? { ...rest, stamp } : { ...rest, stamp, lease, leaseToken: lease.token };
}

function publish(head: SessionHead, lease: HeadLease): Lease {
  const { owner, token } = lease;
  return Object.freeze({
    key: head.key,
    incarnation: head.incarnation,
    owner,
    token,
    expiresAt: toInstant(lease.expiresAt),
  });
}

function lost(lease: Lease): PalimpsestError {
  return new PalimpsestError('LEASE_LOST', { sessionId: lease.key.sessionId });
}

async function pauseFor(millis: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(millis, undefined, signal ? { signal } : {});
  } catch (cause) {
    throw new PalimpsestError('ABORTED', { what: 'Waiting for the session' }, { cause });
  }
}
