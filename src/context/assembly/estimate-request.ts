import {
  type Block,
  type Content,
  type CountTokens,
  type Event,
  estimateTokens,
  type ModelRequest,
  type Part,
  type Provider,
} from '../../events/index.ts';
import { framingOf, isMedia, type LogCounts, logCounts, mixedCounts } from './log-counts.ts';
import { type MemoizedCounter, memoized } from './memoized-counter.ts';
import { mediaTokens, messageConstants, toolConstants } from './request-constants.ts';
import { SettledFold, settledCount } from './settled-fold.ts';
import { type TokenKind, TokenSum } from './token-sum.ts';

/** How many tokens a request has. */
export interface RequestTokens {
  readonly n: number;
  /** Who counted: a tokenizer's name, `estimate`, or `mixed`. */
  readonly by: string;
  /** `counted` by the tokenizer of its provider; else `estimated`, and scaled where the provider has told of usage. */
  readonly label: 'counted' | 'estimated';
  /** The same before it was scaled: the sum of parts. */
  readonly unscaled: number;
  /** Unscaled, by what the tokens belong to. */
  readonly parts: Readonly<Partial<Record<TokenKind, number>>>;
}

/** What a provider counted of an earlier request, and how many tokens that had by our count, unscaled. */
export interface ObservedTokens {
  readonly inputTokens: number;
  readonly unscaled: number;
}

/** What an estimate is made from, besides the request. */
export interface EstimateInput {
  readonly provider: Provider;
  /** Counts what has no stored count. Default: an estimate. */
  readonly counter?: CountTokens;
  /** The log that the request was made from: what it has counted is not counted again. */
  readonly events?: readonly Event[];
  /** The blocks that the request was made from, so that their tokens are told apart from the conversation's. */
  readonly blocks?: readonly Block[];
  readonly observed?: ObservedTokens;
  /** Knows the request before, so that contents with which this one begins as well are not looked at again. */
  readonly sums?: SettledFold<TokenSum>;
}

/** Where the tokenizer is known, usage within so much agrees with it: a few marks more in a short request are no factor. */
const tolerance = { share: 0.04, tokens: 16 };

/** No tokenizer is that far from another; figures beyond tell of something else. */
const greatestFactor = 8;

/**
 * Tokens of a request: the stored counts of the log's events, a count of everything else, and filed constants for marks,
 * tools and media. Where the provider's tokenizer is not known to be the one that counted, the sum is scaled by what the
 * provider said of an earlier request. Takes a look at each part, and counts only what it meets for the first time.
 */
export function estimateRequest(request: ModelRequest, input: EstimateInput): RequestTokens {
  const { provider, counter = estimateTokens, events = noEvents, observed } = input;
  const counts = logCounts(events, memoized(counter));
  const sum = sumOfContents(request, counts, input);
  addInstruction(sum, request, counts.counter);
  for (const [kind, count] of sum.media) sum.add(kind, count * mediaTokens[provider]);
  sum.add('framing', messageConstants.reply);
  const { by, media } = sum;
  const isGuess = provider !== 'openai' || media.size > 0 || by === estimateTokens.name || by === mixedCounts;
  return scaled(sum, isGuess, observed);
}

const noEvents: readonly Event[] = Object.freeze([]);

function sumOfContents(
  request: ModelRequest,
  counts: LogCounts,
  { blocks = [], sums = new SettledFold<TokenSum>() }: EstimateInput,
): TokenSum {
  const placed = blocks.filter(({ kind, stable }) => kind !== 'instruction' || !stable);
  const stable = placed.flatMap((block) => (block.stable ? block.content.parts : []));
  const kinds = new Map(placed.flatMap(({ kind, content }) => content.parts.map((part) => [part, kind] as const)));
  return sums.fold({
    contents: request.contents,
    settled: settledCount(request),
    key: [counts, ...stable],
    empty: () => new TokenSum(),
    add: (sum, content) => addContent(sum, content, counts, kinds),
  });
}

function addContent(sum: TokenSum, content: Content, counts: LogCounts, kinds: ReadonlyMap<Part, Block['kind']>): void {
  if (kinds.size > 0 && content.parts.some((part) => kinds.has(part))) {
    sum.add('framing', framingOf(content));
    for (const part of content.parts) {
      const kind = kinds.get(part) ?? 'conversation';
      sum.count(kind, counts.part(part));
      if (isMedia(part)) sum.addMedia(kind, 1);
    }
    return;
  }
  const counted = counts.content(content);
  sum.add('framing', counted.framing);
  sum.count('conversation', counted);
  if (counted.media > 0) sum.addMedia('conversation', counted.media);
}

function addInstruction(sum: TokenSum, { instruction, tools }: ModelRequest, count: MemoizedCounter): void {
  const by = count.name;
  for (const text of instruction) sum.count('instruction', { n: count.text(text), by });
  sum.add('framing', instruction.length * messageConstants.message);
  if (tools.length === 0) return;
  const n = tools.reduce((total, tool) => total + count.tool(tool), 0);
  sum.count('tools', { n: n + toolConstants.allTools, by });
}

function scaled(sum: TokenSum, isGuess: boolean, observed: ObservedTokens | undefined): RequestTokens {
  const parts = Object.fromEntries([...sum.parts].map(([kind, n]) => [kind, Math.round(n)]));
  const unscaled = Object.values(parts).reduce((total, n) => total + n, 0);
  const factor = observed === undefined || (!isGuess && agrees(observed)) ? 1 : factorOf(observed);
  return Object.freeze({
    n: Math.round(unscaled * factor),
    by: sum.by ?? estimateTokens.name,
    label: isGuess || factor !== 1 ? 'estimated' : 'counted',
    unscaled,
    parts: Object.freeze(parts),
  });
}

function agrees({ inputTokens, unscaled }: ObservedTokens): boolean {
  return Math.abs(inputTokens - unscaled) <= Math.max(tolerance.tokens, tolerance.share * unscaled);
}

function factorOf({ inputTokens, unscaled }: ObservedTokens): number {
  const factor = inputTokens / unscaled;
  return factor >= 1 / greatestFactor && factor <= greatestFactor ? factor : 1;
}
