import type { Assembly, RequestTokens } from '../../../context/assembly/index.ts';
import {
  estimateTokens,
  type ModelRequest,
  normalizeRanges,
  type Part,
  type Provider,
  type SeqRange,
} from '../../../events/index.ts';
import type { MemoryEntry } from '../../../memory/service/index.ts';
import {
  contentText,
  countText,
  fitWidth,
  oneLine,
  printable,
  rangesText,
  textWidth,
  wrapWidth,
} from '../display/index.ts';
import type { Paint, Terminal } from '../terminal.ts';
import { aboutText } from './print-blocks.ts';
import { type RequestPiece, requestPieces } from './request-pieces.ts';

/** How a request is printed. */
export interface RequestPrinting {
  readonly agentName: string;
  readonly provider: Provider;
  /** Whole texts instead of one line each. */
  readonly full: boolean;
  /** At most this many of the newest contents; 0: all. */
  readonly limit: number;
  /** The recalled memories have been printed already; their block is only counted unless whole texts are wanted. */
  readonly memoriesAbove: boolean;
  /** Where the conversation comes from: each piece is marked with its events, and as stable if it begins the next request. */
  readonly assembly?: Pick<Assembly, 'contents' | 'sources'>;
}

/** A request, with what was recalled for it. */
export type PrintedRequest = Pick<
  ModelRequest,
  'instruction' | 'tools' | 'contents' | 'transient' | 'transientParts'
> & {
  readonly memories: readonly MemoryEntry[];
  readonly tokens: Pick<RequestTokens, 'n' | 'label'>;
};

const indent = '      ';
const widestText = 100;
const besideSource = '  model  stable'.length;

/** Prints what a model would be given: instruction, then contents; what was placed for this question alone is marked. */
export function printRequest(terminal: Terminal, request: PrintedRequest, options: RequestPrinting): void {
  const { paint, print } = terminal;
  const { contents, instruction } = request;
  printTitle(terminal, request, options);
  const sourceOf = sourcesOf(options.assembly);
  const stable = options.assembly === undefined ? '' : `  ${paint.dim('stable')}`;
  for (const text of instruction)
    printText(terminal, { label: paint.bold('instruction') + stable, text, full: options.full });
  if (request.tools.length > 0) {
    const text = request.tools.map(({ name }) => name).join(', ');
    printText(terminal, { label: paint.bold('tools') + stable, text, full: options.full });
  }
  const from = options.limit === 0 ? 0 : Math.max(0, contents.length - options.limit);
  if (from > 0) print(paint.dim(`  … ${countText(from, 'earlier content')}`));
  for (const piece of requestPieces(request)) {
    if (piece.content < from) continue;
    const text = contentText(piece);
    const isShown = piece.isTransient && options.memoriesAbove && !options.full;
    // What was recalled is in nobody's log, so it is never cut.
    const full = options.full || piece.isTransient;
    const label =
      pieceLabel(piece, paint, options.assembly !== undefined) +
      paint.dim(fitWidth(sourceOf(piece), terminal.width - besideSource));
    printText(terminal, { label, text: isShown ? recalledText(request, text) : text, full });
  }
}

/** Who speaks in a piece of a request, and whether it is there for this request only. */
export function pieceLabel({ role, isTransient }: RequestPiece, paint: Paint, marksStable = false): string {
  const speaker = role === 'user' ? paint.cyan('user') : paint.green('model');
  if (isTransient) return `${speaker}  ${paint.yellow('for this request only')}`;
  return marksStable ? `${speaker}  ${paint.dim('stable')}` : speaker;
}

/** Says of a piece which events of the log it comes from, as `#3–5`. */
function sourcesOf({ contents, sources }: Pick<Assembly, 'contents' | 'sources'> = { contents: [], sources: [] }) {
  const seqs = new Map<Part, readonly number[]>();
  for (const [index, { parts }] of contents.entries()) for (const part of parts) seqs.set(part, sources[index] ?? []);
  return ({ parts }: RequestPiece): string => {
    const found = new Set(parts.flatMap((part) => seqs.get(part) ?? []));
    const ranges = normalizeRanges([...found].map((seq): SeqRange => [seq, seq]));
    return ranges.length === 0 ? '' : `  #${rangesText(ranges)}`;
  };
}

/** Says of a request that there is nothing in it, so that no tokens of its are worth telling. */
export function isBare({
  contents,
  instruction,
  tools,
}: Pick<ModelRequest, 'contents' | 'instruction' | 'tools'>): boolean {
  return contents.length === 0 && instruction.length === 0 && tools.length === 0;
}

function printTitle({ paint, print, width }: Terminal, request: PrintedRequest, options: RequestPrinting): void {
  const { contents, tokens } = request;
  const title = `Request to ${options.provider} for agent ${oneLine(options.agentName)}`;
  const size = isBare(request)
    ? countText(0, 'content')
    : `${countText(contents.length, 'content')}, ${aboutText(tokens)}${countText(tokens.n, 'token')}`;
  if (textWidth(title) + 2 + textWidth(size) <= width) {
    print(`${paint.bold(title)}  ${paint.dim(size)}`);
    return;
  }
  for (const line of wrapWidth(title, width)) print(paint.bold(line));
  print(`  ${paint.dim(size)}`);
}

/** For memories that stand above with their sources. */
function recalledText({ memories }: PrintedRequest, block: string): string {
  const size = countText(estimateTokens.count(block), 'token');
  return `[${countText(memories.length, 'memory', 'memories')} in ${size}; --full prints them]`;
}

function printText(terminal: Terminal, piece: { label: string; text: string; full: boolean }): void {
  terminal.print(`  ${piece.label}`);
  const width = Math.min(terminal.width - indent.length, piece.full ? widestText : Number.POSITIVE_INFINITY);
  const lines = piece.full ? wrapWidth(printable(piece.text), width) : [fitWidth(oneLine(piece.text), width)];
  for (const line of lines) terminal.print(`${indent}${line}`.trimEnd());
}
