const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const plainAscii = /^[\x20-\x7e]*$/;
const zeroWidth = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\u3099-\u30ff\u3100-\u312f\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is the pattern that finds them
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** How many columns of a terminal a text takes: two for Chinese, Japanese, Korean and emoji. */
export function textWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** A text that a terminal shows as it is: what would move the cursor, colour or reorder text becomes visible. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x09) return '  ';
    if (code === 0x0d) return '';
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}

/** The same on one line: runs of white space become one space. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
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

/** A text broken into lines of at most so many columns, at spaces where there are some, else between graphemes. */
export function wrapWidth(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.trimEnd(), columns));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = '';
  let width = 0;
  for (const { segment } of segmenter.segment(line)) {
    const own = graphemeWidth(segment);
    if (width + own > columns && current !== '') {
      const space = segment === ' ' ? current.length : current.lastIndexOf(' ');
      const at = space > 0 ? space : current.length;
      lines.push(current.slice(0, at).trimEnd());
      current = current.slice(at).trimStart();
      width = textWidth(current);
      if (current === '' && segment === ' ') continue;
    }
    current += segment;
    width += own;
  }
  lines.push(current);
  return lines;
}

/** Takes graphemes off the end until an ellipsis fits. */
function cutBack(text: string, columns: number): string {
  const graphemes = [...segmenter.segment(text)].map(({ segment }) => segment);
  let width = textWidth(text);
  while (graphemes.length > 0 && width > columns - 1) width -= graphemeWidth(graphemes.pop() ?? '');
  return columns < 1 ? '' : `${graphemes.join('').trimEnd()}…`;
}

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return 1;
  if (zeroWidth.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}
