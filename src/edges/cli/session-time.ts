import type { Instant } from '../../events/index.ts';
import type { SessionInfo } from '../../sessions/index.ts';

/** When a session took place: of an imported one when that conversation began, else when its newest event was appended. */
export function sessionTime({ metadata, updatedAt }: SessionInfo): Instant {
  const startedAt = metadata?.startedAt;
  return typeof startedAt === 'string' && !Number.isNaN(Date.parse(startedAt)) ? startedAt : updatedAt;
}

/** The sessions by that time, newest first. */
export function byTime(sessions: readonly SessionInfo[]): SessionInfo[] {
  return sessions
    .map((info) => ({ info, time: Date.parse(sessionTime(info)) }))
    .sort((a, b) => b.time - a.time)
    .map(({ info }) => info);
}
