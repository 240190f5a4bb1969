import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Part } from '../events/index.ts';
import { fitContent } from './fit-content.ts';

const mark = '… [cut]';
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ text: fc.string({ unit: 'binary', maxLength: 60 }) }),
  fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 60 }), thought: fc.constant(true) }),
  fc.record({ functionCall: fc.record({ name: fc.constant('f') }) }),
  fc.record({ fileData: fc.record({ fileUri: fc.webUrl() }) }),
);

it('keeps the beginning, within the bytes, never half a code point', () => {
  fc.assert(
    fc.property(fc.array(anyPart, { maxLength: 8 }), fc.integer({ min: 0, max: 600 }), (parts, bytes) => {
      const given = parts.filter(({ functionCall }) => functionCall === undefined);
      const kept = fitContent({ role: 'model', parts }, bytes)?.parts ?? [];
      expect(kept.length).toBeLessThanOrEqual(given.length);
      for (const [index, part] of kept.entries()) {
        const whole = given[index];
        if (JSON.stringify(part) === JSON.stringify(whole)) continue;
        expect(index).toBe(kept.length - 1);
        expect(part.text?.endsWith(mark)).toBe(true);
        expect(part.text?.isWellFormed()).toBe(true);
        expect(whole?.text?.startsWith(part.text?.slice(0, -mark.length) ?? '?')).toBe(true);
      }
      if (kept.length > 0) expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(bytes + 2);
      if (Buffer.byteLength(JSON.stringify(given)) <= bytes) expect(kept).toEqual(given);
    }),
  );
});
