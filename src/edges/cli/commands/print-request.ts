import type { Content, ModelRequest, Provider } from '../../../events/index.ts';
import { estimateTokens } from '../../../events/index.ts';
import type { MemoryEntry } from '../../../memory/service/index.ts';
import { contentText, countText, fitWidth, oneLine, printable, textWidth, wrapWidth } from '../display/index.ts';
import type { Terminal } from '../terminal.ts';

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
}

/** A request, with what was recalled for it. */
export type PrintedRequest = Pick<
  ModelRequest,
  'instruction' | 'tools' | 'contents' | 'transient' | 'transientParts'
> & {
  readonly memories: readonly MemoryEntry[];
};

const indent = '      ';
const widestText = 100;

/** Prints what a model would be given: instruction, then contents; what was placed for this question alone is marked. */
export function printRequest(terminal: Terminal, request: PrintedRequest, options: RequestPrinting): void {
  const { paint, print } = terminal;
  const { contents, instruction } = request;
  const texts = contents.map(contentText);
  const tokens = [...instruction, ...texts].reduce((sum, text) => sum + estimateTokens.count(text), 0);
  const title = `Request to ${options.provider} for agent ${oneLine(options.agentName)}`;
  const size = `${countText(contents.length, 'content')}, about ${countText(tokens, 'token')}`;
  const fits = textWidth(title) + 2 + textWidth(size) <= terminal.width;
  for (const line of fits ? [`${paint.bold(title)}  ${paint.dim(size)}`] : [paint.bold(title), `  ${paint.dim(size)}`])
    print(line);
  for (const text of instruction) printText(terminal, { label: paint.bold('instruction'), text, full: options.full });
  if (request.tools.length > 0) {
    const text = request.tools.map(({ name }) => name).join(', ');
    printText(terminal, { label: paint.bold('tools'), text, full: options.full });
  }
  const from = options.limit === 0 ? 0 : Math.max(0, contents.length - options.limit);
  if (from > 0) print(paint.dim(`  … ${countText(from, 'earlier content')}`));
  for (const { role, text, isTransient } of piecesOf(request, from)) {
    const speaker = role === 'user' ? paint.cyan('user') : paint.green('model');
    const label = isTransient ? `${speaker}  ${paint.yellow('for this request only')}` : speaker;
    const isShown = isTransient && options.memoriesAbove && !options.full;
    // What was recalled is in nobody's log, so it is never cut.
    const full = options.full || isTransient;
    printText(terminal, { label, text: isShown ? recalledText(request, text) : text, full });
  }
}

interface Piece {
  readonly role: Content['role'];
  readonly text: string;
  readonly isTransient: boolean;
}

/** The contents from an index on; where one shares a content with what is there for this request only, they are parted. */
function piecesOf({ contents, transient, transientParts: span }: PrintedRequest, start: number): Piece[] {
  const alone = new Set(transient);
  return contents.flatMap((content, index) => {
    const { role, parts } = content;
    if (index < start) return [];
    if (span?.content !== index) return [{ role, text: contentText(content), isTransient: alone.has(index) }];
    const pieceOf = (some: Content['parts'], isTransient: boolean) =>
      some.length === 0 ? [] : [{ role, text: contentText({ role, parts: some }), isTransient }];
    const { from, to } = span;
    return [
      ...pieceOf(parts.slice(0, from), false),
      ...pieceOf(parts.slice(from, to), true),
      ...pieceOf(parts.slice(to), false),
    ];
  });
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
