import { textWidth } from './text-width.ts';

const continued = ' \\';
const indent = '  ';

/**
 * A command as lines that can be pasted into a shell: words quoted where they must be, and broken between options where
 * the line would be longer than so many columns.
 */
export function shellCommand(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces(words)) {
    if (line !== '' && textWidth(`${line} ${piece}${continued}`) > columns) {
      lines.push(line + continued);
      line = indent + piece;
    } else line = line === '' ? piece : `${line} ${piece}`;
  }
  return [...lines, line];
}

/** An option stays beside its value. */
function pieces(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const quoted = quotedWord(word);
    const before = words[index - 1] ?? '';
    if (before.startsWith('--')) joined.push(`${joined.pop()} ${quoted}`);
    else joined.push(quoted);
  }
  return joined;
}

function quotedWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
