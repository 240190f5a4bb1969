import type { JsonMap } from './json.ts';

/**
 * Tokens of one model call as the provider counted them. `inputTokens` is the whole prompt, cached parts included.
 */
export interface Usage {
  readonly inputTokens?: number;
  /** All that the model wrote, reasoning included. */
  readonly outputTokens?: number;
  /** Part of inputTokens that was read from the provider's cache. */
  readonly cacheReadTokens?: number;
  /** Part of inputTokens that was written to it. */
  readonly cacheWriteTokens?: number;
  /** Part of cacheWriteTokens that is kept there for longer than the shortest time, at a price of its own. */
  readonly cacheWriteLongTokens?: number;
  /** Part of outputTokens that was spent on reasoning. */
  readonly reasoningTokens?: number;
  readonly totalTokens?: number;
  /** The provider's own record, kept for the way back. */
  readonly raw?: JsonMap;
}

/** A count of tokens and who made it: a tokenizer's name, or `estimate`. */
export interface TokenCount {
  readonly n: number;
  readonly by: string;
}

/** Counts the tokens of a text. `name` stands in the events that it counted. */
export interface CountTokens {
  readonly name: string;
  count(text: string): number;
}

const latinCharsPerToken = 4;

/**
 * Estimates tokens without a tokenizer: four UTF-16 code units of ASCII a token, one token for any other code unit
 * (right within about a third for English and Chinese prose). Named `estimate` in what it counts.
 */
export const estimateTokens: CountTokens = {
  name: 'estimate',
  count(value) {
    let wide = 0;
    for (let index = 0; index < value.length; index++) if (value.charCodeAt(index) > 0x7f) wide++;
    return Math.ceil((value.length - wide) / latinCharsPerToken) + wide;
  },
};
