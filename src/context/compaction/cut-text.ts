const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** No character that a reader takes for one is longer, but for mischief, which is cut at a code point. */
const longestGrapheme = 64;

/** The start of a text and how many code points of it are left out. */
export interface CutText {
  readonly text: string;
  readonly beyond: number;
}

/** At most so many code points of a text, cut where a character ends that may be made of several. */
export function cutText(text: string, most: number): CutText {
  if (text.length <= most) return { text, beyond: 0 };
  const end = endOfPoints(text, most);
  if (end === text.length) return { text, beyond: 0 };
  const from = Math.max(0, end - longestGrapheme);
  const across = graphemes.segment(text.slice(from, end + longestGrapheme)).containing(end - from);
  const isLong = across === undefined || (across.index === 0 && from > 0);
  const kept = text.slice(0, isLong ? end : from + across.index);
  return { text: kept, beyond: countPoints(text) - countPoints(kept) };
}

/** How many code points a text has. */
export function countPoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; count++) index += widthAt(text, index);
  return count;
}

function endOfPoints(text: string, count: number): number {
  let end = 0;
  for (let seen = 0; seen < count && end < text.length; seen++) end += widthAt(text, end);
  return end;
}

function widthAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
