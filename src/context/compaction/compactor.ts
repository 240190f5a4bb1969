import type { PalimpsestError } from '../../errors/index.ts';
import type { Clock, Event, EventInput, Page, SessionKey, View } from '../../events/index.ts';
import type { LanguageModel, Logger, ModelCall, Telemetry } from '../../models/index.ts';
import type { SummaryRefusal } from './check-summary.ts';
import type { ExpandOptions } from './expand-summary.ts';
import type { Retain } from './find-cut.ts';
import type { FoldPrices } from './fold-costs.ts';
import type { FoldWindow } from './fold-window.ts';
import type { NoFold } from './plan-fold.ts';
import type { Trigger } from './triggers.ts';

/** The log, as far as compaction reads and writes it. A session service is one. */
export interface CompactionLog {
  readLive(key: SessionKey, view: View): Promise<FoldWindow>;
  read(
    key: SessionKey,
    options: {
      readonly fromSeq?: number;
      readonly toSeq?: number;
      readonly limit?: number;
      readonly newestFirst?: boolean;
      readonly cursor?: string;
    },
  ): Promise<Page<Event>>;
  append(key: SessionKey, events: readonly EventInput[]): Promise<{ readonly events: readonly Event[] }>;
}

/** The request that an agent would send next, for a summary that shares its warm prefix. */
export interface AgentRequest extends Pick<ModelCall, 'request' | 'settings' | 'cache'> {
  readonly model: LanguageModel;
}

/** How long one summary is waited for, in milliseconds. */
export interface SummaryWait {
  /** While a request of the agent waits for it. Default 20,000. */
  readonly beforeRequest?: number;
  /** After the reply, and where it was asked for. Default 120,000. */
  readonly background?: number;
}

/** How long results of old tool calls are shown cut: `[cut: …]`, and read whole by `expand_history`. */
export interface TrimSettings {
  /** Code points that are still shown of each. Default 200. */
  readonly keepChars?: number;
  /** What stays whole. Default the last two invocations. */
  readonly retain?: Retain;
  /** A result is cut only if that spares so many tokens. Default 200. */
  readonly leastTokens?: number;
}

/** What a compactor works with. */
export interface CompactorOptions {
  readonly log: CompactionLog;
  /**
   * Writes summaries; called once for each, so that whoever wants failed calls repeated gives one withRetries(). Where
   * `requestOf` is given too, the agent's own model is asked with its own request instead, the instruction appended,
   * whenever that is cheaper: the prefix is in the provider's cache.
   */
  readonly model: LanguageModel;
  readonly requestOf?: (key: SessionKey, agentName: string) => Promise<AgentRequest | undefined>;
  /** Default `[rentOrBuy()]`. */
  readonly triggers?: readonly Trigger[];
  /**
   * What reading and writing a cache costs, and a summary by `model`, for rent-or-buy. Default: what is known of `model`,
   * as if it were the agent's too.
   */
  readonly prices?: FoldPrices;
  /** Tokens that the agent's model takes at most. Default 128,000. */
  readonly contextWindow?: number;
  /** The most tokens that summaries in force hold together. Default 8,000. */
  readonly summaryRegion?: number;
  /** Default: results are never cut. They are where the prefix changes anyway, else when it pays. */
  readonly trim?: TrimSettings;
  /**
   * `afterReply`: requests wait for nothing below the ceiling. `beforeRequest`: folds that are due are made before the
   * request, which waits for them. Default `afterReply`.
   */
  readonly when?: 'afterReply' | 'beforeRequest';
  readonly waitMs?: SummaryWait;
  readonly clock: Clock;
  /** Must not throw. */
  readonly logger?: Logger;
  /** Counts folds as `palimpsest.compaction.folds`. Must not throw. */
  readonly telemetry?: Pick<Telemetry, 'count'>;
}

