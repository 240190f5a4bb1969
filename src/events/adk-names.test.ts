import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { respell, respellDeep, spell, toCamel } from './adk-names.ts';

const camelName = fc.stringMatching(/^[a-z]+([A-Z][a-z]+){0,3}$/);

describe('the two spellings', () => {
  it('lead to each other and back for every camel-case name', () => {
    fc.assert(
      fc.property(camelName, (name) => {
        expect(toCamel(spell(name, 'snake'))).toBe(name);
        expect(respell(respell(name, 'snake'), 'camel')).toBe(name);
      }),
    );
  });

  it('leave a name alone that would not come back', () => {
    expect(respell('x_', 'camel')).toBe('x_');
    expect(respell('A', 'snake')).toBe('_a');
    expect(respell('名_字', 'camel')).toBe('名_字');
  });

  it('never make two keys one', () => {
    const keys = fc.uniqueArray(fc.constantFrom('a_b', 'aB', 'x_y_z', 'xYZ', 'plain', '__proto__', 'q_1'));
    fc.assert(
      fc.property(keys, fc.constantFrom('snake' as const, 'camel' as const), (names, casing) => {
        const object = Object.fromEntries(names.map((name) => [name, name]));
        const values = Object.values(respellDeep(object, casing) as object);
        expect(values.sort()).toEqual([...names].sort());
      }),
    );
  });
});
