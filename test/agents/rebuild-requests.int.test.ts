import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openPalimpsest, type Palimpsest, type Provider, text } from '../../src/index.ts';
import { scratchFolder } from '../durability/scratch-folder.ts';
import { anyStep, everyStep, Story, userId, wishes } from './request-story.ts';

const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];
const places = ['memory', 'SQLite'] as const;

async function openAt(place: (typeof places)[number]): Promise<Palimpsest> {
  const file = place === 'SQLite' ? { file: join(scratchFolder(), 'agent.db') } : {};
  return openPalimpsest({ appName: 'test', sweepSeconds: 0, ...file });
}

describe.each(providers)('requests sent to %s', (provider) => {
  it.each(places)('are rebuilt as they were, whatever came after, in %s', async (place) => {
    const steps = fc.array(anyStep, { minLength: 3, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        await using palimpsest = await openAt(place);
        const story = new Story(palimpsest, provider);
        await story.begin();
        for (const next of taken) await story.take(next);
        for (const { sent, past } of await story.rebuilt()) {
          expect([sent.key.sessionId, sent.seq, past.standing]).toEqual([sent.key.sessionId, sent.seq, 'verified']);
          expect(story.json(past)).toBe(story.json(sent.request));
        }
      }),
      { numRuns: place === 'memory' ? 10 : 4, examples: [[[...everyStep]]] },
    );
  });

  it.each(places)('are shown without what was erased, in %s', async (place) => {
    await using palimpsest = await openAt(place);
    const story = new Story(palimpsest, provider);
    await story.begin();
    for (const next of everyStep) await story.take(next);
    const quotes = (said: string) => Object.values(wishes).some((wish) => said.includes(wish));
    const before = await story.rebuilt();
    for (const mark of [...Object.values(wishes), 'artifact:', 'Nothing more was said', '谈过天气。', '已确认', '手册'])
      expect([mark, before.some(({ past }) => story.json(past).includes(mark))]).toEqual([mark, true]);
    expect(before.map(({ past }) => past.standing)).toEqual(before.map(() => 'verified'));
    await palimpsest.user(userId).forget({ sessionId: 'english' });
    await palimpsest.eraseSession({ appName: 'test', userId, sessionId: 'chinese' });
    for (const { sent, past } of await story.rebuilt()) {
      const wasQuoting = quotes(story.json(sent.request));
      expect([sent.seq, past.standing]).toEqual([sent.seq, wasQuoting ? 'erased' : 'verified']);
      expect(quotes(JSON.stringify(past))).toBe(false);
      expect(JSON.stringify(past.contents).includes('[erased]')).toBe(wasQuoting);
    }
  });

  it.each(places)('of a fork are shown as far as its log still stands, in %s', async (place) => {
    await using palimpsest = await openAt(place);
    const story = new Story(palimpsest, provider);
    await story.begin();
    for (const said of ['一只猫', 'a secret', '再见']) await story.drive(said, { recall: false }, false);
    await story.take({ type: 'fork' });
    await story.drive('你好', { recall: false }, false);
    await story.drive('on its own', { recall: false, history: 'invocation' }, false);
    await palimpsest.eraseSession({ appName: 'test', userId, sessionId: 's0' });
    const own = story.sent.filter(({ key, seq }) => key.sessionId !== 's0' && seq > 6);
    const pasts = await Promise.all(own.map(({ key, seq }) => palimpsest.explain(key, seq)));
    expect(pasts.map(({ standing }) => standing)).toEqual(['erased', 'verified']);
    expect(JSON.stringify(pasts)).not.toMatch(/一只猫|a secret|再见/);
    expect(pasts[0]?.contents).toEqual([text('你好')]);
    const [copied] = story.sent.filter(({ key }) => key.sessionId !== 's0');
    const gone = palimpsest.explain(copied?.key ?? { appName: 'test', userId, sessionId: '' }, copied?.seq ?? 0);
    await expect(gone).rejects.toThrow(/^seq is that of no event of the session; event 8 answers one\.$/);
  });

  it('by other rules are rebuilt by these, and said not to be reproducible', async () => {
    await using palimpsest = await openAt('memory');
    const key = { appName: 'test', userId, sessionId: 's0' };
    const events = [{ author: 'user', content: '你好' }];
    const run = await palimpsest.invocations.begin({ key, agentName: 'assistant', events });
    const { journal, request } = await run.request({ provider, model: 'm' });
    const answer = { author: 'assistant', content: '好' };
    await run.record([{ ...answer, request: { ...journal, rules: journal.rules + 1 } }]);
    await run.record([{ ...answer, request: { ...journal, requestHash: journal.configHash } }]);
    await run.finish();
    const pasts = await Promise.all([2, 3].map((seq) => palimpsest.explain(key, seq)));
    expect(pasts.map(({ standing }) => standing)).toEqual(['notReproducible', 'differs']);
    for (const { contents } of pasts) expect(contents).toEqual(request.contents);
  });
});
