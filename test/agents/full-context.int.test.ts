import { describe, expect, it } from 'vitest';
import {
  type CompactionOption,
  type Event,
  type ModelCall,
  type Palimpsest,
  PalimpsestError,
} from '../../src/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';
import { logOf, openQuiet, place, runToEnd } from './run-to-end.ts';

const summary = '用户逐日说了旅行的安排，都已记下，没有未完成的事。';
const question = /^第 \d+ 天/;
const story = (n: number) => `第 ${n} 天：${'上午去博物馆看青铜器，下午在湖边散步，晚上吃火锅。'.repeat(12)}`;

function saidLast({ request }: ModelCall): string {
  return request.contents.at(-1)?.parts.at(-1)?.text ?? '';
}

const isQuestion = (call: ModelCall) => question.test(saidLast(call));

/** The refusal of a provider; some say how many tokens they take. */
function tooLong(maximumTokens?: number): ScriptedTurn {
  const details = { model: 'scripted', reason: 'the prompt is too long', attempts: 1, contextTooLong: true as const };
  const maximum = maximumTokens === undefined ? {} : { maximumTokens };
  return { failure: new PalimpsestError('MODEL_FAILED', { ...details, ...maximum }) };
}

/** An agent that answers, with a summariser, in a context window of so many tokens. */
function traveller(
  palimpsest: Palimpsest,
  compaction: CompactionOption,
  answer: (call: ModelCall, index: number) => string | ScriptedTurn = () => '记下了。',
) {
  const model = new ScriptedModel(answer);
  return { model, agent: palimpsest.agent({ name: '旅伴', model, retry: false, compaction }) };
}

const summarizer = () => new ScriptedModel(() => summary, { name: 'summariser' });
const speechless = () => new ScriptedModel(() => '', { name: 'summariser' });

const overflows = (log: readonly Event[]) => log.flatMap(({ actions }) => actions.overflow ?? []);

/** Tokens of the requests that the agent's answers from some index on were given to, as they can be rebuilt. */
async function sizesOf(palimpsest: Palimpsest, log: readonly Event[], from = 0): Promise<number[]> {
  const key = { appName: palimpsest.appName, userId: place.userId, sessionId: place.sessionId };
  const sizes: number[] = [];
  for (const { seq, request } of log.slice(from))
    if (request !== undefined) sizes.push((await palimpsest.explain(key, seq)).explanation.tokens.n);
  return sizes;
}

