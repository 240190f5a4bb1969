import {
  type Block,
  type Content,
  type CountTokens,
  type Event,
  estimateTokens,
  type ModelRequest,
  type Provider,
  type TokenCount,
} from '../../events/index.ts';
import { framingOf, isMedia, joinedBy, type LogCounts, logCounts, mixedCounts } from './log-counts.ts';
import { type MemoizedCounter, memoized } from './memoized-counter.ts';
import { mediaTokens, messageConstants, toolConstants } from './request-constants.ts';

/** What a request's tokens belong to: a kind of block, the tools, the log, or the marks around messages. */
export type TokenKind = Block['kind'] | 'tools' | 'conversation' | 'framing';

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
  const { provider, counter = estimateTokens, events = noEvents, blocks = [], observed } = input;
  const counts = logCounts(events, memoized(counter));
  const sum = new Sum();
  addInstruction(sum, request, counts.counter);
  const media = addContents(sum, request.contents, counts, blocks);
  for (const [kind, count] of media) sum.add(kind, count * mediaTokens[provider]);
  sum.add('framing', messageConstants.reply);
  const isGuess = provider !== 'openai' || media.size > 0 || sum.by === estimateTokens.name || sum.by === mixedCounts;
  return scaled(sum, isGuess, observed);
}

const noEvents: readonly Event[] = Object.freeze([]);

/** Adds up tokens by kind, and who counted them. */
class Sum {
  readonly parts = new Map<TokenKind, number>();
  by: string | undefined;

  add(kind: TokenKind, n: number): void {
    this.parts.set(kind, (this.parts.get(kind) ?? 0) + n);
  }

  count(kind: TokenKind, { n, by }: TokenCount): void {
    if (n === 0) return;
    this.add(kind, n);
    this.by = joinedBy(this.by, by);
  }
}

function addInstruction(sum: Sum, { instruction, tools }: ModelRequest, count: MemoizedCounter): void {
  const by = count.name;
  for (const text of instruction) sum.count('instruction', { n: count.text(text), by });
  sum.add('framing', instruction.length * messageConstants.message);
  if (tools.length === 0) return;
  const n = tools.reduce((total, tool) => total + count.tool(tool), 0);
  sum.count('tools', { n: n + toolConstants.allTools, by });
}

/** Adds the contents; returns how many media there are, by kind. */
function addContents(
  sum: Sum,
  contents: readonly Content[],
  counts: LogCounts,
  blocks: readonly Block[],
): ReadonlyMap<TokenKind, number> {
  const kinds = new Map(blocks.flatMap(({ kind, content }) => content.parts.map((part) => [part, kind] as const)));
  const media = new Map<TokenKind, number>();
  let [talk, framing] = [0, 0];
  for (const content of contents) {
    if (kinds.size > 0 && content.parts.some((part) => kinds.has(part))) {
      framing += framingOf(content);
      for (const part of content.parts) {
        const kind = kinds.get(part) ?? 'conversation';
        sum.count(kind, counts.part(part));
        if (isMedia(part)) media.set(kind, (media.get(kind) ?? 0) + 1);
      }
      continue;
    }
    const counted = counts.content(content);
    talk += counted.n;
    framing += counted.framing;
    if (counted.n > 0) sum.by = joinedBy(sum.by, counted.by);
    if (counted.media > 0) media.set('conversation', (media.get('conversation') ?? 0) + counted.media);
  }
  if (talk > 0) sum.add('conversation', talk);
  sum.add('framing', framing);
  return media;
}

function scaled(sum: Sum, isGuess: boolean, observed: ObservedTokens | undefined): RequestTokens {
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
