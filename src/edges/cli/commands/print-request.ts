import type { ContextRequest } from '../../../engine/index.ts';
import type { Provider } from '../../../events/index.ts';
import { estimateTokens } from '../../../events/index.ts';
import { contentText, countText, fitWidth, oneLine, printable, wrapWidth } from '../display/index.ts';
import type { Terminal } from '../terminal.ts';

/** How a request is printed. */
export interface RequestPrinting {
  readonly agentName: string;
  readonly provider: Provider;
  /** Whole texts instead of one line each. */
  readonly full: boolean;
  /** At most this many of the newest contents; 0: all. */
  readonly limit: number;
}

const indent = '      ';
const widestText = 100;

/** Prints what a model would be given: instruction, then contents; what was placed for this question alone is marked. */
export function printRequest(terminal: Terminal, request: ContextRequest, options: RequestPrinting): void {
  const { paint, print } = terminal;
  const { contents, instruction } = request;
  const texts = contents.map(contentText);
  const tokens = [...instruction, ...texts].reduce((sum, text) => sum + estimateTokens.count(text), 0);
  print(
    paint.bold(`Request to ${options.provider} for agent ${options.agentName}`) +
      paint.dim(`  ${countText(contents.length, 'content')}, about ${countText(tokens, 'token')}`),
  );
  for (const text of instruction) printText(terminal, { label: paint.bold('instruction'), text, full: options.full });
  const transient = new Set(request.transient);
  const from = options.limit === 0 ? 0 : Math.max(0, contents.length - options.limit);
  if (from > 0) print(paint.dim(`  … ${countText(from, 'earlier content')}`));
  for (const [index, content] of contents.entries()) {
    if (index < from) continue;
    const isTransient = transient.has(index);
    const role = content.role === 'user' ? paint.cyan('user') : paint.green('model');
    const label = isTransient ? `${role} ${paint.yellow('recalled, this request only')}` : role;
    // What was recalled is what one asks for here, so it is always shown whole.
    printText(terminal, { label, text: texts[index] ?? '', full: options.full || isTransient });
  }
}

function printText(terminal: Terminal, piece: { label: string; text: string; full: boolean }): void {
  terminal.print(`  ${piece.label}`);
  const width = Math.min(terminal.width - indent.length, piece.full ? widestText : Number.POSITIVE_INFINITY);
  const lines = piece.full ? wrapWidth(printable(piece.text), width) : [fitWidth(oneLine(piece.text), width)];
  for (const line of lines) terminal.print(`${indent}${line}`.trimEnd());
}
