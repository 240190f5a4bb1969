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
    const code = [
      `\${expression} {unknown} { unit } {} {用户}`,
      '{"x":{"y":1}} if (x) { y() }} {{',
      '{{ not a name }} {{}}',
    ];
    for (const text of code) expect(fill(text)).toBe(text);
    expect(fill('{unknown?}!')).toBe('!');
    expect(fill('{unit?}!')).toBe('Celsius!');
  });

  it('knows keys in any script', () => {
    expect(fillInstruction('{单位}、{user:名字}', (key) => (key === '单位' ? '摄氏度' : key))).toBe(
      '摄氏度、user:名字',
    );
  });

  it('takes a name in doubled braces for the name in braces', () => {
    expect(fill('{{unit}} {{unknown}} {{user:name?}}')).toBe('{unit} {unknown} {user:name?}');
  });

  it('does not read a value for a template', () => {
    expect(fillInstruction('{a}', (key) => (key === 'a' ? '{b} {{' : 'never'))).toBe('{b} {{');
  });

  it('changes nothing of a text without a name of state in braces', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '"', ' ', '1', ':', '文') }), (text) => {
        fc.pre(!text.includes('文'));
        expect(fill(text)).toBe(text);
      }),
    );
  });
});
