import {
  defaultLeaseSeconds,
  isPlainObject,
  type OnBusy,
  type Palimpsest,
  PalimpsestError,
  type Provider,
  parseId,
  type RecallOptions,
  type SessionKey,
  type View,
} from '../../../index.ts';

/** Whose conversation a model call belongs to, and how it is remembered. */
export interface PalimpsestMiddlewareOptions {
  readonly userId: string;
  readonly sessionId: string;
  readonly projectId?: string;
  /** Author of the model's events. Default `assistant`. */
  readonly agentName?: string;
  /** Recall memories for each question. Default true. */
  readonly recall?: boolean | RecallOptions;
  /** How much of the log the model is sent. Default `full`. */
  readonly history?: View['history'];
  /** Whose rules requests keep. Default by the model. */
  readonly provider?: Provider;
  /** When another run holds the session. Default `refuse`: SESSION_BUSY. `queue` waits up to a minute. */
  readonly onBusy?: OnBusy;
  /**
   * How long, in milliseconds, the session stays with a tool loop while its tools are at work: a call that does not show
   * the answer they are asked for in finds it busy. Default 30,000. 0 for a loop that ends with a call, as with
   * `hasToolCall`, where each prompt is one message.
   */
  readonly toolLoopMs?: number;
  /**
   * How much of the conversation a call's messages are. Default `tail`: the beginning may be missing. `whole`: all of it,
   * as useChat has it, so that any message can be edited or its answer asked for again, the first one too.
   */
  readonly prompt?: 'tail' | 'whole';
}

/** The options of a middleware; what a call says in `providerOptions.palimpsest` comes before them. */
export type MiddlewareOptions<Params> =
  | Partial<PalimpsestMiddlewareOptions>
  | ((params: Params) => Partial<PalimpsestMiddlewareOptions> | Promise<Partial<PalimpsestMiddlewareOptions>>);

/** The options of one call, checked. */
export interface CallOptions {
  readonly key: SessionKey;
  readonly projectId?: string;
  readonly agentName: string;
  readonly recall?: boolean | RecallOptions;
  readonly history?: View['history'];
  readonly provider?: Provider;
  readonly waitMs: number;
  readonly toolLoopMs: number;
  readonly prompt?: 'tail' | 'whole';
}

const longestQueueMs = 60_000;
const longestTimerMs = 2 ** 31 - 1;
const providers: readonly unknown[] = ['gemini', 'anthropic', 'openai'] satisfies Provider[];
const known: ReadonlySet<string> = new Set<keyof PalimpsestMiddlewareOptions>([
  'userId',
  'sessionId',
  'projectId',
  'agentName',
  'recall',
  'history',
  'provider',
  'onBusy',
  'toolLoopMs',
  'prompt',
]);

/** Checks options that are the same for all calls as soon as they are given. Throws INVALID_ARGUMENT naming one. */
export function checkFixedOptions(options: unknown): void {
  if (typeof options === 'function') return;
  if (!isPlainObject(options)) throw bad('options', 'must be an object, or a function that gives one for each call');
  checkNames(options, '');
}

/**
 * The options of one call: the middleware's, and before them those of the call. Throws INVALID_ARGUMENT or INVALID_ID
 * naming what is missing or wrong.
 */
export async function readCallOptions<Params extends { readonly providerOptions?: unknown }>(
  { appName }: Pick<Palimpsest, 'appName'>,
  given: MiddlewareOptions<Params>,
  params: Params,
): Promise<CallOptions> {
  const own: unknown = typeof given === 'function' ? await given(params) : given;
  if (!isPlainObject(own)) throw bad('options', 'of a call must be an object');
  const ofCall = isPlainObject(params.providerOptions) ? (params.providerOptions.palimpsest ?? {}) : {};
  if (!isPlainObject(ofCall)) throw bad('providerOptions.palimpsest', 'must be an object');
  checkNames(own, '');
  checkNames(ofCall, 'providerOptions.palimpsest.');
  const options: Record<string, unknown> = { ...own, ...ofCall };
  for (const name of ['userId', 'sessionId'])
    if (options[name] === undefined)
      throw bad(name, 'is missing: give it to palimpsestMiddleware, or to the call in providerOptions.palimpsest');
  return readOptions(appName, options);
}

function readOptions(appName: string, options: Readonly<Record<string, unknown>>): CallOptions {
  const { userId, sessionId, projectId, agentName = 'assistant', recall, history, provider, prompt } = options;
  const key = { appName, userId: parseId(userId, 'userId'), sessionId: parseId(sessionId, 'sessionId') };
  const author = parseId(agentName, 'agentName');
  if (author === 'user' || author === 'system')
    throw bad('agentName', `may not be "${author}", which other events bear`);
  if (provider !== undefined && !isProvider(provider)) throw bad('provider', `must be one of ${providers.join(', ')}`);
  if (recall !== undefined && typeof recall !== 'boolean' && !isPlainObject(recall))
    throw bad('recall', 'must be true, false or { limit, tokenBudget }');
  if (prompt !== undefined && prompt !== 'tail' && prompt !== 'whole') throw bad('prompt', 'must be tail or whole');
  return {
    key,
    ...(projectId === undefined ? {} : { projectId: parseId(projectId, 'projectId') }),
    agentName: author,
    ...(recall === undefined ? {} : { recall }),
    ...(history === undefined ? {} : { history: history as View['history'] }),
    ...(provider === undefined ? {} : { provider }),
    ...(prompt === undefined ? {} : { prompt }),
    waitMs: readWait(options.onBusy),
    toolLoopMs: readToolLoop(options.toolLoopMs),
  };
}

function readWait(onBusy: unknown): number {
  if (onBusy === undefined || onBusy === 'refuse') return 0;
  if (onBusy === 'queue') return longestQueueMs;
  const waitMs = isPlainObject(onBusy) ? onBusy.waitMs : undefined;
  if (typeof waitMs === 'number' && waitMs >= 0 && Number.isFinite(waitMs)) return waitMs;
  throw bad('onBusy', 'must be refuse, queue or { waitMs }');
}

function readToolLoop(toolLoopMs: unknown = defaultLeaseSeconds * 1000): number {
  if (typeof toolLoopMs === 'number' && toolLoopMs >= 0 && toolLoopMs <= longestTimerMs) return toolLoopMs;
  throw bad('toolLoopMs', `must be a number of milliseconds from 0 to ${longestTimerMs}`);
}

function isProvider(value: unknown): value is Provider {
  return providers.includes(value);
}

function checkNames(options: Readonly<Record<string, unknown>>, where: string): void {
  for (const name of Object.keys(options))
    if (!known.has(name)) throw bad(`${where}${name}`, `is no known option; they are ${[...known].join(', ')}`);
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
