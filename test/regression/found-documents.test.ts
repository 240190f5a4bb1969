import { describe, expect, it } from 'vitest';
import { type AgentOptions, type Block, text, textOf, tool } from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, runToEnd } from '../agents/run-to-end.ts';

type Documents = NonNullable<AgentOptions['documents']>;

const start = tool({ name: 'start', description: 'Starts.', longRunning: true, run: () => ({ status: 'started' }) });
const found = (words: string): Block => ({ kind: 'document', stable: false, content: text(words) });

async function agentWith(documents: unknown, turns: ConstructorParameters<typeof ScriptedModel>[0] = ['好']) {
  const palimpsest = await openQuiet({ ingest: 'never' });
  const model = new ScriptedModel(turns);
  const make = () => palimpsest.agent({ name: 'assistant', model, tools: [start], documents: documents as Documents });
  return { palimpsest, model, make };
}

describe('documents that a function finds', () => {
  it('are asked for once a run, by what the user says and by what state has, and cannot be changed later', async () => {
    const asked: unknown[] = [];
    const kept: { content: { role: string; parts: { text: string }[] } }[] = [];
    const documents: Documents = async ({ question, state, agentName, signal }) => {
      asked.push([textOf(question), state.get('unit'), agentName, signal.aborted, 'set' in state]);
      const block = { kind: 'document', stable: false, content: { role: 'user', parts: [{ text: '摄氏' }] } } as const;
      kept.push(JSON.parse(JSON.stringify(block)));
      return kept.slice(-1) as object as readonly Block[];
    };
    const { model, make } = await agentWith(documents, [
      { calls: [{ name: 'start', id: 'c1' }] },
      '在做',
      '好了',
      '三',
    ]);
    const agent = make();
    for await (const event of agent.run({
      userId: 'u1',
      sessionId: 's1',
      message: '几度？',
      stateDelta: { unit: 'C' },
    }))
      if (event.partial !== true) for (const { content } of kept) content.parts[0] = { text: '改了' };
    const functionResponse = { id: 'c1', name: 'start', response: { status: 'done' } };
    await runToEnd(agent, { message: { parts: [{ functionResponse }] } });
    await runToEnd(agent, { message: '还有呢？' });
    expect(asked).toEqual([
      ['几度？', 'C', 'assistant', false, false],
      ['', 'C', 'assistant', false, false],
      ['还有呢？', 'C', 'assistant', false, false],
    ]);
    const shown = model.calls.map(({ request }) => request.transient.map((at) => textOf(request.contents[at])));
    expect(shown.map(([first]) => first)).toEqual(['摄氏', '摄氏', '摄氏', '摄氏']);
  });

  it('that cannot be found end the run with the reason, and the words of the user are kept', async () => {
    const { palimpsest, model, make } = await agentWith(() => {
      throw new RangeError('索引坏了');
    });
    expect((await runToEnd(make(), { message: '问' })).failure).toBeInstanceOf(RangeError);
    expect(model.calls).toEqual([]);
    expect((await logOf(palimpsest)).map(outline)).toEqual(['user: 问']);
  });

  it('that never come hold no run that is stopped, and are told of it', async () => {
    const stop = new AbortController();
    let told = false;
    const { palimpsest, make } = await agentWith(({ signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      stop.abort();
      return new Promise(() => undefined);
    });
    const { failure } = await runToEnd(make(), { message: '问', signal: stop.signal });
    expect(failure).toMatchObject({ code: 'ABORTED' });
    expect(told).toBe(true);
    expect((await logOf(palimpsest)).map(outline)).toEqual(['user: 问']);
  });

  it('are not looked for where a callback answers', async () => {
    const { palimpsest } = await agentWith([]);
    let count = 0;
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel([]),
      documents: () => {
        count++;
        return [];
      },
      callbacks: { beforeAgent: () => '不用找' },
    });
    expect((await runToEnd(agent, { message: '问' })).events.map(outline)).toEqual(['assistant: 不用找']);
    expect(count).toBe(0);
  });

  const wrong: [unknown, RegExp][] = [
    ['手册', /list of blocks/],
    [{ kind: 'document' }, /list of blocks/],
    [['手册'], /documents\[0\]/],
    [[found('一'), { ...found('二'), kind: 'page' }], /documents\[1\].*instruction, example/],
    [[{ kind: 'document', content: text('x') }], /documents\[0\]/],
    [[{ ...found('x'), content: '字' }], /documents\[0\]/],
    [[{ ...found('x'), content: { parts: [{ txt: 'x' }] } }], /documents\[0\].*txt/],
    [[{ ...found('x'), content: { role: 'system', parts: [] } }], /documents\[0\].*role/],
    [[{ ...found('x'), source: 'wiki' }], /documents\[0\]/],
    [[{ ...found('x'), source: [() => 1] }], /documents\[0\]/],
  ];

  it.each(wrong)('that are %j are refused by name, returned or given', async (blocks, reason) => {
    const returned = await agentWith(() => blocks);
    const { failure } = await runToEnd(returned.make(), { message: '问' });
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(reason) });
    expect(returned.model.calls).toEqual([]);
    const given = await agentWith(blocks);
    expect(given.make).toThrow(reason.source.startsWith('list') ? /list/ : reason);
  });
});
