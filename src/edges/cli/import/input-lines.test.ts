import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ForeignInput } from './foreign-input.ts';
import { inputLines } from './input-lines.ts';

function inputOf(pieces: readonly Uint8Array[]): ForeignInput {
  const whole = Buffer.concat(pieces);
  const chunks = async function* () {
    yield* pieces;
  };
  return { file: 'f', size: whole.length, head: whole, chunks };
}

test('lines are cut at line feeds alone, however the bytes come; longer ones are passed over', async () => {
  const text = fc.array(fc.constantFrom('a', '中', '\u2028', '\r', '\n', '\n\n', 'x'.repeat(9)), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 0, max: 30 }),
      async (said, size, longest) => {
        const bytes = Buffer.from(said.join(''));
        const pieces: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
        const lines: (string | undefined)[] = [];
        let last = { line: 0, endByte: 0 };
        for await (const line of inputLines(inputOf(pieces), longest)) {
          expect(line.line).toBe(last.line + 1);
          expect(line.endByte).toBeGreaterThanOrEqual(last.endByte);
          last = line;
          lines.push(line.bytes && Buffer.from(line.bytes).toString());
        }
        const isShort = (line: string) => Buffer.byteLength(line) <= longest;
        expect(lines).toEqual(
          said
            .join('')
            .split('\n')
            .map((line) => (isShort(line) ? line : undefined)),
        );
        expect(last.endByte).toBe(bytes.length);
      },
    ),
  );
});
