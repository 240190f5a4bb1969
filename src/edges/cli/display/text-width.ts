const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const plainAscii = /^[\x20-\x7e]*$/;
const zeroWidth = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\u3099-\u30ff\u3100-\u312f\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;

/** How many columns of a terminal a text takes: two for Chinese, Japanese, Korean and emoji. */
export function textWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

/** The graphemes of a text: what a reader takes for one character each. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** A text cut between graphemes to fit into so many columns, with an ellipsis where something is left out. */
export function fitWidth(text: string, columns: number): string {
  if (text.length <= columns && plainAscii.test(text)) return text;
  let kept = '';
  let width = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    const next = width + graphemeWidth(segment);
    if (next > columns) return cutBack(kept, columns);
    // The ellipsis needs a column only if something follows.
    if (next === columns && index + segment.length < text.length) return cutBack(kept + segment, columns);
    kept += segment;
    width = next;
  }
  return kept;
}

/** A text filled up with spaces to so many columns. */
export function padWidth(text: string, columns: number, side: 'left' | 'right' = 'right'): string {
  const padding = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return side === 'left' ? padding + text : text + padding;
}

/** Takes graphemes off the end until an ellipsis fits. */
function cutBack(text: string, columns: number): string {
  const graphemes = graphemesOf(text);
  let width = textWidth(text);
  while (graphemes.length > 0 && width > columns - 1) width -= graphemeWidth(graphemes.pop() ?? '');
  return columns < 1 ? '' : `${graphemes.join('').trimEnd()}…`;
}

/** How many columns one grapheme takes. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return 1;
  if (zeroWidth.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}
