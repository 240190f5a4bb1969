import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import {
  type Block,
  type Content,
  copyJson,
  isPlainObject,
  parseId,
  prepareEvent,
  type View,
} from '../events/index.ts';
import type { ModelSettings, RetryOptions } from '../models/index.ts';
import type { AgentOptions } from './agent-options.ts';
import type { RecallOptions } from './invocation-driver.ts';

type HistoryWindow = Extract<View['history'], object>['window'];

/** What a value must be, in words, or `undefined` if it is that. */
type Check = (value: unknown) => string | undefined;

const isFlag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const isObject: Check = (value) => (isPlainObject(value) ? undefined : 'must be an object');
const isList: Check = (value) => (Array.isArray(value) ? undefined : 'must be a list');
const isCount: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) > 0 ? undefined : 'must be a whole number, 1 or more';

/** Timers hold no longer delay than 2^31 - 1 milliseconds. */
const longestTimeoutMs = 2 ** 31 - 1;

const callbackNames = ['beforeAgent', 'afterAgent', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool'];

/** What the options that are objects may hold. */
const members: Readonly<Record<string, readonly string[]>> = {
  settings: keysOf<ModelSettings>({
    temperature: 0,
    topP: 0,
    topK: 0,
    maxOutputTokens: 0,
    stopSequences: 0,
    presencePenalty: 0,
    frequencyPenalty: 0,
    seed: 0,
    toolChoice: 0,
    providerOptions: 0,
    headers: 0,
  }),
  recall: keysOf<RecallOptions>({ limit: 0, tokenBudget: 0 }),
  retry: keysOf<RetryOptions>({
    retries: 0,
    firstDelayMs: 0,
    longestDelayMs: 0,
    deadlineMs: 0,
    idleMs: 0,
    fallback: 0,
    onRetry: 0,
  }),
  history: ['window'],
  'history.window': keysOf<HistoryWindow>({ invocations: 0, tokens: 0 }),
};

const checks: { readonly [name in keyof Required<AgentOptions>]: Check } = {
  name: () => undefined,
  model: (value) =>
    isObjectWith(value, 'call')
      ? undefined
      : 'must be a language model: an AI SDK model, or languageModel() around one',
  instruction: (value) =>
    typeof value === 'string' || typeof value === 'function' ? undefined : 'must be a text or a function',
  tools: areTools,
  examples: isList,
  documents: (value) => (typeof value === 'function' ? undefined : isList(value)),
  outputKey: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a key of state'),
  outputSchema: (value) =>
    isPlainObject(value) || isObjectWith(value, '~standard') || typeof value === 'function'
      ? undefined
      : 'must be a Standard Schema or JSON Schema',
  settings: isObject,
  history: (value) =>
    value === 'full' || value === 'invocation' || isObjectWith(value, 'window')
      ? undefined
      : 'must be "full", "invocation" or { window: { invocations } }',
  recall: (value) =>
    typeof value === 'boolean' || isPlainObject(value) ? undefined : 'must be true, false or { limit, tokenBudget }',
  retry: (value) => (value === false || isPlainObject(value) ? undefined : 'must be false or an object of options'),
  maxSteps: isCount,
  toolTimeoutMs: (value) =>
    typeof value === 'number' && value > 0 && value <= longestTimeoutMs
      ? undefined
      : `must be a number of milliseconds up to ${longestTimeoutMs}`,
  callbacks: areCallbacks,
  streaming: isFlag,
};

const blockKinds = keysOf<Record<Block['kind'], 0>>({
  instruction: 0,
  example: 0,
  profile: 0,
  document: 0,
  memory: 0,
  state: 0,
});

const wholeReference =
  'must be { kind: "event", sessionId, incarnation, seq, eventId } or { kind: "direct", source, id, at }';

/** Copies of blocks that an option holds or its function gave, checked and frozen. Throws INVALID_ARGUMENT. */
export function readBlocks(argument: string, given: unknown): readonly Block[] {
  if (!Array.isArray(given)) throw bad(argument, 'must be, or return, a list of blocks');
  return Object.freeze(given.map((block: unknown, index) => readBlock(`${argument}[${index}]`, block)));
}

function readBlock(argument: string, given: unknown): Block {
  try {
    const block: unknown = copyJson(given, argument, { replacedSurrogates: 0, size: 0 });
    if (!isBlock(block))
      throw bad(argument, `must be a block { kind, stable, content } of a kind: ${blockKinds.join(', ')}`);
    const wrong = block.source?.findIndex((ref) => !isReference(ref)) ?? -1;
    if (wrong !== -1) throw bad(`${argument}.source[${wrong}]`, wholeReference);
    // What may stand in an event may stand in a request.
    const { content = block.content } = prepareEvent({ author: 'user', content: block.content }, argument).draft;
    checkBlockContent(`${argument}.content`, block.kind, content);
    return Object.freeze({ ...block, content });
  } catch (error) {
    if (!isPalimpsestError(error) || isPalimpsestError(error, 'INVALID_ARGUMENT')) throw error;
    throw bad(argument, error.message);
  }
}

/** Calls and results belong to the log, where each finds the other: no provider takes one that stands alone. */
function checkBlockContent(argument: string, kind: Block['kind'], { role, parts }: Content): void {
  if (role !== 'user' && kind !== 'example')
    throw bad(`${argument}.role`, 'must be user; only a block of kind example may be what the model says');
  for (const [index, { text, thought, inlineData, fileData }] of parts.entries()) {
    if (inlineData !== undefined || fileData !== undefined || (text !== undefined && thought !== true)) continue;
    throw bad(`${argument}.parts[${index}]`, 'must be text, inlineData or fileData, and no thought');
  }
}

function isBlock(value: unknown): value is Block {
  if (!isPlainObject(value) || !isPlainObject(value.content) || typeof value.stable !== 'boolean') return false;
  return blockKinds.includes(String(value.kind)) && (value.source === undefined || Array.isArray(value.source));
}

/** What was erased could not be found by a reference that is not whole. */
function isReference(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { kind, sessionId, incarnation, seq, eventId, source, id, at } = value;
  const isWhole = (...ids: readonly unknown[]) => ids.every((one) => typeof one === 'string' && one !== '');
  if (kind === 'event') return isWhole(sessionId, incarnation, eventId) && isCount(seq) === undefined;
  return kind === 'direct' && isWhole(source, id, at);
}

/** The names of all members of a type; the compiler sees that none is missing. */
function keysOf<T>(names: { readonly [name in keyof Required<T>]: 0 }): readonly string[] {
  return Object.keys(names);
}

/** Checks what an agent is made of. Throws INVALID_ARGUMENT naming the option, one that is unknown too, or INVALID_ID. */
export function checkAgentOptions(options: AgentOptions<never>): void {
  if (!isPlainObject(options)) throw bad('options', 'must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const reason = isKnown(name) ? checks[name](value) : unknownOption(name);
    if (reason !== undefined) throw bad(name, reason);
    checkMembers(name, value);
  }
  checkWindow(options.history);
  if (options.examples !== undefined) readBlocks('examples', options.examples);
  if (Array.isArray(options.documents)) readBlocks('documents', options.documents);
  if (options.model === undefined) throw bad('model', 'is missing: give an AI SDK language model');
  const name = parseId(options.name, 'name');
  if (name === 'user' || name === 'system') throw bad('name', `may not be "${name}", which other events bear`);
}

function unknownOption(name: string): string {
  if (callbackNames.includes(name)) return `stands at the top; put it under callbacks: { ${name} }`;
  return `is no known option; there are ${Object.keys(checks).join(', ')}`;
}

/** Refuses a misspelt member, which would be left out of account unseen. */
function checkMembers(path: string, value: unknown): void {
  const known = members[path];
  if (known === undefined || !isPlainObject(value)) return;
  for (const name of Object.keys(value))
    if (!known.includes(name)) throw bad(`${path}.${name}`, `is unknown; there are ${known.join(', ')}`);
}

function checkWindow(history: unknown): void {
  if (!isPlainObject(history)) return;
  const { window } = history;
  if (!isPlainObject(window)) throw bad('history.window', 'must be { invocations } or { tokens }');
  checkMembers('history.window', window);
  for (const [name, value] of Object.entries(window)) {
    const reason = value === undefined ? undefined : isCount(value);
    if (reason !== undefined) throw bad(`history.window.${name}`, reason);
  }
}

function isKnown(name: string): name is keyof AgentOptions {
  return Object.hasOwn(checks, name);
}

function areTools(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list of tools';
  const names = new Set<unknown>();
  for (const [index, tool] of value.entries()) {
    if (!isObjectWith(tool, 'declaration') || !isObjectWith(tool, 'run'))
      return `must hold tools made by tool(); entry ${index} is none`;
    const { name } = tool.declaration as { readonly name?: unknown };
    if (names.has(name)) return `must have different names; ${JSON.stringify(name)} stands twice`;
    names.add(name);
  }
  return undefined;
}

function areCallbacks(value: unknown): string | undefined {
  if (!isPlainObject(value)) return 'must be an object of functions';
  for (const [name, callback] of Object.entries(value)) {
    if (!callbackNames.includes(name)) return `has no place for ${name}; the callbacks are ${callbackNames.join(', ')}`;
    if (callback !== undefined && typeof callback !== 'function') return `must hold functions; ${name} is none`;
  }
  return undefined;
}

function isObjectWith<Key extends string>(value: unknown, key: Key): value is { readonly [name in Key]: unknown } {
  return typeof value === 'object' && value !== null && key in value;
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
