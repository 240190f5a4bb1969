const dimensions = 16;

/** A vector of a text, of length one: the same for the same text, near for texts with many characters in common. */
export function vectorOf(text: string): readonly number[] {
  const counts = new Array<number>(dimensions).fill(0);
  for (const character of text.toLowerCase()) {
    const slot = (character.codePointAt(0) ?? 0) % dimensions;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  const length = Math.hypot(...counts) || 1;
  return counts.map((count) => count / length);
}
