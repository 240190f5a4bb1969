import type { JsonValue } from '../../events/index.ts';

const pieceLength = 8_192;

/**
 * The JSON text of a value in pieces, as JSON.stringify writes it, so that a large one can be measured or begun without
 * being built. Texts must be well-formed, as copyJson makes them.
 */
export function* jsonPieces(value: JsonValue): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* textPieces(value);
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (isList(value)) yield* listPieces(value);
  else yield* mapPieces(value);
}

/** The bytes that the JSON of a value takes in UTF-8. */
export function jsonBytes(value: JsonValue): number {
  let bytes = 0;
  for (const piece of jsonPieces(value)) bytes += Buffer.byteLength(piece);
  return bytes;
}

/** The beginning of the JSON of a value, at least this many code units if it has them. */
export function jsonBeginning(value: JsonValue, length: number): string {
  let beginning = '';
  for (const piece of jsonPieces(value)) {
    beginning += piece;
    if (beginning.length >= length) break;
  }
  return beginning;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function* textPieces(text: string): Generator<string, void, undefined> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    const wanted = from + pieceLength;
    // A pair stays whole: JSON writes halves as escapes.
    const to = (text.codePointAt(wanted - 1) ?? 0) > 0xffff ? wanted + 1 : wanted;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

function* listPieces(list: readonly JsonValue[]): Generator<string, void, undefined> {
  let before = '[';
  for (const item of list) {
    yield before;
    yield* jsonPieces(item);
    before = ',';
  }
  yield list.length === 0 ? '[]' : ']';
}

function* mapPieces(map: { readonly [key: string]: JsonValue }): Generator<string, void, undefined> {
  let before = '{';
  for (const [key, member] of Object.entries(map)) {
    yield before;
    yield* textPieces(key);
    yield ':';
    yield* jsonPieces(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
