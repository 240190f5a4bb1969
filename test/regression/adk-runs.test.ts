import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Palimpsest, type PartInput, type Provider, tool, validateRequest } from '../../src/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, place, runToEnd } from '../agents/run-to-end.ts';
import { answer, outlineOf, providers } from './shown-requests.ts';

const start = tool({
  name: 'start',
  description: 'Starts something that takes its time.',
  parameters: z.object({ what: z.string() }),
  longRunning: true,
  run: ({ what }) => ({ status: 'started', what }),
});
const look = tool({
  name: 'look',
  description: 'Looks something up.',
  parameters: z.object({ at: z.number() }),
  run: ({ at }) => ({ found: at }),
});

/** An agent over a fresh log, and the requests that it sent, each of which its provider would accept. */
async function agentOf(provider: Provider, turns: readonly (string | ScriptedTurn)[], options: object = {}) {
  const palimpsest: Palimpsest = await openQuiet({ ingest: 'never' });
  const model = new ScriptedModel(turns, { provider });
  const agent = palimpsest.agent({ name: 'assistant', model, tools: [start, look], retry: false, ...options });
  const requests = () =>
    model.calls.map(({ request }) => {
      expect(validateRequest(request, provider)).toEqual([]);
      return outlineOf(request);
    });
  return { palimpsest, agent, requests };
}

const posted = (id: string, response: object): { readonly message: { readonly parts: PartInput[] } } => ({
  message: { parts: [answer('start', id, response)] },
});

const waiting =
  'user: (Nothing more was said. What was waited for has come and stands with its call. Go on from there.)';

