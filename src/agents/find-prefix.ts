/** Where the start of a pattern stands in a text of symbols. */
export interface PrefixFound {
  /** How many symbols of the pattern's start are the text's last ones. */
  readonly atEnd: number;
  /** The most symbols of the pattern's start that stand in a row anywhere in the text. */
  readonly longest: number;
  /** Where, for the last such place: the index after it. */
  readonly end: number;
}

/**
 * Finds the start of a pattern in a text, in time that grows with both (the prefix function of Knuth, Morris and Pratt).
 */
export function findPrefix(pattern: readonly string[], text: readonly string[]): PrefixFound {
  const borders = bordersOf(pattern);
  let matched = 0;
  let longest = 0;
  let end = 0;
  for (const [index, symbol] of text.entries()) {
    if (matched === pattern.length) matched = borders[matched - 1] ?? 0;
    while (matched > 0 && pattern[matched] !== symbol) matched = borders[matched - 1] ?? 0;
    if (pattern[matched] === symbol) matched++;
    if (matched === 0 || matched < longest) continue;
    longest = matched;
    end = index + 1;
  }
  return { atEnd: matched, longest, end };
}

/** For each start of the pattern, the length of the longest shorter start that it ends with. */
function bordersOf(pattern: readonly string[]): readonly number[] {
  const borders: number[] = [];
  let matched = 0;
  for (const [index, symbol] of pattern.entries()) {
    while (matched > 0 && pattern[matched] !== symbol) matched = borders[matched - 1] ?? 0;
    if (index > 0 && pattern[matched] === symbol) matched++;
    borders.push(matched);
  }
  return borders;
}
