import type { MemoryEntry } from '../../../memory/service/index.ts';
import { fitWidth, oneLine, textWidth, timeText, wrapWidth } from '../display/index.ts';
import { sourceText } from '../source-text.ts';
import type { Terminal } from '../terminal.ts';

const gap = '  ';
/** Width of a score and the gap. */
const indent = '      ';
const linesShown = 3;
const widestText = 100;

/** Prints memories, best first, each with its score, where it comes from, when and by whom. */
export function printMemories(terminal: Terminal, memories: readonly MemoryEntry[]): void {
  const { paint } = terminal;
  for (const memory of memories) {
    const score = memory.score === undefined ? '    ' : memory.score.toFixed(2);
    const facts = [timeText(memory.timestamp, memory.timeZone), oneLine(memory.author)];
    if (memory.kind !== 'turn') facts.push(memory.kind);
    const source = sourceText(memory);
    const about = facts.join(' · ');
    const fits = indent.length + textWidth(source) + gap.length + textWidth(about) <= terminal.width;
    const [first = '', ...rest] = wrapWidth(source, terminal.width - indent.length);
    terminal.print(`${paint.bold(score)}${gap}${paint.cyan(first)}${fits ? gap + paint.dim(about) : ''}`);
    for (const line of rest) terminal.print(indent + paint.cyan(line));
    if (!fits) terminal.print(indent + paint.dim(fitWidth(about, terminal.width - indent.length)));
    const emphasise = emphasiser(memory.matchedTerms ?? [], paint.underline);
    for (const line of textLines(memory.text, terminal.width)) terminal.print(`${indent}${emphasise(line)}`);
  }
}

function textLines(text: string, width: number): string[] {
  if (!Number.isFinite(width)) return [oneLine(text)];
  const columns = Math.min(width - indent.length, widestText);
  const lines = wrapWidth(oneLine(text), columns);
  if (lines.length <= linesShown) return lines;
  return [...lines.slice(0, linesShown - 1), fitWidth(lines.slice(linesShown - 1).join(' '), columns)];
}

/** Shows why a memory was found: the words of the query that are in it. */
function emphasiser(terms: readonly string[], paint: (text: string) => string): (line: string) => string {
  if (terms.length === 0) return (line) => line;
  const pattern = [...terms]
    .sort((a, b) => b.length - a.length)
    .map((term) => term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const words = new RegExp(pattern.join('|'), 'giu');
  return (line) => line.replace(words, (word) => paint(word));
}
