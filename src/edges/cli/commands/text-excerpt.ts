import { fitWidth, oneLine, wrapWidth } from '../display/index.ts';

/** How much of two texts is shown where they part. */
export interface ExcerptSize {
  /** Columns of a line. */
  readonly width: number;
  /** Lines of each; 0: all of it. */
  readonly lines: number;
}

/** At least so many characters of what both have stand before the difference, and at most so many. */
const kept = { fewest: 16, most: 48 };
/** After these a text may begin. */
const boundary = /[\s，。；、：！？,;]/u;

/** Two texts, from shortly before the place where they part, each in a few lines. */
export function textExcerpts(first: string, second: string, size: ExcerptSize): readonly [string[], string[]] {
  const [before, after] = [oneLine(first), oneLine(second)];
  const start = size.lines === 0 ? 0 : startOf(before, commonLength(before, after));
  return [excerpt(before, start, size), excerpt(after, start, size)];
}

/** A text in a few lines. */
export function excerpt(text: string, start: number, { width, lines }: ExcerptSize): string[] {
  const shown = start === 0 ? text : `…${text.slice(start)}`;
  const all = Number.isFinite(width) ? wrapWidth(shown, width) : [shown];
  if (lines === 0 || all.length <= lines) return all;
  return [...all.slice(0, lines - 1), fitWidth(all.slice(lines - 1).join(' '), width)];
}

function commonLength(first: string, second: string): number {
  let length = 0;
  while (length < first.length && length < second.length && first[length] === second[length]) length++;
  return length;
}

/** Where to begin, so that it is no middle of a word, or of a character. */
function startOf(text: string, parting: number): number {
  if (parting <= kept.most) return 0;
  for (let at = parting - kept.fewest; at > parting - kept.most; at--) if (boundary.test(text[at - 1] ?? '')) return at;
  const rest = text.slice(parting - kept.most);
  return text.length - rest.replace(/^[\p{Mark}\p{Default_Ignorable_Code_Point}\udc00-\udfff]+/u, '').length;
}
