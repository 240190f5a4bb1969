import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textWidth } from '../display/index.ts';
import { type RunOptions, runCaptured } from '../run-captured.ts';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'palimpsest-eval-'));
  const lines = [
    { session: '一', id: 'a', text: '我住在杭州西湖边。' },
    { session: '一', id: 'b', speaker: 'guide', text: 'Noted, you live in Hangzhou.' },
    { session: '二', id: 'c', text: 'My sister plays the cello.' },
    { question: '我住在哪里？杭州吗？', gold: ['a'], category: '住处' },
    { question: 'Which instrument does my sister play?', gold: ['c'], category: 'family' },
    { question: '谁？', gold: ['没有'] },
  ];
  writeFileSync(join(directory, 'own.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const evaluate = (args: readonly string[], options: RunOptions = {}) =>
  runCaptured(['eval', ...args], { cwd: directory, ...options });

test('prints the figures, by category too, with the hash of the set and what was left out', async () => {
  const { code, out, err } = await evaluate(['own.jsonl']);
  expect({ code, err: err.split('\n').length }).toEqual({ code: 0, err: 2 });
  expect(out).toMatch(/own\.jsonl {2}2 questions · your own\nsha256 [0-9a-f]{64}\n/);
  expect(out).toMatch(/TURN % +SESSION %\nrecall@1 +100\.00 +100\.00\n/);
  expect(out).toMatch(/住处 {2}1 questions/);
  expect(out).toMatch(/Left out: 1\n {2}line 6: names what was not said/);
});

test('keeps a report, compares with it, and writes a page', async () => {
  await evaluate(['own.jsonl', '--out', 'last.json', '--html', 'page.html']);
  expect(readFileSync(join(directory, 'page.html'), 'utf8')).toContain('<svg');
  const { out } = await evaluate(['own.jsonl', '--compare', 'last.json']);
  expect(out).toMatch(/recall@10 +100\.00 \(\+0\.00\) +100\.00 \(\+0\.00\)/);
  const json = JSON.parse((await evaluate(['own.jsonl', '--json'])).out);
  expect(json).toMatchObject({
    figures: { turnR10: 100 },
    questions: 2,
    answered: [{ found: ['a', 'b'] }, { found: ['c'] }],
  });
});

test('fits into narrow terminals', async () => {
  const { out } = await evaluate(['own.jsonl'], { columns: 40 });
  const figures = out.split('\n').filter((line) => /recall|hit|MRR|nDCG/.test(line));
  for (const line of figures) expect(textWidth(line)).toBeLessThanOrEqual(40);
});

test.each([
  [['msc'], 2, 'dataset must be locomo, lme, madial-zh, madial-en'],
  [['locomo'], 1, 'locomo10.json'],
  [['own.jsonl', '--compare', 'own.jsonl'], 2, '--compare must be a report'],
])('%o is refused', async (args, status, message) => {
  const { code, err } = await evaluate(args);
  expect({ code, told: err.includes(message) }).toEqual({ code: status, told: true });
});
