import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Block,
  type BreakReason,
  type Event,
  openPalimpsest,
  type Palimpsest,
  type RequestInput,
  text,
} from '../../src/index.ts';
import { scratchFolder } from '../durability/scratch-folder.ts';

const key = { appName: 'app', userId: 'u1', sessionId: 's1' };
const instruction = (words: string): readonly Block[] => [{ kind: 'instruction', stable: true, content: text(words) }];
const documentOf = (words: string): Block => ({ kind: 'document', stable: true, content: text(words) });

async function opened(file: string): Promise<Palimpsest> {
  const palimpsest = await openPalimpsest({ file, appName: 'app', ingest: 'never', sweepSeconds: 0 });
  onTestFinished(() => palimpsest.close());
  return palimpsest;
}

let questions = 0;

/** No question is like another, so that one request begins with another only if it is the same conversation. */
async function begun(palimpsest: Palimpsest, words = `第${++questions}个问题？`) {
  const events = [{ author: 'user', content: words }];
  return palimpsest.invocations.begin({ key, agentName: 'assistant', events });
}

const base: RequestInput = { provider: 'openai', model: 'm' };

/** Asks and answers; returns the breaks of the request and the answer's event. */
async function turn(palimpsest: Palimpsest, more: Partial<RequestInput> = {}) {
  const run = await begun(palimpsest);
  const { journal } = await run.request({ ...base, ...more });
  const [answer] = await run.record([{ author: 'assistant', content: '好。', request: journal }]);
  await run.finish();
  return { breaks: journal.breaks, answer: answer as Event };
}

describe('the request before', () => {
  it('is the newest that the log has, whoever sent it', async () => {
    const file = join(scratchFolder(), 'shared.db');
    const [one, other] = [await opened(file), await opened(file)];
    const told: (readonly BreakReason[])[] = [];
    const steps: readonly [Palimpsest, string][] = [
      [one, '甲'],
      [other, '乙'],
      [one, '甲'],
      [other, '甲'],
    ];
    for (const [palimpsest, words] of steps)
      told.push((await turn(palimpsest, { instruction: instruction(words) })).breaks);
    expect(told).toEqual([[], ['instruction'], ['instruction'], []]);
    const { answer } = await turn(other, { instruction: instruction('甲') });
    await other.sessions.rewind(key, { beforeInvocationId: answer.invocationId });
    expect((await turn(one, { instruction: instruction('甲') })).breaks).toEqual(['rewind']);
  });

  it('is none that was built and never sent', async () => {
    const palimpsest = await opened(join(scratchFolder(), 'unsent.db'));
    await turn(palimpsest, { instruction: instruction('甲') });
    const run = await begun(palimpsest);
    await run.request({ ...base, instruction: instruction('乙') });
    const { journal } = await run.request({ ...base, instruction: instruction('乙') });
    await run.record([{ author: 'assistant', content: '好。', request: journal }]);
    await run.finish();
    expect(journal.breaks).toEqual(['instruction']);
  });

  it('tells of another history as a window, and of blocks of any kind', async () => {
    const palimpsest = await opened(join(scratchFolder(), 'history.db'));
    for (let count = 0; count < 3; count++) await turn(palimpsest);
    expect((await turn(palimpsest, { history: 'invocation' })).breaks).toEqual(['window']);
    expect((await turn(palimpsest)).breaks).toEqual(['window']);
    const state = (words: string): Block => ({ kind: 'state', stable: true, content: text(words) });
    await turn(palimpsest, { documents: [state('晴')] });
    expect((await turn(palimpsest, { documents: [state('雨')] })).breaks).toEqual(['instruction']);
  });
});

describe('what a caller does with a block that he has given', () => {
  it('changes nothing that was sent, and what he changes is sent', async () => {
    const palimpsest = await opened(join(scratchFolder(), 'changed.db'));
    const part = { text: '第一版' };
    const given: Block = { kind: 'document', stable: true, content: { role: 'user', parts: [part] } };
    const first = await turn(palimpsest, { documents: [given] });
    part.text = '第二版';
    const second = await turn(palimpsest, { documents: [given] });
    expect(second.breaks).toEqual(['instruction']);
    for (const [{ answer }, words] of [
      [first, '第一版'],
      [second, '第二版'],
    ] as const) {
      const past = await palimpsest.explain(key, answer.seq);
      expect(past.standing).toBe('verified');
      expect(JSON.stringify(past.contents)).toContain(words);
    }
    const again = await turn(palimpsest, { documents: [documentOf('第二版')] });
    expect(again.breaks).toEqual([]);
  });
});

describe('a session that is erased and made again during a run', () => {
  it('gives that run nothing of either life', async () => {
    const file = join(scratchFolder(), 'again.db');
    const [one, other] = [await opened(file), await opened(file)];
    const run = await begun(one, '旧的秘密');
    await run.request(base);
    await other.eraseSession(key);
    const session = await other.user('u1').session('s1');
    await session.append([1, 2, 3].map((count) => ({ author: 'user', content: `新的${count}` })));
    await expect(run.request(base)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await run.finish();
    expect((await turn(one)).answer.seq).toBe(5);
  });
});

describe('the result of a call that a summary stands for', () => {
  it('is taken once, and one that nobody asked for is refused', async () => {
    const palimpsest = await opened(join(scratchFolder(), 'late.db'));
    const session = await palimpsest.user('u1').session('s1');
    const call = { functionCall: { id: 'c1', name: 'book', args: {} } };
    const result = (id: string, response: string) => ({
      author: 'user',
      content: { parts: [{ functionResponse: { id, name: 'book', response } }] },
    });
    await session.append([
      { author: 'user', content: '订一张票' },
      { author: 'assistant', content: { parts: [call] }, longRunningToolIds: ['c1'] },
      result('c1', '等一等'),
    ]);
    const content = { role: 'model' as const, parts: [{ text: '在订票。' }] };
    const compaction = { covers: [[1, 3]] as const, content, trigger: 'test', sourceHash: '' };
    await session.append([{ author: 'system', actions: { compaction } }]);
    const begin = (id: string, response: string) =>
      palimpsest.invocations.begin({ key, agentName: 'assistant', events: [result(id, response)] });
    await expect(begin('c2', '好')).rejects.toThrow(/which the session does not have/);
    await expect(begin('c1', '等一等')).rejects.toThrow(/answered already/);
    const run = await begin('c1', '订好了');
    expect(JSON.stringify((await run.request(base)).request.contents)).toContain('订好了');
    await run.finish();
  });
});

describe('a block that is too large to be kept', () => {
  it('costs no answer: the request is only not to be rebuilt', async () => {
    const palimpsest = await opened(join(scratchFolder(), 'large.db'));
    const { answer } = await turn(palimpsest, { documents: [documentOf('大'.repeat(9 * 1024 * 1024))] });
    expect(answer.content?.parts).toEqual([{ text: '好。' }]);
    expect((await palimpsest.explain(key, answer.seq)).standing).toBe('erased');
  });
});
