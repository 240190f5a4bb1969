import { describe, expect, it } from 'vitest';
import { callContext } from './call-context.ts';
import { sampleContext, sampleMemory } from './sample-context.ts';
import type { RunState, ToolContext } from './tool.ts';

function house() {
  const done: unknown[] = [];
  const state: RunState = {
    get: (key) => `value of ${key}`,
    has: () => true,
    set: (...call) => void done.push(['set', ...call]),
    delete: (key) => void done.push(['delete', key]),
    all: () => ({ a: 1 }),
  };
  const given = sampleContext({
    projectId: 'acme',
    state,
    artifacts: {
      save: async (name) => done.push(['save', name]),
      load: async () => undefined,
      list: async () => [],
    },
    memory: {
      ...sampleContext().memory,
      remember: async (text) => {
        done.push(['remember', text]);
        return sampleMemory();
      },
      forget: async (id) => done.push(['forget', id]),
    },
    skipSummarization: () => void done.push(['skip']),
  });
  const controller = new AbortController();
  return { given, done, controller, own: callContext(given, { what: '天气', signal: controller.signal }) };
}

const effects: readonly [string, (context: ToolContext) => unknown][] = [
  ['set', ({ state }) => state.set('temp:a', 1)],
  ['delete', ({ state }) => state.delete('temp:a')],
  ['save', ({ artifacts }) => artifacts.save('图', new Uint8Array(), 'image/png')],
  ['remember', ({ memory }) => memory.remember('x')],
  ['forget', ({ memory }) => memory.forget('m1')],
  ['skip', (context) => context.skipSummarization()],
];

describe('the context of a call', () => {
  it('is the one that it is made of, with its own signal', async () => {
    const { given, own, done, controller } = house();
    const { context } = own;
    expect(context).toMatchObject({
      sessionKey: given.sessionKey,
      projectId: 'acme',
      callId: 'c1',
      invocationId: 'i1',
    });
    expect(context.signal).toBe(controller.signal);
    for (const [, effect] of effects) await effect(context);
    expect(done.map((one) => Object(one)[0])).toEqual(effects.map(([name]) => name));
  });

  it.each(effects)('does not %s once the call is closed, or stopped', async (_name, effect) => {
    for (const end of ['close', 'abort']) {
      const { own, done, controller } = house();
      if (end === 'close') own.close();
      else controller.abort();
      await expect(async () => effect(own.context)).rejects.toMatchObject({
        code: 'ABORTED',
        details: { what: '天气' },
      });
      expect(done).toEqual([]);
    }
  });

  it('can be read for ever', async () => {
    const { own } = house();
    own.close();
    const { state, artifacts, memory } = own.context;
    expect([state.get('a'), state.has('a'), state.all()]).toEqual(['value of a', true, { a: 1 }]);
    expect([await artifacts.load('x'), await artifacts.list()]).toEqual([undefined, []]);
    expect((await memory.search('x')).memories).toEqual([]);
  });
});
