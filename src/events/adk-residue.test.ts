import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../internal/index.ts';
import { addResidue, residueOf } from './adk-residue.ts';

const fields = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'inner', 'absent', 'fields'), fc.jsonValue({ maxDepth: 3 })))
  .map((entries) => Object.fromEntries(entries));

describe('a residue', () => {
  it('added back gives the original, whatever was expressed', () => {
    fc.assert(
      fc.property(fields, fields, (original, expressed) => {
        const stored: unknown = JSON.parse(JSON.stringify(residueOf(original, expressed) ?? null));
        expect(canonicalJson(addResidue(expressed, stored))).toBe(canonicalJson(original));
      }),
    );
  });

  it('is none where all is expressed', () => {
    fc.assert(
      fc.property(fields, (original) => {
        expect(residueOf(original, { ...original })).toBeUndefined();
      }),
    );
  });

  it('never throws when added, whatever stands in its place', () => {
    fc.assert(
      fc.property(fields, fc.jsonValue(), (expressed, residue) => {
        addResidue(expressed, residue, 'camel');
      }),
    );
  });

  it('leaves the user’s keys alone when it is respelt', () => {
    const residue = { inner: { state_delta: { fields: { a_b: 1 } } }, fields: { new_field: { x_y: 1 } } };
    expect(addResidue({ stateDelta: {} }, residue, 'camel')).toEqual({ stateDelta: { a_b: 1 }, newField: { x_y: 1 } });
  });
});
