import { type Clock, type CountTokens, isPlainObject, type JsonMap } from '../events/index.ts';
import type { Logger, Telemetry } from '../models/index.ts';
import type { BeforeAppend } from '../sessions/index.ts';
import type { CacheOption } from './cache-option.ts';
import { checkCacheOption } from './check-cache-option.ts';
import { checkCompactionOption } from './check-compaction-option.ts';
import { badOption, type Check, isFunctionOf, oneOf } from './check-fields.ts';
import { checkStateKeys } from './check-state-keys.ts';
import type { CompactionOption } from './compaction-option.ts';
import type { StateKeysOf } from './state-keys.ts';

/** How a Palimpsest is opened. */
export interface OpenOptions<State extends object = JsonMap> {
  /** A SQLite file, made if it is new. None: in memory, gone with the process. */
  readonly file?: string;
  /** A database server. Not there yet: NOT_SUPPORTED. */
  readonly url?: string;
  /** Default `default`. */
  readonly appName?: string;
  /** Refuse to make a new file. */
  readonly mustExist?: boolean;
  /** Which package opens the file; the first that loads if none is named. */
  readonly driver?: 'node:sqlite' | '@photostructure/sqlite' | 'better-sqlite3';
  /** `normal` survives a crash of the process, `full` also one of the machine. Default `normal`. */
  readonly durability?: 'normal' | 'full';
  /** When memory learns from the log: after each invocation (default), or not by itself. */
  readonly ingest?: 'afterInvocation' | 'never';
  /**
   * What is declared about state keys, scope prefix included: how writes meet what stands there (`append`, `union`,
   * `max`; others replace), and a schema that values must fit. A value that does not is refused with INVALID_EVENT
   * wherever it comes from, an import too, and nothing of that append is stored.
   */
  readonly state?: NoInfer<StateKeysOf<State>>;
  /**
   * Counts the tokens of each event once, when it is appended. Default: as o200k_base where the package `gpt-tokenizer`
   * is installed, whose vocabulary is loaded before the first append or run (200 ms, 22 MB), else by estimate.
   */
  readonly countTokens?: CountTokens;
  /** How requests of agents are cached by the models' providers. Default `auto`. */
  readonly cache?: CacheOption;
  /**
   * How logs of agents are folded into summaries, which can be undone. Default: by `rentOrBuy()`, in the background after
   * a run, with each agent's own model.
   */
  readonly compaction?: CompactionOption;
  readonly clock?: Clock;
  /** Sees every event before it is stored and returns what is stored instead. */
  readonly redact?: BeforeAppend;
  /** A session without events for so long is ended. Default 900. */
  readonly idleSeconds?: number;
  /** How often expired and idle sessions are looked for, in seconds. Default 60; 0: only when sweep() is called. */
  readonly sweepSeconds?: number;
  /**
   * Erasing a session or a user ends with a rewrite of the file, so that no byte of it stands in unused parts of pages,
   * as long as the file is not larger than this: a rewrite blocks the thread for about 15 ms a megabyte. In larger ones
   * the receipt says what is left. Default 256 MiB.
   */
  readonly scrubUpToBytes?: number;
  /** Told of failures in the background, which settled() throws as well. Default: the logger, else a process warning. */
  readonly onBackgroundFailure?: (error: unknown) => void;
  /** Where the library says what it does. Default: it is silent. */
  readonly logger?: Logger;
  /**
   * Times runs. `auto`: by OpenTelemetry where the package `@opentelemetry/api` is installed, which is loaded at the first
   * run. Default `auto`.
   */
  readonly telemetry?: 'auto' | 'off' | Telemetry;
}

/** Timers hold no longer delay than 2^31 - 1 milliseconds. */
const longestSweepSeconds = 2_000_000;

const checks: { readonly [name in keyof Required<OpenOptions>]: Check } = {
  file: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be the path of a file'),
  url: () => undefined,
  appName: () => undefined,
  mustExist: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  driver: oneOf('node:sqlite', '@photostructure/sqlite', 'better-sqlite3'),
  durability: oneOf('normal', 'full'),
  ingest: oneOf('afterInvocation', 'never'),
  // Its keys are named by a check of their own.
  state: (value) => (isPlainObject(value) ? undefined : 'must be an object with an entry for each key'),
  countTokens: (value) => (isFunctionOf(value, 'count') ? undefined : 'must be { name, count(text) }'),
  // Its fields are named by a check of their own.
  cache: () => undefined,
  // Its fields are named by a check of their own.
  compaction: () => undefined,
  clock: (value) => (isFunctionOf(value, 'now') ? undefined : 'must be { now() }'),
  redact: isFunction,
  idleSeconds: (value) =>
    typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1000
      ? undefined
      : 'must be a number of seconds, 0 or more',
  sweepSeconds: (value) =>
    typeof value === 'number' && value >= 0 && value <= longestSweepSeconds
      ? undefined
      : `must be a number of seconds from 0 to ${longestSweepSeconds}`,
  scrubUpToBytes: (value) =>
    typeof value === 'number' && value >= 0 ? undefined : 'must be a number of bytes, 0 or more',
  onBackgroundFailure: isFunction,
  logger: (value) =>
    ['debug', 'info', 'warn', 'error'].every((name) => isFunctionOf(value, name))
      ? undefined
      : 'must be { debug(), info(), warn(), error() }',
  telemetry: (value) =>
    value === 'auto' || value === 'off' || isFunctionOf(value, 'span') ? undefined : 'must be auto, off or { span() }',
};

/** Checks options before anything is opened. Throws INVALID_ARGUMENT naming the option; one that is unknown too. */
export function checkOpenOptions(options: OpenOptions): void {
  if (!isPlainObject(options)) throw badOption('options', 'must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const reason = isKnown(name)
      ? checks[name](value)
      : `is no known option; the options are ${Object.keys(checks).join(', ')}`;
    if (reason !== undefined) throw badOption(name, reason);
  }
  if (isPlainObject(options.state)) checkStateKeys(options.state);
  if (options.cache !== undefined) checkCacheOption(options.cache);
  if (options.compaction !== undefined) checkCompactionOption(options.compaction);
}

function isKnown(name: string): name is keyof OpenOptions {
  return Object.hasOwn(checks, name);
}

function isFunction(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function';
}
