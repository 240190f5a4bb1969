import {
  type Block,
  type CountTokens,
  type Event,
  estimateTokens,
  type ModelRequest,
  type Part,
  type ProvenanceRef,
  type Provider,
  textOf,
} from '../../events/index.ts';
import type { Assembly, StageCounts } from './assembly.ts';
import type { RequestTokens } from './estimate-request.ts';
import { isMedia, type LogCounts, logCounts } from './log-counts.ts';
import { memoized } from './memoized-counter.ts';
import { mediaTokens, toolConstants } from './request-constants.ts';

/** A piece of a request, in the order in which it stands there. */
export interface BlockExplanation {
  /**
   * `conversation` is what the log gives, with the constants that open and close it: once up to and with the newest
   * question, once what follows it, and once what closes it for this request only.
   */
  readonly kind: Block['kind'] | 'tools' | 'conversation';
  /** The piece begins the next request as well, unless a break is declared. */
  readonly stable: boolean;
  /** Its texts' tokens and those of its media, unscaled, without the marks around messages. */
  readonly tokens: number;
  /** How many contents of the request, whole or in part, it stands in; 0 for instruction and tools. */
  readonly contents: number;
  readonly source?: readonly ProvenanceRef[];
}

/** What a request is made of. */
export interface RequestExplanation {
  readonly counts: StageCounts;
  readonly tokens: RequestTokens;
  readonly blocks: readonly BlockExplanation[];
  /** Unscaled tokens of the stable pieces. */
  readonly stableTokens: number;
  /** Unscaled tokens of what is there for this invocation only. */
  readonly transientTokens: number;
}

/** What an explanation is made from. */
export interface ExplainedRequest {
  /** As buildRequest() made it: the parts of its contents are those of the blocks and of the assembly. */
  readonly request: ModelRequest;
  readonly provider: Provider;
  /** The blocks that the request was made from, in the order in which they were given; stable ones are not placed as transient. */
  readonly blocks: readonly Block[];
  readonly assembly: Assembly;
  /** What estimateRequest() makes of the same request, blocks and log. */
  readonly tokens: RequestTokens;
  /** The log that the request was made from: what it has counted is not counted again. */
  readonly events: readonly Event[];
  /** Counts what has no stored count. Default: an estimate. */
  readonly counter?: CountTokens;
}

/**
 * The pieces of a request with their tokens, in the order in which they stand there. A block that says nothing has none,
 * and is told all the same. Whole tokens are dealt out so that the pieces of a kind add up to what `tokens.parts` has of
 * it; with `framing` that makes `tokens.unscaled`. Where stored counts are shared among parts, sums of fractions in
 * another order may fall on the other side of a half: then a kind is one token off, never more.
 */
export function explainRequest(input: ExplainedRequest): RequestExplanation {
  const { assembly, tokens, events, counter = estimateTokens } = input;
  const counts = logCounts(events, memoized(counter));
  const pieces = [...headPieces(input, counts), ...contentPieces(input, counts)];
  const whole = new WholeTokens();
  const blocks = Object.freeze(pieces.map((piece) => explained(piece, whole)));
  const stableTokens = sumOf(blocks.filter(({ stable }) => stable));
  return Object.freeze({
    counts: assembly.counts,
    tokens,
    blocks,
    stableTokens,
    transientTokens: sumOf(blocks) - stableTokens,
  });
}

/** A piece while its tokens are added up. */
class Piece {
  readonly kind: BlockExplanation['kind'];
  readonly stable: boolean;
  readonly source: Block['source'];
  tokens = 0;
  contents = 0;
  #lastContent = -1;

  constructor({ kind, stable, source }: Pick<BlockExplanation, 'kind' | 'stable' | 'source'>) {
    this.kind = kind;
    this.stable = stable;
    this.source = source;
  }

