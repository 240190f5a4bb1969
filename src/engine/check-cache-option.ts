import type { CacheRuleRow } from '../context/prompt-cache/index.ts';
import { isPlainObject } from '../events/index.ts';
import type { CacheOptions } from './cache-option.ts';
import { badOption, type Check, checkFields, isFunctionOf, namesOf, oneOf } from './check-fields.ts';

const amount: Check = (value) =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? undefined : 'must be a number, 0 or more';
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const words: Check = (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a text');

const fields: { readonly [name in keyof Required<CacheOptions>]: Check } = {
  rules: (value) => (Array.isArray(value) ? undefined : 'must be a list of rows'),
  ttl: oneOf('5m', '1h'),
  moreSteps: flag,
  client: (value) =>
    isFunctionOf(value, 'create') && isFunctionOf(value, 'delete') ? undefined : 'must be { create(), delete() }',
  reuseLimit: (value) =>
    Number.isSafeInteger(value) && Number(value) >= 1 ? undefined : 'must be a whole number, 1 or more',
};

const rowFields: { readonly [name in keyof Required<CacheRuleRow>]: Check } = {
  provider: oneOf('gemini', 'anthropic', 'openai'),
  model: words,
  source: words,
  date: words,
  minimumTokens: amount,
  stepTokens: amount,
  ttlSeconds: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((seconds) => amount(seconds) === undefined)
      ? undefined
      : 'must be a list of seconds, shortest first',
  mostBreakpoints: amount,
  lookBackBlocks: amount,
  readBreakpoints: amount,
  takesKey: flag,
  holdsObjects: flag,
  usage: oneOf('anthropic', 'openai', 'openaiWithWrites', 'gemini'),
  readFactor: amount,
  writeFactor: amount,
  longWriteFactor: amount,
  prices: (value) =>
    arePrices(value)
      ? undefined
      : 'must be { input, output, tiers? }, in USD per million tokens, tiers with above as well',
};

const needed = ['provider', 'model', 'source', 'date'] as const;

/** Checks the option `cache`. Throws INVALID_ARGUMENT naming the field, also one that is unknown. */
export function checkCacheOption(value: unknown): void {
  if (value === 'auto' || value === 'off') return;
  if (!isPlainObject(value)) throw badOption('cache', `must be auto, off, or an object of ${namesOf(fields)}`);
  checkFields('cache', value, fields);
  const rules: readonly unknown[] = Array.isArray(value.rules) ? value.rules : [];
  for (const [index, row] of rules.entries()) checkRow(`cache.rules[${index}]`, row);
}

function checkRow(path: string, row: unknown): void {
  if (!isPlainObject(row)) throw badOption(path, `must be an object of ${namesOf(rowFields)}`);
  for (const name of needed) if (row[name] === undefined) throw badOption(`${path}.${name}`, 'is missing');
  checkFields(path, row, rowFields);
}

function arePrices(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { tiers = [], input, output } = value;
  const areAmounts = (figures: readonly unknown[]) => figures.every((figure) => amount(figure) === undefined);
  const isTier = (tier: unknown) => isPlainObject(tier) && areAmounts([tier.above, tier.input, tier.output]);
  return areAmounts([input, output]) && Array.isArray(tiers) && tiers.every(isTier);
}
