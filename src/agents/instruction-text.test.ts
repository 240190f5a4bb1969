import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillInstruction } from './instruction-text.ts';

const state = new Map<string, string | number | null | readonly string[]>([
  ['unit', 'Celsius'],
  ['user:name', '小明'],
  ['count', 3],
  ['nothing', null],
  ['list', ['a', 'b']],
]);
const fill = (template: string) => fillInstruction(template, (key) => state.get(key));

describe('fillInstruction', () => {
  it('puts values where their keys stand', () => {
    expect(fill('Use {unit} for {user:name}.')).toBe('Use Celsius for 小明.');
    expect(fill('{count} {nothing} {list}')).toBe('3 null ["a","b"]');
  });

  it('leaves what is no key of state as it is', () => {
    const code = `\${expression} {unknown} {"json": {"a": 1}} { unit } {} {用户}`;
    expect(fill(code)).toBe(code.replaceAll('}}', '}'));
    expect(fill('{unknown?}!')).toBe('!');
    expect(fill('{unit?}!')).toBe('Celsius!');
  });

  it('takes doubled braces for braces', () => {
    expect(fill('{{unit}} {{{unit}}}')).toBe('{unit} {Celsius}');
    expect(fill('{{unknown}}')).toBe('{unknown}');
  });

  it('does not read a value for a template', () => {
    expect(fillInstruction('{a}', (key) => (key === 'a' ? '{b} {{' : 'never'))).toBe('{b} {{');
  });

  it('gives back every text whose braces are doubled', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const escaped = text.replaceAll('{', '{{').replaceAll('}', '}}');
        expect(fill(escaped)).toBe(text);
      }),
    );
  });
});
