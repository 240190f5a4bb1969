import { wrapHanging } from '../display/index.ts';
import type { Terminal } from '../terminal.ts';

/** Prints a title with facts beside it, or below where they do not fit. */
export function printTitle({ print, paint, width }: Terminal, title: string, about = ''): void {
  const [first = '', ...rest] = wrapHanging(onOneLine(about === '' ? title : `${title}  ${about}`), width);
  print(first.startsWith(title) ? paint.bold(title) + paint.dim(first.slice(title.length)) : paint.bold(first));
  for (const line of rest) print(paint.dim(line));
}

/** Prints a line of a list, broken between words. */
export function printHanging(terminal: Terminal, text: string, paint: (text: string) => string = String): void {
  for (const line of wrapHanging(`  ${onOneLine(text)}`, terminal.width)) terminal.print(paint(line));
}

/** Prints a line that may be indented, broken between words. */
export function printLine(terminal: Terminal, text: string): void {
  for (const line of wrapHanging(onOneLine(text), terminal.width)) terminal.print(line);
}

/** Names come from anywhere. */
function onOneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}
