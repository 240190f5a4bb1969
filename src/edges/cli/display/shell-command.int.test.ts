import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellCommand } from './shell-command.ts';
import { textWidth } from './text-width.ts';

const words = [
  'palimpsest',
  'chat',
  '--file',
  "/tmp/it's here/对话.db",
  '--user',
  '小王 $HOME `x` "y"',
  '--model',
  'http://127.0.0.1:1/v1#m',
  '--system',
  '',
  '--no-tools',
];

test.each([40, 80, Number.POSITIVE_INFINITY])('in %i columns a shell reads back every word', (columns) => {
  const lines = shellCommand(words, columns);
  const script = `palimpsest() { printf '%s\\n' palimpsest "$@"; }\n${lines.join('\n')}`;
  const read = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
  expect(read.replace(/\n$/, '').split('\n')).toEqual(words);
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
});

test('what needs no quotes has none', () => {
  expect(shellCommand(['palimpsest', 'chat', '--session', 'chat-2026-01-31-a1b2c3'], 80)).toEqual([
    'palimpsest chat --session chat-2026-01-31-a1b2c3',
  ]);
});
