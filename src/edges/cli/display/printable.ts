// biome-ignore lint/suspicious/noControlCharactersInRegex: this is the pattern that finds them
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** The codes that picocolors writes for the styles in use. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const colourCode = /(\u001b\[(?:[124]|2[24]|3[1-6]|39)m)/u;

/** A text that a terminal shows as it is: what would move the cursor, colour or reorder text becomes visible. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x09) return '  ';
    if (code === 0x0d) return '';
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}

/** The same, but for the colours of the command's own. */
export function printableWithColours(text: string): string {
  return text
    .split(colourCode)
    .map((piece, index) => (index % 2 === 1 ? piece : printable(piece)))
    .join('');
}

/** JSON text in which such characters are escaped: a terminal shows it as it is, and it means the same. */
export function printableJson(json: string): string {
  return json.replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A text on one line: runs of white space become one space. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}
