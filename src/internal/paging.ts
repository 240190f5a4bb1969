/** Makes an opaque cursor of a few strings and numbers. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}

/** The parts of a cursor made by encodeCursor, or `undefined` if the text is not one. */
export function decodeCursor(cursor: string): readonly (string | number)[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const valid = Array.isArray(parts) && parts.every((part) => typeof part === 'string' || typeof part === 'number');
    return valid ? parts : undefined;
  } catch {
    return undefined;
  }
}
