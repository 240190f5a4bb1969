import { describe, expect, it } from 'vitest';
import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';
import type { JsonMap } from '../../events/index.ts';
import type { SearchResponse } from '../../memory/service/index.ts';
import { callTool } from './call-tool.ts';
import { loadMemory } from './load-memory.ts';
import { sampleContext, sampleMemory } from './sample-context.ts';
import type { Tool, ToolMemory } from './tool.ts';

function call(made: Tool, args: JsonMap, search: ToolMemory['search']) {
  const context = sampleContext({ memory: { ...sampleContext().memory, search } });
  return callTool({ tool: made, call: { name: 'load_memory', args }, available: ['load_memory'] }, context);
}

const found = (...memories: SearchResponse['memories']): SearchResponse => ({
  memories,
  mode: 'keyword',
  truncated: false,
  degraded: [],
  tookMs: 1,
});

describe('loadMemory', () => {
  it('tells of each memory what a model needs, without provenance', async () => {
    const memories = [
      sampleMemory({ sessionId: 's0', confidence: 0.9, score: 0.7 }),
      sampleMemory({ id: 'm2', author: 'assistant' }),
    ];
    expect(await call(loadMemory(), { query: '温度单位' }, async () => found(...memories))).toEqual({
      response: {
        memories: [
          {
            id: 'm1',
            text: '用户喜欢摄氏度',
            when: '2026-03-01T08:00:00.000Z',
            by: 'user',
            session: 's0',
            confidence: 0.9,
          },
          { id: 'm2', text: '用户喜欢摄氏度', when: '2026-03-01T08:00:00.000Z', by: 'assistant' },
        ],
      },
    });
  });

  it('tells that there is nothing', async () => {
    expect(await call(loadMemory(), { query: 'x' }, async () => found())).toEqual({ response: { memories: [] } });
  });

  it('searches by what the model and the options say', async () => {
    const searches: unknown[] = [];
    const note: ToolMemory['search'] = async (query, options) => {
      searches.push([query, options]);
      return found();
    };
    await call(loadMemory(), { query: '单位' }, note);
    await call(loadMemory({ limit: 3, tokenBudget: 500 }), { query: 'unit' }, note);
    await call(loadMemory({ limit: 3 }), { query: 'unit', limit: 5 }, note);
    expect(searches).toEqual([
      ['单位', { limit: 10 }],
      ['unit', { limit: 3, tokenBudget: 500 }],
      ['unit', { limit: 5 }],
    ]);
  });

  it.each<[JsonMap, RegExp]>([
    [{}, /- query: /],
    [{ query: '' }, /- query: /],
    [{ query: 'x', limit: 0 }, /- limit: /],
    [{ query: 'x', limit: 1.5 }, /- limit: /],
    [{ query: 'x', limit: 101 }, /- limit: /],
  ])('tells the model what is wrong with %j', async (args, problem) => {
    expect(await call(loadMemory(), args, async () => found())).toEqual({
      failure: 'invalidArguments',
      response: { error: expect.stringMatching(problem) },
    });
  });

  it('tells the model why memory failed', async () => {
    const broken = async () => {
      throw new PalimpsestError('CLOSED', { what: 'The store' });
    };
    expect(await call(loadMemory(), { query: 'x' }, broken)).toEqual({
      failure: 'threw',
      response: { error: 'The store is closed.' },
    });
  });

  it.each([{ limit: 0 }, { limit: 101 }, { tokenBudget: 0 }, { tokenBudget: 1.5 }])('refuses %j', (options) => {
    const [argument] = Object.keys(options);
    const refuses = (error: unknown) =>
      isPalimpsestError(error, 'INVALID_ARGUMENT') && error.details.argument === argument;
    expect(() => loadMemory(options)).toThrow(expect.toSatisfy(refuses));
  });
});
