import ranks from 'gpt-tokenizer/bpeRanks/o200k_base';
import { describe, expect, it } from 'vitest';
import { type CountTokens, type EventInput, estimateTokens, type SessionKey } from '../events/index.ts';
import { type Logger, silentLogger } from '../models/index.ts';
import { checkedCounter, LateTokenizer } from './late-tokenizer.ts';
import { openPalimpsest } from './open-palimpsest.ts';

const own: CountTokens = { name: 'length', count: (text) => text.length };
const never = async (): Promise<CountTokens> => expect.unreachable('was loaded');
const key: SessionKey = { appName: 'app', userId: 'u1', sessionId: 's1' };
const says: EventInput = { author: 'user', content: '你好🙂' };
const silent: EventInput = { author: 'system', actions: { sessionEnd: true } };

function warnings(): Logger & { readonly told: string[] } {
  const told: string[] = [];
  return { ...silentLogger, told, warn: (message, fields) => void told.push(`${message} ${String(fields?.error)}`) };
}

async function loadMissing(): Promise<CountTokens> {
  const missing = 'a-package-that-is-not-installed';
  return import(missing);
}

describe('LateTokenizer', () => {
  it('loads nothing when the caller counts, and adds no hook', async () => {
    const tokenizer = new LateTokenizer(own, silentLogger, never);
    await tokenizer.load();
    expect([tokenizer.name, tokenizer.count('你好🙂')]).toEqual(['length', 4]);
    expect(tokenizer.before(undefined)).toBeUndefined();
    const hook = (event: EventInput) => event;
    expect(tokenizer.before(hook)).toBe(hook);
  });

  it('estimates until it is loaded, once, before the first event with content', async () => {
    let loads = 0;
    const tokenizer = new LateTokenizer(undefined, silentLogger, async () => {
      loads++;
      return own;
    });
    const append = tokenizer.before(undefined);
    expect([tokenizer.name, tokenizer.count('abcde')]).toEqual(['estimate', 2]);
    expect(await append?.(silent, key)).toBe(silent);
    expect(loads).toBe(0);
    expect(await Promise.all([append?.(says, key), append?.(says, key)])).toEqual([says, says]);
    expect([tokenizer.name, tokenizer.count('abcde')]).toEqual(['length', 5]);
    // Once it is there, nothing is waited for.
    expect(append?.(says, key)).toBe(says);
    expect(loads).toBe(1);
  });

  it('does what the other hook does, before and after, and counts what that puts in', async () => {
    const tokenizer = new LateTokenizer(undefined, silentLogger, async () => own);
    const append = tokenizer.before((event) => ({ ...event, author: 'hooked', content: '改过' }));
    expect(await append?.(silent, key)).toMatchObject({ author: 'hooked' });
    expect(tokenizer.name).toBe('length');
    expect(await append?.(says, key)).toMatchObject({ content: '改过' });
  });

  it('estimates, and says nothing, where the package is not installed', async () => {
    const logger = warnings();
    const tokenizer = new LateTokenizer(undefined, logger, loadMissing);
    await tokenizer.load();
    expect(tokenizer.name).toBe('estimate');
    expect(logger.told).toEqual([]);
  });

  it('estimates, and warns once, where the vocabulary is another one', async () => {
    const logger = warnings();
    const tokenizer = new LateTokenizer(undefined, logger, async () => checkedCounter(ranks.slice(0, 100_000)));
    await tokenizer.load();
    await tokenizer.load();
    expect(tokenizer.name).toBe('estimate');
    expect(logger.told).toEqual([expect.stringMatching(/estimated.*gpt-tokenizer.*version 4/)]);
    expect(() => checkedCounter([])).toThrow();
    expect(checkedCounter(ranks).name).toBe('o200k_base');
  });
});

describe('openPalimpsest', () => {
  it.each([
    [undefined, { n: 4, by: 'o200k_base' }],
    [own, { n: 12, by: 'length' }],
    [estimateTokens, { n: 6, by: 'estimate' }],
  ])('counts each event once, when it is appended: %o', async (countTokens, tokens) => {
    const given = countTokens === undefined ? {} : { countTokens };
    const palimpsest = await openPalimpsest({ sweepSeconds: 0, ...given });
    const session = await palimpsest.user('u1').session('s1');
    const [event] = (await session.append([{ author: 'user', content: 'Hello, 世界! 🙂' }])).events;
    expect(event?.tokens).toEqual({ ...tokens, n: expect.any(Number) });
    expect((await palimpsest.sessions.read(session.key)).items[0]?.tokens).toEqual(event?.tokens);
    await palimpsest.close();
  });
});
