import { describe, expect, it } from 'vitest';
import { openPalimpsest } from '../../src/index.ts';
import { readPages, tableRows } from './markdown.ts';

const page = readPages().find(({ path }) => path === 'docs/reference/memory.md')?.text ?? '';
const pairs = tableRows(page.split('## What it cannot do\n')[1]?.split('\n## ')[0] ?? '');

describe('docs/reference/memory.md, what is found', () => {
  it('has pairs that are found and pairs that are not', () => {
    const answers = pairs.map(([, , found = '']) => found.split(/\W/)[0]);
    expect([...new Set(answers)].sort()).toEqual(['no', 'yes']);
  });

  it.each(pairs)('%s | %s: %s', async (stored = '', asked = '', found = '') => {
    await using palimpsest = await openPalimpsest({ appName: 'a', sweepSeconds: 0 });
    const user = palimpsest.user('u');
    await user.remember(stored);
    expect((await user.recall(asked)).memories.length > 0).toBe(found.startsWith('yes'));
  });
});