describe('a request that would fill the context', () => {
  it('waits for a fold, and is sent with the summary', async () => {
    await using palimpsest = await openQuiet();
    const { agent, model } = traveller(palimpsest, { triggers: [], contextWindow: 3000, model: summarizer() });
    for (let n = 1; n <= 12; n++) expect((await runToEnd(agent, { message: story(n) })).failure).toBeUndefined();
    const log = await logOf(palimpsest);
    const folds = log.filter(({ actions }) => actions.compaction !== undefined);
    expect(folds.length).toBeGreaterThan(0);
    for (const { seq } of folds) expect(log[seq]).toMatchObject({ author: '旅伴' });
    expect(overflows(log)).toEqual([]);
    expect(Math.max(...(await sizesOf(palimpsest, log)))).toBeLessThan(2700);
    expect(model.calls.at(-1)?.request.contents.some(({ parts }) => parts[0]?.text?.includes(summary))).toBe(true);
  });

  it('is sent without the oldest where no summary comes, and the log says so', async () => {
    await using palimpsest = await openQuiet();
    const { agent, model } = traveller(palimpsest, { triggers: [], contextWindow: 3000, model: speechless() });
    for (let n = 1; n <= 12; n++) expect((await runToEnd(agent, { message: story(n) })).failure).toBeUndefined();
    const log = await logOf(palimpsest);
    expect(log.some(({ actions }) => actions.compaction !== undefined)).toBe(false);
    const told = overflows(log);
    expect(told.length).toBeGreaterThan(0);
    for (const one of told) {
      expect(one).toMatchObject({ why: 'ceiling', agentName: '旅伴', limit: 2700 });
      expect(one.tokens).toBeGreaterThanOrEqual(2700);
    }
    const answer = log.at(-1);
    expect(answer?.author).toBe('旅伴');
    expect((await sizesOf(palimpsest, log)).at(-1)).toBeLessThan(2700);
    const last = model.calls.at(-1);
    expect(JSON.stringify(last)).toContain('第 12 天');
    expect(JSON.stringify(last)).not.toContain('第 1 天');
    // It can be told afterwards what was sent, and what was left out of it.
    const key = { appName: palimpsest.appName, userId: place.userId, sessionId: place.sessionId };
    const past = await palimpsest.explain(key, answer?.seq ?? 0);
    expect(past.standing).toBe('verified');
    expect(past.explain(1)).toMatchObject({ outcome: 'hidden', why: 'window' });
    expect(past.journal.breaks).toContain('window');
  });

  it('is asked again once, shorter, when its provider says that it is too long', async () => {
    await using palimpsest = await openQuiet();
    const refused: ModelCall[] = [];
    const { agent, model } = traveller(palimpsest, { triggers: [], model: summarizer() }, (call) => {
      if (!isQuestion(call)) return summary;
      if (JSON.stringify(call.request.contents).length < 2500) return '记下了。';
      refused.push(call);
      return tooLong();
    });
    for (let n = 1; n <= 12; n++) expect((await runToEnd(agent, { message: story(n) })).failure).toBeUndefined();
    const log = await logOf(palimpsest);
    expect(refused.length).toBeGreaterThan(0);
    expect(overflows(log).filter(({ why }) => why === 'tooLong')).toHaveLength(refused.length);
    expect(log.filter(({ author }) => author === '旅伴')).toHaveLength(12);
    expect(log.some(({ errorCode }) => errorCode !== undefined)).toBe(false);
    expect(model.calls.length).toBe(12 + refused.length);
    // What was learnt holds for what comes after it in this session, and for no other.
    expect(refused.length).toBeLessThan(6);
    const before = refused.length;
    await runToEnd(agent, { message: story(1), sessionId: '另一个' });
    expect(overflows(await logOf(palimpsest, '另一个'))).toEqual([]);
    expect(refused).toHaveLength(before);
  });

  it('obeys the maximum that the provider names from then on', async () => {
    await using palimpsest = await openQuiet();
    let refusals = 0;
    const { agent } = traveller(palimpsest, { triggers: [], model: summarizer() }, (call, index) => {
      if (!isQuestion(call) || index !== 5) return isQuestion(call) ? '记下了。' : summary;
      refusals++;
      return tooLong(1500);
    });
    for (let n = 1; n <= 12; n++) expect((await runToEnd(agent, { message: story(n) })).failure).toBeUndefined();
    const log = await logOf(palimpsest);
    expect(refusals).toBe(1);
    const at = log.findIndex(({ actions }) => actions.overflow?.why === 'tooLong');
    expect(log[at]?.actions.overflow?.limit).toBeLessThanOrEqual(1350);
    expect(Math.max(...(await sizesOf(palimpsest, log, at)))).toBeLessThan(1350);
  });

  it('takes nothing from other sessions where what was refused was short', async () => {
    await using palimpsest = await openQuiet();
    const { agent } = traveller(palimpsest, { triggers: [], model: summarizer() }, (call) =>
      saidLast(call).startsWith('图') ? tooLong() : '记下了。',
    );
    await runToEnd(agent, { message: '图：请看这张图。', sessionId: '另一个' });
    for (let n = 1; n <= 4; n++) expect((await runToEnd(agent, { message: story(n) })).failure).toBeUndefined();
    expect(overflows(await logOf(palimpsest))).toEqual([]);
  });

  it('forgets what one model takes when the agent has another', async () => {
    await using palimpsest = await openQuiet();
    const run = (name: string, index: number, message: string) => {
      const model = new ScriptedModel(() => (index === 3 ? tooLong(1200) : '记下了。'), { name });
      const options = { name: '旅伴', retry: false, compaction: { triggers: [], model: speechless() } } as const;
      return runToEnd(palimpsest.agent({ ...options, model }), { message });
    };
    for (let n = 1; n <= 3; n++) await run('small', n, story(n));
    for (let n = 4; n <= 8; n++) expect((await run('large', n, story(n))).failure).toBeUndefined();
    const log = await logOf(palimpsest);
    expect(overflows(log).filter(({ why }) => why === 'ceiling')).toEqual([]);
  });

  it.each([
    { when: 'twice', days: 5, calls: 2 },
    { when: 'and nothing of it can be left out', days: 1, calls: 1 },
  ])('fails with what its provider said when it is refused $when, and nothing is lost', async ({ days, calls }) => {
    await using palimpsest = await openQuiet();
    const { agent, model } = traveller(palimpsest, { triggers: [], model: speechless() }, (call) =>
      saidLast(call).startsWith(`第 ${days} 天`) ? tooLong() : '记下了。',
    );
    for (let n = 1; n < days; n++) await runToEnd(agent, { message: story(n) });
    const before = model.calls.length;
    const { failure } = await runToEnd(agent, { message: story(days) });
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', details: { contextTooLong: true } });
    expect(model.calls.length - before).toBe(calls);
    const log = await logOf(palimpsest);
    expect(log.filter(({ errorCode }) => errorCode === 'MODEL_FAILED')).toHaveLength(1);
    expect(log.filter(({ author }) => author === 'user')).toHaveLength(days);
  });

  it('is sent whatever its size where compaction is off', async () => {
    await using palimpsest = await openQuiet({ compaction: { contextWindow: 3000, model: summarizer() } });
    const { agent, model } = traveller(palimpsest, 'off');
    for (let n = 1; n <= 12; n++) await runToEnd(agent, { message: story(n) });
    await palimpsest.settled();
    expect(JSON.stringify(model.calls.at(-1))).toContain('第 1 天');
    const log = await logOf(palimpsest);
    expect(log).toHaveLength(24);
    expect((await sizesOf(palimpsest, log)).at(-1)).toBeGreaterThan(2700);
  });
});