describe.each(providers)('runs with a %s model', (provider) => {
  it('C1: a run that died with an open call is followed by one that goes on', async () => {
    const { palimpsest, agent, requests } = await agentOf(provider, ['好，换一件。', '继续。']);
    const key = { appName: palimpsest.appName, ...place };
    await palimpsest.sessions.create(key);
    await palimpsest.sessions.append(key, [
      { author: 'user', content: '订票' },
      { author: 'assistant', content: { parts: [{ functionCall: { id: 'c1', name: 'look', args: { at: 1 } } }] } },
    ]);
    for (const message of ['停，换一件', '接着说'])
      expect((await runToEnd(agent, { message })).failure).toBeUndefined();
    const stopped = expect.stringContaining('Whether it took effect is not known');
    const first = ['user: 订票', 'model: call look({"at":1})', stopped, 'user: 停，换一件'];
    expect(requests()).toEqual([first, [...first, 'model: 好，换一件。', 'user: 接着说']]);
  });

  it('C3, C6: a result that is posted in a request of its own finds its call, and the run goes on at once', async () => {
    const { agent, requests } = await agentOf(provider, [
      { calls: [{ name: 'start', args: { what: '编译' }, id: 'c1' }] },
      '已经开始。',
      '编译好了。',
    ]);
    await runToEnd(agent, { message: '开始编译' });
    const { events, failure } = await runToEnd(agent, posted('c1', { status: 'done' }));
    expect(failure).toBeUndefined();
    expect(events.map(outline)).toEqual(['assistant: 编译好了。']);
    expect(requests()[2]).toEqual([
      'user: 开始编译',
      'model: call start({"what":"编译"})',
      'user: start -> {"status":"done"}',
      'model: 已经开始。',
      waiting,
    ]);
  });

  it('C7: a second long-running call goes on as the first did, also of an agent that the turn was handed to', async () => {
    const call = (what: string, id: string) => ({ calls: [{ name: 'start', args: { what }, id }] });
    const turns = [call('一', 'c1'), '一在做。', call('二', 'c2'), '二在做。', '都好了。'];
    const { palimpsest, agent, requests } = await agentOf(provider, turns, { name: 'worker' });
    const root = palimpsest.agent({ name: 'root', model: new ScriptedModel(['交给 worker。'], { provider }) });
    await runToEnd(root, { message: '做两件事' });
    await runToEnd(agent, {});
    await runToEnd(agent, posted('c1', { done: 1 }));
    const { events, failure } = await runToEnd(agent, posted('c2', { done: 2 }));
    expect(failure).toBeUndefined();
    expect(events.map(outline)).toEqual(['worker: 都好了。']);
    expect(requests()[4]).toEqual([
      'user: 做两件事',
      'user: [root] said: 交给 worker。',
      'model: call start({"what":"一"})',
      'user: start -> {"done":1}',
      'model: 一在做。',
      'model: call start({"what":"二"})',
      'user: start -> {"done":2}',
      'model: 二在做。',
      waiting,
    ]);
  });

  it('C9: after one of several results the model is shown what the others said first, not that they are missing', async () => {
    const calls = ['甲', '乙', '丙'].map((what, index) => ({ name: 'start', args: { what }, id: `c${index}` }));
    const { agent, requests } = await agentOf(provider, [{ calls }, '都在做。', '乙好了。']);
    await runToEnd(agent, { message: '做三件' });
    await runToEnd(agent, posted('c1', { status: 'done' }));
    expect(requests()[2]?.filter((line) => line.startsWith('user: start'))).toEqual([
      'user: start -> {"status":"started","what":"甲"}',
      'user: start -> {"status":"done"}',
      'user: start -> {"status":"started","what":"丙"}',
    ]);
  });

  it('C10, C17: after an answer of nothing the user is shown speaking twice, not a model that says nothing', async () => {
    const { agent, requests } = await agentOf(provider, ['', '这次有话。']);
    const { events } = await runToEnd(agent, { message: '在吗？' });
    expect(events.map(({ errorCode }) => errorCode)).toEqual(['EMPTY_RESPONSE']);
    await runToEnd(agent, { message: '还在吗？' });
    expect(requests()[1]).toEqual(['user: 在吗？', 'user: 还在吗？']);
  });

  it('C17: an empty text that a callback puts in the place of an answer is no part of the next request', async () => {
    const callbacks = { afterModel: () => '' };
    const { agent, requests } = await agentOf(provider, ['一', '二'], { callbacks });
    await runToEnd(agent, { message: '问一' });
    await runToEnd(agent, { message: '问二' });
    expect(requests()[1]).toEqual(['user: 问一', 'user: 问二']);
  });

  it('C16: results of parallel calls keep the invocation, the author and each its call', async () => {
    const calls = [1, 2].map((at) => ({ name: 'look', args: { at }, id: `c${at}` }));
    const { palimpsest, agent, requests } = await agentOf(provider, [{ calls }, '都查到了。']);
    await runToEnd(agent, { message: '查两处' });
    const log = await logOf(palimpsest);
    const results = log.filter(({ origin }) => origin === 'tool');
    expect(results.map(({ author, invocationId }) => [author, invocationId])).toEqual(
      results.map(() => ['assistant', log[0]?.invocationId]),
    );
    expect(results).toHaveLength(2);
    expect(requests()[1]).toEqual([
      'user: 查两处',
      'model: call look({"at":1})',
      'model: call look({"at":2})',
      'user: look -> {"found":1}',
      'user: look -> {"found":2}',
    ]);
  });

  it('C14: an agent that looks at the current invocation alone is shown the call of a result posted in a later one', async () => {
    const turns = [
      { calls: [{ name: 'start', args: { what: '图' }, id: 'c1' }] },
      '在画。',
      '还要一会儿。',
      '画好了。',
    ];
    const { agent, requests } = await agentOf(provider, turns, { history: 'invocation' });
    await runToEnd(agent, { message: '画图' });
    await runToEnd(agent, { message: '好了吗？' });
    expect((await runToEnd(agent, posted('c1', { url: '一.png' }))).failure).toBeUndefined();
    expect(requests()[2]).toEqual(['user: 好了吗？']);
    expect(requests()[3]).toEqual([
      'user: [The conversation so far:]',
      'model: call start({"what":"图"})',
      'user: start -> {"url":"一.png"}',
      'user: 好了吗？',
      'model: 还要一会儿。',
      waiting,
    ]);
  });

  it('F11: a run that was left in the middle goes on without a message', async () => {
    const turns = [{ calls: [{ name: 'look', args: { at: 3 }, id: 'c1' }] }, '找到了。'];
    const { agent, requests } = await agentOf(provider, turns);
    for await (const event of agent.run({ ...place, message: '找' }))
      if (event.partial !== true && event.origin === 'tool') break;
    const { events, failure } = await runToEnd(agent, {});
    expect(failure).toBeUndefined();
    expect(events.map(outline)).toEqual(['assistant: 找到了。']);
    expect(requests()[1]).toEqual(['user: 找', 'model: call look({"at":3})', 'user: look -> {"found":3}']);
  });
});
