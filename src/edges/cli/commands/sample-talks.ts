import { openPalimpsest } from '../../../engine/index.ts';
import type { EventInput } from '../../../events/index.ts';
import { tool } from '../../../index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../../testing/index.ts';

const usage = { inputTokens: 310, outputTokens: 12, cacheReadTokens: 256, totalTokens: 322 };

/** What the guide answers, in order. */
const answers: readonly (string | ScriptedTurn)[] = [
  '好的，周五到大理，住三天。',
  { text: 'I look it up.', calls: [{ name: 'forecast', args: { place: '大理' } }] },
  { text: 'In Dali 18 °C, at night 8 °C. 带一件外套。', usage },
  { text: '带外套、雨伞和一双好走的鞋。', usage },
  'Sandals will do.',
  '雨伞要带，周六有雨。',
];

/**
 * For tests: a store with a session `trip` of the user `u1`, in which an agent was asked five times, with a tool, a
 * summary of the first question (event 7) and a rewind of the fourth (event 12), and with memories of the session
 * `units`; a session `travel-team` of three agents on branches; an empty session; and one of 2,000 events, `long`.
 */
export async function writeSampleTalks(file: string): Promise<void> {
  const palimpsest = await openPalimpsest({ file });
  const user = palimpsest.user('u1');
  const append = async (sessionId: string, events: readonly EventInput[]) =>
    (await user.session(sessionId)).append(events);
  await append('units', [
    { author: 'user', content: 'Please report the temperature in Celsius. 我去大理旅行喜欢轻装。' },
    { author: 'guide', content: 'Celsius from now on.' },
  ]);
  await palimpsest.settled();
  const guide = palimpsest.agent({
    name: 'guide',
    model: new ScriptedModel(answers, { name: 'scripted-1', provider: 'openai' }),
    instruction: 'Answer briefly, in the language of the question. 回答要简短。',
    tools: [forecast],
  });
  const ask = async (message: string) => {
    for await (const _ of guide.run({ userId: 'u1', sessionId: 'trip', message }));
    await palimpsest.settled();
  };
  await ask('我周五去大理，大概住三天。');
  await ask('How warm is it in Dali? In Celsius, please.');
  await append('trip', [summary]);
  await ask('去大理旅行带什么？');
  await ask('And which shoes?');
  const trip = await user.session('trip');
  const { items } = await trip.read({ fromSeq: 10, limit: 1 });
  await trip.rewind({ beforeInvocationId: items[0]?.invocationId ?? '' });
  await ask('雨伞呢？');
  await append('travel-team', team);
  await user.session('empty');
  await append('long', longTalk);
  await palimpsest.settled();
  await palimpsest.close();
}

const forecast = tool({
  name: 'forecast',
  description: 'Tells the weather of a place.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  run: () => ({ day: '18 °C', night: '8 °C' }),
});

const summary: EventInput = {
  author: 'system',
  actions: {
    compaction: {
      covers: [[1, 2]],
      content: { role: 'model', parts: [{ text: '用户周五去大理，住三天。' }] },
      trigger: 'test',
      sourceHash: 'x',
    },
  },
};

const call = { id: 'c1', name: 'find_trains', args: { to: '大理' } };

const team: readonly EventInput[] = [
  { author: 'user', content: '帮我安排大理三日游：火车和客栈。' },
  { author: 'planner', content: 'The trains first, then the inn.', actions: { transferToAgent: 'trains' } },
  { author: 'trains', branch: 'planner.trains', content: { role: 'model', parts: [{ functionCall: call }] } },
  {
    author: 'trains',
    branch: 'planner.trains',
    content: {
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'find_trains', response: { trains: ['D8765 09:30', '夜车 K9602'] } } },
      ],
    },
  },
  { author: 'trains', branch: 'planner.trains', content: 'D8765 09:30 最快，两小时。' },
  {
    author: 'inns',
    branch: 'planner.inns',
    content: { role: 'model', parts: [{ text: 'Quiet ones are south of the old town.', thought: true }] },
  },
  { author: 'inns', branch: 'planner.inns', content: '古城南门外的“听风”客栈，安静，每晚二百元。' },
  { author: 'inns', isolationScope: 'prices', content: '别处的价格：三百元。' },
  { author: 'planner', content: '火车 D8765，住“听风”客栈。可以吗？' },
  { author: 'user', content: 'Yes, book both, please.' },
];

const longTalk: readonly EventInput[] = Array.from({ length: 2000 }, (_, index) =>
  index % 2 === 0
    ? { author: 'user', content: `Question ${index + 1}: 第${index + 1}天去哪里？` }
    : { author: 'guide', content: `Answer ${index + 1}: 去古城。` },
);
