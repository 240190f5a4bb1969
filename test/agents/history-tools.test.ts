import { describe, expect, it, onTestFinished } from 'vitest';
import { type EventInput, expandHistory, type JsonMap, openPalimpsest, pinTool, unpinTool } from '../../src/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';

const key = { userId: 'u1', sessionId: 's1' };
const pinned = (numbers: readonly number[]): ScriptedTurn => ({ calls: [{ id: 'p', name: 'pin', args: { numbers } }] });
const expand = (args: JsonMap = {}): ScriptedTurn => ({ calls: [{ id: 'e', name: 'expand_history', args }] });

/** A session of six events, the first four behind a summary, two of them in Chinese, one rewound, one sealed. */
async function talk(...turns: readonly (string | ScriptedTurn)[]) {
  const palimpsest = await openPalimpsest({ ingest: 'never', sweepSeconds: 0 });
  onTestFinished(() => palimpsest.close());
  const session = await palimpsest.user('u1').session('s1');
  const said: readonly EventInput[] = [
    { author: 'user', content: 'My train to Dali leaves at nine.' },
    { author: 'guide', content: '好的，九点的火车去大理。' },
    { author: 'user', content: '我对花生过敏，请记住。' },
    { author: 'guide', content: 'No peanuts, noted.' },
    { author: 'user', content: 'Sealed: peanuts elsewhere.', isolationScope: 'sealed' },
    { author: 'user', content: 'Forget I said peanuts.', invocationId: 'gone' },
  ];
  await session.append(said);
  await session.rewind({ beforeInvocationId: 'gone' });
  const summary = { role: 'model' as const, parts: [{ text: '用户九点去大理，有忌口。' }] };
  await session.append([
    {
      author: 'system',
      actions: { compaction: { covers: [[1, 4]], content: summary, trigger: 'test', sourceHash: '' } },
    },
  ]);
  const model = new ScriptedModel([...turns, '好了。']);
  const tools = [expandHistory(), pinTool(), unpinTool()];
  const agent = palimpsest.agent({ name: 'guide', model, tools });
  for await (const _ of agent.run({ ...key, message: '我吃什么好？' }));
  const events = (await session.read({ limit: 100 })).items;
  const answers = events.flatMap(({ content }) => content?.parts.flatMap((part) => part.functionResponse ?? []) ?? []);
  return { palimpsest, session, model, events, answers: answers.map(({ response }) => response) };
}

describe('expand_history', () => {
  it('tells which summaries there are, and what one stands for', async () => {
    const { answers } = await talk(expand(), expand({ summary: 8 }));
    expect(answers[0]).toEqual({ summaries: [{ summary: 8, covers: '1–4', begins: '用户九点去大理，有忌口。' }] });
    expect(answers[1]).toMatchObject({
      events: [
        { number: 1, by: 'user', text: 'My train to Dali leaves at nine.' },
        { number: 2, by: 'guide', text: '好的，九点的火车去大理。' },
        { number: 3, by: 'user', text: '我对花生过敏，请记住。' },
        { number: 4, by: 'guide', text: 'No peanuts, noted.' },
      ],
    });
  });

  it('finds by words, in either language, nothing that is sealed or rewound', async () => {
    const { answers } = await talk(expand({ query: '花生' }), expand({ query: 'peanuts', from: 1 }));
    expect(answers[0]).toMatchObject({ events: [{ number: 3 }] });
    expect(answers[1]).toMatchObject({ events: [{ number: 4 }] });
  });

  it('reads a range, and says what is wrong with one', async () => {
    const { answers } = await talk(expand({ from: 2, to: 3 }), expand({ from: 3, to: 2 }), expand({ summary: 2 }));
    expect(answers[0]).toMatchObject({ events: [{ number: 2 }, { number: 3 }] });
    expect(answers[1]).toMatchObject({ error: expect.stringContaining('must not be above toSeq') });
    expect(answers[2]).toMatchObject({ error: expect.stringContaining('seq of a summary in force') });
  });

  it('keeps to its budget, and says how much is left out', async () => {
    const { palimpsest, session } = await talk();
    const model = new ScriptedModel([expand({ from: 1, to: 4 }), '好了。']);
    const agent = palimpsest.agent({ name: 'guide', model, tools: [expandHistory({ tokenBudget: 12 })] });
    for await (const _ of agent.run({ ...key, message: '再看看。' }));
    const { items } = await session.read({ newestFirst: true, limit: 2 });
    expect(items[1]?.content?.parts[0]?.functionResponse?.response).toMatchObject({
      events: [{ number: 1 }],
      more: expect.stringContaining('3 more'),
    });
  });
});

describe('pin and unpin', () => {
  it('keep events word for word from the next request on, and let them go again', async () => {
    const { model, answers } = await talk(pinned([3]), { calls: [{ id: 'q', name: 'unpin', args: { numbers: [3] } }] });
    const shown = model.calls.map(({ request }) => JSON.stringify(request.contents).includes('我对花生过敏'));
    expect(shown).toEqual([false, true, false]);
    expect(answers).toEqual([{ pinned: true }, { unpinned: true }]);
  });

  it('tell the model what cannot be pinned', async () => {
    const { answers } = await talk(pinned([7]), pinned([99]));
    expect(answers).toEqual([
      { error: expect.stringContaining('bookkeeping') },
      { error: expect.stringContaining('not in this log') },
    ]);
  });
});
