import type { ContextRequest } from '../../../engine/index.ts';
import type { Provider } from '../../../events/index.ts';
import { estimateTokens } from '../../../events/index.ts';
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

const indent = '      ';
const widestText = 100;

/** Prints what a model would be given: instruction, then contents; what was placed for this question alone is marked. */
export function printRequest(terminal: Terminal, request: ContextRequest, options: RequestPrinting): void {
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
  const transient = new Set(request.transient);
  const from = options.limit === 0 ? 0 : Math.max(0, contents.length - options.limit);
  if (from > 0) print(paint.dim(`  … ${countText(from, 'earlier content')}`));
  for (const [index, content] of contents.entries()) {
    if (index < from) continue;
    const isTransient = transient.has(index);
    const role = content.role === 'user' ? paint.cyan('user') : paint.green('model');
    const label = isTransient ? `${role}  ${paint.yellow('for this request only')}` : role;
    const isShown = isTransient && options.memoriesAbove && !options.full;
    const text = isShown ? recalledText(request, texts[index] ?? '') : (texts[index] ?? '');
    // What was recalled is in nobody's log, so it is never cut.
    printText(terminal, { label, text, full: options.full || isTransient });
  }
}

/** For memories that stand above with their sources. */
function recalledText({ memories }: ContextRequest, block: string): string {
  const size = countText(estimateTokens.count(block), 'token');
  return `[${countText(memories.length, 'memory', 'memories')} in ${size}; --full prints them]`;
}

function printText(terminal: Terminal, piece: { label: string; text: string; full: boolean }): void {
  terminal.print(`  ${piece.label}`);
  const width = Math.min(terminal.width - indent.length, piece.full ? widestText : Number.POSITIVE_INFINITY);
  const lines = piece.full ? wrapWidth(printable(piece.text), width) : [fitWidth(oneLine(piece.text), width)];
  for (const line of lines) terminal.print(`${indent}${line}`.trimEnd());
}
