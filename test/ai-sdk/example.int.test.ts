import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { play } from '../../examples/ai-sdk/play.ts';

const folder = join(import.meta.dirname, '..', '..', 'examples', 'ai-sdk');
const linesOf = (file: string) => readFileSync(join(folder, file), 'utf8').split('\n');

/** How many lines stand in both texts in the same order, at most. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    for (const [index, other] of b.entries())
      next.push(line === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

it('the agent of the example gains memory in ten lines', () => {
  const [before, after] = [linesOf('before.ts'), linesOf('after.ts')];
  const common = commonLines(before, after);
  expect(before.length - common + after.length - common).toBeLessThanOrEqual(10);
});

it('with them it remembers, without them it does not, in both languages', async () => {
  const printed: string[] = [];
  const outcomes = await play({ print: (line) => printed.push(line) });
  expect(outcomes).toEqual([
    {
      language: 'en',
      expected: 'In Fahrenheit.',
      before: 'I do not know, you have not said.',
      after: 'In Fahrenheit.',
    },
    { language: 'zh', expected: '您要用华氏度。', before: '我不知道，您没有说过。', after: '您要用华氏度。' },
  ]);
  const [before = '', after = ''] = printed.join('\n').split('=== after.ts');
  expect(before).not.toContain('recalled_memories');
  expect(after).toContain('on 2026-03-01');
});

it('it does not remember what is lost', async () => {
  const outcomes = await play({ print: () => undefined, lostMemory: true });
  expect(outcomes.map(({ after }) => after)).toEqual(outcomes.map(({ before }) => before));
});
