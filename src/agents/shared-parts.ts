import type { CountTokens, Event, EventInput, SessionKey } from '../events/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import { inChild, type Logger, type Span } from '../models/index.ts';
import type { RequestText, Session, SessionService } from '../sessions/index.ts';
import type { HeldLease } from './held-lease.ts';
import type { LogCache } from './log-cache.ts';
import type { SentInput } from './next-request.ts';
import type { RecentMap } from './recent-map.ts';
import type { RequestCaching } from './request-caching.ts';
import type { RunCompaction } from './run-compaction.ts';
import type { SessionLog } from './session-log.ts';

/** What the invocations of one driver share. */
export interface SharedParts {
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly countTokens: CountTokens;
  readonly logger: Logger;
  readonly logs: LogCache;
  /** What was recalled for an invocation, so that it stays the same from step to step. */
  readonly recalls: RecentMap<readonly MemoryEntry[]>;
  /** None: providers are told nothing about caching. */
  readonly caching?: RequestCaching;
  /** None: logs are not folded. */
  readonly compaction?: RunCompaction;
  /** What the last request of an agent in a session was made of, besides the log. */
  readonly sent: RecentMap<SentInput>;
  /** How many tokens requests of an agent in a session may have, by a guess, since their provider has refused more. */
  readonly refused: RecentMap<number>;
  readonly afterRun?: (key: SessionKey) => void;
}

/** A session that is held, and what is at hand of it. */
export interface HeldSession {
  readonly held: HeldLease;
  readonly log: SessionLog;
  readonly span: Span;
}

/** What an invocation is once it has begun. */
export interface BegunInvocation extends HeldSession {
  readonly session: Session;
  readonly invocationId: string;
  readonly agentName: string;
  readonly begun: readonly Event[];
  /** Says that the invocation is over. */
  readonly leave: () => void;
}

/** Appends under a held lease and takes what was stored into the log at hand. */
export async function appendHeld(
  { sessions, logs }: Pick<SharedParts, 'sessions' | 'logs'>,
  { held, log, span }: HeldSession,
  events: readonly EventInput[],
  texts: readonly RequestText[] = [],
): Promise<readonly Event[]> {
  if (events.length === 0) return [];
  const { key } = log;
  const attributes = { ...attributesOf(key), 'palimpsest.events.count': events.length };
  return inChild(span, 'palimpsest.append', attributes, async () => {
    try {
      const stored = await sessions.append(key, events, {
        lease: held.lease,
        ...(texts.length === 0 ? {} : { texts }),
      });
      log.add(stored.events);
      logs.keep(log);
      return stored.events;
    } catch (error) {
      held.noteLoss(error);
      throw error;
    }
  });
}

/** What every span of a session says. */
export function attributesOf({ sessionId }: SessionKey): { readonly 'gen_ai.conversation.id': string } {
  return { 'gen_ai.conversation.id': sessionId };
}