/** What came of a fold. */
export type CompactionOutcome =
  /** The event is the summary; or that which cuts old results, where no summary was needed. */
  | { readonly status: 'compacted'; readonly event: Event }
  | { readonly status: 'nothingToDo'; readonly why: NoFold | 'notDue' | 'backingOff' }
  /** Open calls, confirmations or authorisations of these events come first. */
  | { readonly status: 'blocked'; readonly by: readonly number[] }
  /** The summary was no summary (then `refusal` says why), or none came: nothing is covered. */
  | { readonly status: 'failed'; readonly error: PalimpsestError; readonly refusal?: SummaryRefusal }
  /** The log went another way meanwhile: the summary was thrown away. */
  | { readonly status: 'stale' };

/** For whom a fold is considered. */
export interface CompactionFor extends Pick<View, 'agentName' | 'branch' | 'isolationScope'> {
  readonly provider?: View['provider'];
}

/** What happened in the invocation that is over. */
export interface InvocationReport extends CompactionFor {
  readonly isTaskComplete?: boolean;
  /** The model asked for a fold; heard where one of the triggers is `modelDriven()`. */
  readonly asked?: Pick<CompactOptions, 'throughSeq' | 'focus'>;
  readonly signal?: AbortSignal;
}

/** The invocation that goes on to another request. */
export interface OngoingInvocation extends CompactionFor {
  readonly signal?: AbortSignal;
}

/** What a caller knows of an agent's last request. */
export interface SentRequest {
  readonly agentName: string;
  readonly promptTokens: number;
}

/** The request that is about to be sent. */
export interface ComingRequest extends CompactionFor {
  /** Its size, if it is known. Else it is estimated from the log. */
  readonly promptTokens?: number;
  readonly signal?: AbortSignal;
}

/** What a caller asks to be folded. */
export interface CompactOptions {
  /** Nothing newer than this event. Default: all but the last invocation. */
  readonly throughSeq?: number;
  /** What the summary should dwell on, in the caller's words. */
  readonly focus?: string;
  /** Stands in the log. Default `asked`. */
  readonly trigger?: string;
  /** Whose request the summary may share. */
  readonly agentName?: string;
  readonly signal?: AbortSignal;
}

/**
 * Folds old events into summaries, and shows again what these cover. One fold at a time goes on in a session; others wait.
 * What a model or the log does wrong is an outcome and never thrown, except by `expand`. After a failure no summary is
 * asked for during 1, 2, 4 … 64 invocations or minutes, whichever is over first, but by `compact`.
 */
export interface Compactor {
  /**
   * Folds if a trigger fires, window by window while the backlog lasts, at most 20 times. The outcome is that of the last
   * fold; one that found nothing more to do does not count if something was folded before.
   */
  afterInvocation(key: SessionKey, report: InvocationReport): Promise<CompactionOutcome>;
  /**
   * Makes one fold beside an invocation that goes on, whose older events may be folded, if `threshold` or `rentOrBuy`
   * fires. Does nothing while another fold goes on, and where folds are made before requests.
   */
  duringInvocation(key: SessionKey, run: OngoingInvocation): Promise<CompactionOutcome>;
  /**
   * At the hard ceiling (90 % of the context window) waits for one summary, at most 20 s, other folds included; below it
   * does nothing, unless folds are made before requests. Called by the run that is under way, whose older events may be
   * folded.
   */
  beforeModelCall(key: SessionKey, request: ComingRequest): Promise<CompactionOutcome>;
  /**
   * Takes note of a request that was sent; true if no trigger can fire before the next one, as far as size fires them, so
   * that nothing need be asked.
   */
  rests(key: SessionKey, request: SentRequest): boolean;
  /** Folds now, whatever the triggers say. Throws INVALID_ARGUMENT for a `throughSeq` that is none. */
  compact(key: SessionKey, options?: CompactOptions): Promise<CompactionOutcome>;
  /**
   * The events that a summary covers, oldest first, as they stand in the log, through older summaries that it took the
   * place of down to what was said. Throws INVALID_ARGUMENT for an event that is no summary.
   */
  expand(key: SessionKey, compactionSeq: number, options?: ExpandOptions): Promise<Page<Event>>;
}
