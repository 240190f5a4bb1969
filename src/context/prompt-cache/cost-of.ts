import type { Usage } from '../../events/index.ts';
import type { CacheRules } from './cache-rules.ts';

/** Prices of a request's tokens, in USD per million, to six decimals. */
export interface TokenPrices {
  readonly uncached: number;
  readonly read: number;
  readonly written: number;
  /** Written to be kept longer; absent: not known. */
  readonly writtenLong?: number;
  readonly output: number;
}

/** What a call took, by what each token costs. */
export interface TokenSplit {
  readonly uncached: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
}

/**
 * What a call cost, in picodollars, which are whole numbers at any price of six decimals: a trillion of them is a dollar.
 * `dollarsOf` writes them.
 */
export interface Cost {
  readonly uncached: bigint;
  readonly read: bigint;
  readonly written: bigint;
  readonly output: bigint;
  readonly total: bigint;
}

/** Tokens of a call and what they cost; no cost where the prices are not known. */
export interface CostedUsage {
  readonly tokens: TokenSplit;
  readonly cost?: Cost;
}

const million = 1_000_000;

/** The prices of a request with so many input tokens; `undefined` if they are not known. */
export function pricesOf(rules: CacheRules, inputTokens = 0): TokenPrices | undefined {
  const { prices, readFactor, writeFactor, longWriteFactor } = rules;
  if (prices === undefined) return undefined;
  const { input, output } = prices.tiers?.findLast(({ above }) => inputTokens > above) ?? prices;
  return Object.freeze({
    uncached: input,
    read: sixDecimals(input * readFactor),
    written: sixDecimals(input * writeFactor),
    output,
    ...(longWriteFactor === undefined ? {} : { writtenLong: sixDecimals(input * longWriteFactor) }),
  });
}

/**
 * What a call cost, exact to the token. `longWriteTokens`: how many of the tokens written to the cache are kept longer,
 * where that has another price and the usage itself does not say it. Figures that are missing are 0.
 */
export function costOf(
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteLongTokens }: Usage,
  prices: TokenPrices | undefined,
  longWriteTokens = 0,
): CostedUsage {
  const [read, written, output] = [whole(cacheReadTokens), whole(cacheWriteTokens), whole(outputTokens)];
  const uncached = Math.max(0, whole(inputTokens) - read - written);
  const tokens = Object.freeze({ uncached, read, written, output });
  const long = Math.min(written, whole(cacheWriteLongTokens ?? longWriteTokens));
  const longPrice = long === 0 ? 0 : prices?.writtenLong;
  if (prices === undefined || longPrice === undefined) return Object.freeze({ tokens });
  const cost = costWithTotal({
    uncached: priceOf(uncached, prices.uncached),
    read: priceOf(read, prices.read),
    written: priceOf(written - long, prices.written) + priceOf(long, longPrice),
    output: priceOf(output, prices.output),
  });
  return Object.freeze({ tokens, cost });
}

/** The cost of two calls together. */
export function addCost(a: Cost, b: Cost): Cost {
  return costWithTotal({
    uncached: a.uncached + b.uncached,
    read: a.read + b.read,
    written: a.written + b.written,
    output: a.output + b.output,
  });
}

/** An amount of picodollars in USD, without rounding, such as `0.0123`. */
export function dollarsOf(picodollars: bigint): string {
  const digits = `${picodollars < 0n ? -picodollars : picodollars}`.padStart(13, '0');
  const decimals = digits.slice(-12).replace(/0+$/, '');
  return `${picodollars < 0n ? '-' : ''}${digits.slice(0, -12)}${decimals === '' ? '' : `.${decimals}`}`;
}

function costWithTotal(parts: Omit<Cost, 'total'>): Cost {
  return Object.freeze({ ...parts, total: parts.uncached + parts.read + parts.written + parts.output });
}

/** A price per million tokens in millionths of a dollar is a token's in picodollars. */
function priceOf(tokens: number, price: number): bigint {
  return BigInt(tokens) * BigInt(Math.round(price * million));
}

function sixDecimals(price: number): number {
  return Math.round(price * million) / million;
}

function whole(tokens = 0): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0;
}