  /** Adds a part of the content with that index. */
  add(tokens: number, content: number): void {
    this.tokens += tokens;
    if (content !== this.#lastContent) this.contents++;
    this.#lastContent = content;
  }
}

/** Instruction and tools. */
function headPieces({ request: { tools }, blocks }: ExplainedRequest, { counter }: LogCounts): readonly Piece[] {
  const pieces = blocks.filter(isInstruction).map((block) => {
    const piece = new Piece(block);
    const said = textOf(block.content);
    if (said.trim() !== '') piece.tokens = counter.text(said);
    return piece;
  });
  if (tools.length === 0) return pieces;
  const told = new Piece({ kind: 'tools', stable: true });
  told.tokens = tools.reduce<number>((total, tool) => total + counter.tool(tool), toolConstants.allTools);
  return [...pieces, told];
}

/** What stands in the contents; of the conversation only what there is. */
function contentPieces({ request, provider, blocks, assembly }: ExplainedRequest, counts: LogCounts): readonly Piece[] {
  const placed = new PlacedBlocks(blocks);
  const isBehind = behindQuestion(assembly);
  const said = { through: conversation(true), behind: conversation(true), closing: conversation(false) };
  const transient = new Set(request.transient);
  for (const [index, { parts }] of request.contents.entries()) {
    const span = request.transientParts?.content === index ? request.transientParts : undefined;
    for (const [at, part] of parts.entries()) {
      const isTransient = transient.has(index) || (span !== undefined && at >= span.from && at < span.to);
      const spoken = isTransient ? said.closing : isBehind(part) ? said.behind : said.through;
      const piece = placed.take(part, !isTransient) ?? spoken;
      piece.add(counts.part(part).n + (isMedia(part) ? mediaTokens[provider] : 0), index);
    }
  }
  return [
    ...placed.pieces(true),
    ...[said.through].filter(isThere),
    ...placed.pieces(false),
    ...[said.behind, said.closing].filter(isThere),
  ];
}

function conversation(stable: boolean): Piece {
  return new Piece({ kind: 'conversation', stable });
}

/** The blocks that stand among the contents. */
class PlacedBlocks {
  readonly #pieces: readonly Piece[];
  /** Who brings a part, in order: the same may be given twice. */
  readonly #bringers = new Map<Part, Piece[]>();

  constructor(blocks: readonly Block[]) {
    const placed = blocks.filter((block) => !isInstruction(block));
    this.#pieces = placed.map((block) => {
      const piece = new Piece(block);
      for (const part of block.content.parts) this.#bringers.set(part, [...(this.#bringers.get(part) ?? []), piece]);
      return piece;
    });
  }

  /** The piece that a part in such a place belongs to; `undefined` if no block brings it, or all that do have theirs. */
  take(part: Part, stable: boolean): Piece | undefined {
    const bringers = this.#bringers.get(part) ?? [];
    const at = bringers.findIndex((piece) => piece.stable === stable);
    return at < 0 ? undefined : bringers.splice(at, 1)[0];
  }

  pieces(stable: boolean): readonly Piece[] {
    return this.#pieces.filter((piece) => piece.stable === stable);
  }
}

/** Tells of the parts of a conversation, asked in their order, whether they stand behind the newest question. */
function behindQuestion({ contents, question }: Assembly): (part: Part) => boolean {
  if (question === undefined) return () => false;
  const said = contents.flatMap(({ parts }) => parts);
  const before = contents.slice(0, question.content).reduce((count, { parts }) => count + parts.length, 0);
  let next = 0;
  return (part) => {
    const found = said.indexOf(part, next);
    // Not all that was said stands in the request, and what opens it was not said.
    const at = found < 0 ? next : found;
    if (found >= 0) next = found + 1;
    return at >= before + question.parts;
  };
}

/** Makes whole tokens of those of pieces, so that what a kind has in all is rounded once. */
class WholeTokens {
  readonly #sums = new Map<BlockExplanation['kind'], number>();

  next({ kind, tokens }: Piece): number {
    const before = this.#sums.get(kind) ?? 0;
    this.#sums.set(kind, before + tokens);
    return Math.round(before + tokens) - Math.round(before);
  }
}

function explained(piece: Piece, whole: WholeTokens): BlockExplanation {
  const { kind, stable, contents, source } = piece;
  return Object.freeze({ kind, stable, tokens: whole.next(piece), contents, ...(source ? { source } : {}) });
}

function isInstruction({ kind, stable }: Block): boolean {
  return kind === 'instruction' && stable;
}

function isThere({ contents }: Piece): boolean {
  return contents > 0;
}

function sumOf(blocks: readonly BlockExplanation[]): number {
  return blocks.reduce((total, { tokens }) => total + tokens, 0);
}
