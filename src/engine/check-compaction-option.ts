import type { Trigger } from '../context/compaction/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import { isPlainObject } from '../events/index.ts';
import { languageModel } from '../models/index.ts';
import { badOption, type Check, checkFields } from './check-fields.ts';
import type { CompactionSettings } from './compaction-option.ts';

const count: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 1 ? undefined : 'must be a whole number, 1 or more';

/** Timers hold no longer delay. */
const longestWait = 2_147_483_647;
const wait: Check = (value) =>
  count(value) ?? (Number(value) <= longestWait ? undefined : `must be at most ${longestWait} milliseconds`);

const kinds: { readonly [kind in Trigger['kind']]: true } = {
  window: true,
  threshold: true,
  idle: true,
  taskComplete: true,
  rentOrBuy: true,
  modelDriven: true,
};

const fields: { readonly [name in keyof Required<CompactionSettings>]: Check } = {
  triggers: areTriggers,
  // languageModel() says what is wrong with it.
  model: () => undefined,
  contextWindow: count,
  summaryRegion: count,
  trim: (value) => (isPlainObject(value) ? undefined : 'must be { keepChars, retain, leastTokens }, or left out'),
  when: (value) =>
    value === 'afterReply' || value === 'beforeRequest' ? undefined : 'must be afterReply or beforeRequest',
  waitMs: (value) => (isPlainObject(value) ? undefined : 'must be { beforeRequest, background }, in milliseconds'),
};

const members: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  trim: {
    keepChars: (value) => (value === 0 ? undefined : count(value)),
    leastTokens: count,
    retain: (value) =>
      isPlainObject(value) && Object.keys(value).length === 1
        ? undefined
        : 'must be one of { events }, { tokens } and { invocations }',
  },
  waitMs: { beforeRequest: wait, background: wait },
};

/** Checks the option `compaction`. Throws INVALID_ARGUMENT naming the field, also one that is unknown. */
export function checkCompactionOption(value: unknown): void {
  if (value === 'off') return;
  if (!isPlainObject(value))
    throw badOption('compaction', `must be off, or an object of ${Object.keys(fields).join(', ')}`);
  checkFields('compaction', value, fields);
  for (const [name, known] of Object.entries(members)) {
    const given = value[name];
    if (isPlainObject(given)) checkFields(`compaction.${name}`, given, known);
  }
  if (value.model !== undefined) checkModel(value.model);
}

function checkModel(model: unknown): void {
  try {
    languageModel(model as Parameters<typeof languageModel>[0]);
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
    throw badOption('compaction.model', error.message.replace(/\.$/, ''));
  }
}

function areTriggers(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list of triggers';
  const wrong = value.findIndex((one) => !isPlainObject(one) || !Object.hasOwn(kinds, String(one.kind)));
  if (wrong === -1) return undefined;
  return `must hold triggers, made by ${Object.keys(kinds).join('(), ')}(); entry ${wrong} is none`;
}
