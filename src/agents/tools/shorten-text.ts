/** The first code points of a text, never half a surrogate pair; lone surrogates become U+FFFD. */
export function firstCodePoints(text: string, count: number): string {
  // A code point takes at most two code units, so that the cut of the slice is behind the cut that counts.
  const characters = Array.from(text.slice(0, 2 * count));
  return characters.slice(0, count).join('').toWellFormed();
}

/** The same, with an ellipsis where something was cut. */
export function shortenText(text: string, count: number): string {
  const beginning = firstCodePoints(text, count);
  return beginning.length < text.length ? `${beginning}…` : beginning;
}
