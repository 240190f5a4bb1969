import { graphemesOf, graphemeWidth, textWidth } from './text-width.ts';

const hang = 2;
const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;
/** Punctuation that belongs to what stands before it. */
const closing = /^[、。，．：；？！）］｝】〕〉》」』〗〙”’…—～·％‰℃%,.:;?!)\]}]/u;
/** Punctuation that belongs to what comes after it. */
const opening = /[（［｛【〔〈《「『〖〘“‘([{]$/u;

/**
 * A text broken into lines of at most so many columns: at spaces, and beside Chinese and Japanese characters, where no
 * line begins with closing punctuation or ends with opening one. A word that is longer than a line is broken anywhere.
 */
export function wrapWidth(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.trimEnd(), columns));
}

/** The same for lines that may be indented: what does not fit goes on two columns further in. */
export function wrapHanging(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    if (textWidth(line) <= columns) return [line.trimEnd()];
    const indent = line.length - line.trimStart().length;
    return wrapWidth(line.trimStart(), Math.max(2, columns - indent - hang)).map((piece, index) =>
      piece === '' ? '' : ' '.repeat(index === 0 ? indent : indent + hang) + piece,
    );
  });
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current: string[] = [];
  let width = 0;
  for (const grapheme of graphemesOf(line)) {
    const own = graphemeWidth(grapheme);
    // What moves to the next line may be too long for it with this grapheme, so that it breaks once more.
    while (width + own > columns && current.length > 0) {
      const at = grapheme === ' ' ? current.length : lastBreak(current, grapheme);
      lines.push(current.slice(0, at).join('').trimEnd());
      current = current.slice(at);
      while (current[0] === ' ') current.shift();
      width = textWidth(current.join(''));
    }
    if (grapheme === ' ' && current.length === 0 && lines.length > 0) continue;
    current.push(grapheme);
    width += own;
  }
  lines.push(current.join(''));
  return lines;
}

/** How many of the graphemes stay on the line; the next one does not fit any more. */
function lastBreak(graphemes: readonly string[], next: string): number {
  for (let at = graphemes.length; at > 0; at--) {
    if (mayBreak(graphemes[at - 1] ?? '', graphemes[at] ?? next)) return at;
  }
  return graphemes.length;
}

/** True if a line may end between two graphemes. */
export function mayBreak(before: string, after: string): boolean {
  if (before === ' ') return after !== ' ';
  if (after === ' ') return false;
  if (closing.test(after) || opening.test(before)) return false;
  return ideograph.test(before) || ideograph.test(after) || before === '”' || after === '“';
}
