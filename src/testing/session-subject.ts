import type { CreateSession, SessionKey, SessionService } from '../index.ts';
import type { LawSubject } from './conformance.ts';
import type { ManualClock } from './manual-clock.ts';
import type { ManualHooks } from './manual-hooks.ts';

/** What a session service may lack, if it says so. */
export type SessionCapability = 'artifacts';

/** Two handles on the same sessions, as two processes would have them, and the clock and the hooks that both have. */
export interface SessionSubject extends LawSubject {
  readonly first: SessionService;
  readonly second: SessionService;
  readonly clock: ManualClock;
  /** Both services were opened with these as `beforeAppend` and `beforeErase`. */
  readonly hooks: ManualHooks;
  readonly capabilities: ReadonlySet<SessionCapability>;
  /** The app that the checks work in. Default `laws`. */
  readonly appName?: string;
}

/** The merges that the services of a subject must be opened with. */
export const sessionLawMerges = {
  notes: 'append',
  tags: 'union',
  peak: 'max',
  'app:notes': 'append',
  'app:peak': 'max',
  'user:tags': 'union',
} as const;

/** The key of a session that a check works with. */
export function keyIn(subject: SessionSubject, sessionId = 's1', userId = 'u1'): SessionKey {
  return { appName: subject.appName ?? 'laws', userId, sessionId };
}

/** Makes a session through the first handle and returns its key. */
export async function begin(
  subject: SessionSubject,
  input: Partial<Omit<CreateSession, 'appName'>> = {},
): Promise<SessionKey> {
  const key = keyIn(subject, input.sessionId, input.userId);
  await subject.first.create({ ...input, ...key });
  return key;
}
