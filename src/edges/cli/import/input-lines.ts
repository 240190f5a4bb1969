import type { ForeignInput } from './foreign-input.ts';

/** One line of a foreign file. */
export interface InputLine {
  /** Without the line feed; `undefined` if the line is longer than is read. */
  readonly bytes: Uint8Array | undefined;
  /** Counted from 1. */
  readonly line: number;
  /** Where it ends in the file. */
  readonly endByte: number;
}

const newline = 0x0a;

/**
 * Splits at line feeds alone: U+2028 is legal inside a JSON string, so readline would cut too often. A line that is
 * longer than `longest` bytes is passed over without being held in memory.
 */
export async function* inputLines(input: ForeignInput, longest: number): AsyncIterable<InputLine> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  let endByte = 0;
  const add = (piece: Uint8Array) => {
    length += piece.length;
    if (length <= longest) pieces.push(piece);
    else pieces = [];
  };
  const take = (): InputLine => ({ bytes: length <= longest ? joined(pieces) : undefined, line, endByte });
  for await (const chunk of input.chunks()) {
    let rest = chunk;
    for (let at = rest.indexOf(newline); at !== -1; at = rest.indexOf(newline)) {
      add(rest.subarray(0, at));
      endByte += at + 1;
      yield take();
      pieces = [];
      length = 0;
      line += 1;
      rest = rest.subarray(at + 1);
    }
    endByte += rest.length;
    add(rest);
  }
  yield take();
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 ? (pieces[0] ?? new Uint8Array()) : Buffer.concat(pieces);
}
