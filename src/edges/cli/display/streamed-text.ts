import { graphemesOf } from './text-width.ts';
import { mayBreak, wrapWidth } from './wrap-width.ts';

/**
 * Breaks a text into lines while it comes, as wrapWidth() breaks it when it is whole. What cannot change its place any
 * more is written at once; the word at the end waits for what comes next. A line that has begun keeps its width; the next
 * one has the width of then.
 */
export class StreamedText {
  readonly #width: () => number;
  readonly #write: (text: string) => void;
  /** The width of the line at hand. */
  #columns: number;
  /** What came of it, and how much of that has been written. */
  #line = '';
  #written = 0;
  /** The last character of it, which what comes may still join. */
  #tail = '';

  constructor(width: () => number, write: (text: string) => void) {
    this.#width = width;
    this.#columns = width();
    this.#write = write;
  }

  push(text: string): void {
    const [first = '', ...rest] = text.split('\n');
    this.#extend(first);
    for (const next of rest) {
      this.end();
      this.#write('\n');
      this.#extend(next);
    }
  }

  /** Writes what waits. */
  end(): void {
    this.#settle(this.#line + this.#tail);
    this.#write(this.#line.trimEnd().slice(this.#written));
    this.#line = '';
    this.#tail = '';
    this.#written = 0;
  }

  #extend(text: string): void {
    const graphemes = graphemesOf(this.#line + this.#tail + text);
    // Half a surrogate pair stands as a grapheme of its own until the other half comes.
    const held = /[\ud800-\udbff]$/.test(text) ? 2 : 1;
    this.#tail = graphemes.splice(-held).join('');
    this.#settle(graphemes.join(''));
  }

  /** Writes what is certain of a line. */
  #settle(line: string): void {
    const width = this.#width();
    if (this.#written === 0) this.#columns = width;
    const lines = wrapWidth(line, this.#columns);
    const [first = ''] = lines;
    if (lines.length > 1 && width !== this.#columns) {
      this.#write(`${first.slice(this.#written)}\n`);
      this.#written = 0;
      this.#settle(line.slice(first.length).trimStart());
      return;
    }
    for (const whole of lines.slice(0, -1)) {
      this.#write(`${whole.slice(this.#written)}\n`);
      this.#written = 0;
    }
    const last = lines.at(-1) ?? '';
    this.#line = last + line.slice(line.trimEnd().length);
    const settled = settledLength(last);
    if (settled <= this.#written) return;
    this.#write(last.slice(this.#written, settled));
    this.#written = settled;
  }
}

/** How much of a line stays where it is, whatever follows. */
function settledLength(line: string): number {
  const graphemes = graphemesOf(line);
  for (let at = graphemes.length - 1; at > 0; at--) {
    if (mayBreak(graphemes[at - 1] ?? '', graphemes[at] ?? '')) return graphemes.slice(0, at).join('').length;
  }
  return 0;
}
