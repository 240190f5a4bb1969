import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PalimpsestError } from '../index.ts';

/** A file of a data set. */
export interface SetFile {
  readonly path: string;
  readonly text: string;
  readonly sha256: string;
}

/** Reads a file of a data set. Throws FILE_NOT_FOUND. */
export async function readSetFile(path: string): Promise<SetFile> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new PalimpsestError('FILE_NOT_FOUND', { file: path }, { cause });
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, text: new TextDecoder().decode(bytes), sha256 };
}

/** The JSON of a file. Throws INVALID_IMPORT. */
export function jsonOf({ path, text }: SetFile): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const details = { file: path, field: 'the file', reason: 'is no JSON' };
    throw new PalimpsestError('INVALID_IMPORT', details, { cause });
  }
}

/** The JSON of each line that is not empty, with its number. Throws INVALID_IMPORT. */
export function jsonLinesOf({ path, text }: SetFile): readonly { readonly line: number; readonly value: unknown }[] {
  return text.split('\n').flatMap((each, index) => {
    if (each.trim() === '') return [];
    const line = index + 1;
    try {
      return [{ line, value: JSON.parse(each) as unknown }];
    } catch (cause) {
      const details = { file: path, line, field: 'the line', reason: 'is no JSON' };
      throw new PalimpsestError('INVALID_IMPORT', details, { cause });
    }
  });
}

/** A value in the shape that the schema says. Throws INVALID_IMPORT, which names the field. */
export function shaped<T>(
  schema: {
    safeParse(
      value: unknown,
    ):
      | { success: true; data: T }
      | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
  },
  value: unknown,
  { path, line }: { readonly path: string; readonly line?: number },
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') || 'the document';
  const reason = `is not as it should be: ${issue?.message ?? 'unknown'}`;
  throw new PalimpsestError('INVALID_IMPORT', { file: path, field, reason, ...(line === undefined ? {} : { line }) });
}
