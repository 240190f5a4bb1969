import type { Clock, CountTokens, EventInput, SessionKey } from '../events/index.ts';
import type { BookkeepingCache } from './bookkeeping-cache.ts';
import type { HeadCache } from './head-cache.ts';
import type { KeyLock } from './key-lock.ts';
import type { BeforeErase } from './session-service.ts';
import type { SessionStore } from './session-store.ts';
import type { StateMerges } from './state.ts';
import type { CostSum } from './usage-report.ts';

/** Sees every event before it is checked and stored, whatever path it came by, and returns what is stored instead. */
export type BeforeAppend = (input: EventInput, key: SessionKey) => EventInput | Promise<EventInput>;

/** What the operations on sessions share. */
export interface SessionParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly countTokens: CountTokens;
  readonly merges: StateMerges;
  readonly heads: HeadCache;
  readonly bookkeeping: BookkeepingCache;
  readonly locks: KeyLock;
  readonly beforeAppend?: BeforeAppend | undefined;
  readonly beforeErase?: BeforeErase | undefined;
  readonly sumCosts?: (() => CostSum) | undefined;
}
