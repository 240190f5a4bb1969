import { PalimpsestError } from '../errors/index.ts';
import { isPlainObject, parseId } from '../events/index.ts';
import type { AgentOptions } from './agent-options.ts';

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
  documents: isList,
  outputKey: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a key of state'),
  outputSchema: (value) =>
    isPlainObject(value) || isObjectWith(value, '~standard') || typeof value === 'function'
      ? undefined
      : 'must be a Standard Schema or JSON Schema',
  settings: isObject,
  history: () => undefined,
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

/** Checks what an agent is made of. Throws INVALID_ARGUMENT naming the option, one that is unknown too, or INVALID_ID. */
export function checkAgentOptions(options: AgentOptions<never>): void {
  if (!isPlainObject(options)) throw bad('options', 'must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const reason = isKnown(name) ? checks[name](value) : 'is no known option';
    if (reason !== undefined) throw bad(name, reason);
  }
  if (options.model === undefined) throw bad('model', 'is missing: give an AI SDK language model');
  const name = parseId(options.name, 'name');
  if (name === 'user' || name === 'system') throw bad('name', `may not be "${name}", which other events bear`);
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
