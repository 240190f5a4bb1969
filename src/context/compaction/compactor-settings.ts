import { PalimpsestError } from '../../errors/index.ts';
import { type Logger, silentLogger, type Telemetry } from '../../models/index.ts';
import { checkCount } from './check-count.ts';
import type { CompactionLog, CompactorOptions, TrimSettings } from './compactor.ts';
import { ceilingOf } from './decide.ts';
import { foldPricesOf } from './fold-prices.ts';
import { defaultSummaryRegion } from './summaries-to-merge.ts';
import { checkRetain, rentOrBuy, type Trigger } from './triggers.ts';
import type { Summarizer } from './write-summary.ts';

/** The options of a compactor, checked and with nothing left out. */
export interface CompactorSettings {
  readonly log: CompactionLog;
  readonly summarizer: Summarizer;
  readonly triggers: readonly Trigger[];
  readonly contextWindow: number;
  /** Tokens of a prompt at which folding can wait no longer. */
  readonly ceiling: number;
  readonly summaryRegion: number;
  readonly trim?: Required<TrimSettings>;
  readonly isBeforeRequest: boolean;
  readonly waits: { readonly beforeRequest: number; readonly background: number };
  readonly now: () => number;
  readonly logger: Logger;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

const defaultContextWindow = 128_000;
const defaultWaits = { beforeRequest: 20_000, background: 120_000 };
const defaultTrim = { keepChars: 200, retain: { invocations: 2 }, leastTokens: 200 } as const;

/** Reads the options of a compactor. Throws INVALID_ARGUMENT for one that cannot be. */
export function readCompactorOptions(options: CompactorOptions): CompactorSettings {
  const { log, model, requestOf, clock, logger = silentLogger, telemetry = {}, triggers = [rentOrBuy()] } = options;
  const { trim, when = 'afterReply', waitMs } = options;
  const prices = options.prices ?? foldPricesOf({ agent: model, summarizer: model });
  const contextWindow = checkCount('contextWindow', options.contextWindow ?? defaultContextWindow);
  const waits = { ...defaultWaits, ...waitMs };
  for (const [name, ms] of Object.entries(waits)) checkWait(`waitMs.${name}`, ms);
  return {
    ...{ log, triggers, contextWindow, waits, logger, telemetry },
    summarizer: { model, prices, logger, ...(requestOf && { requestOf }) },
    ceiling: ceilingOf(contextWindow),
    summaryRegion: checkCount('summaryRegion', options.summaryRegion ?? defaultSummaryRegion),
    ...(trim && { trim: readTrim(trim) }),
    isBeforeRequest: when === 'beforeRequest',
    now: () => clock.now(),
  };
}

/** Timers hold no longer delay. */
const longestWait = 2_147_483_647;

function checkWait(argument: string, ms: number): void {
  if (checkCount(argument, ms) <= longestWait) return;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: `must be at most ${longestWait} milliseconds` });
}

function readTrim(given: TrimSettings): Required<TrimSettings> {
  const trim = { ...defaultTrim, ...given };
  checkCount('trim.keepChars', trim.keepChars, 0);
  checkCount('trim.leastTokens', trim.leastTokens);
  return { ...trim, retain: checkRetain(trim.retain, 'trim.retain') };
}
