import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { type Content, modelText, type PartInput } from '../../events/index.ts';
import { checkSummary, type SummaryReply } from './check-summary.ts';
import { type FoldPlan, planFold } from './plan-fold.ts';
import { summed, windowOf } from './sample-window.ts';

function planOf(log: readonly LoggedInput[]): FoldPlan {
  const after: LoggedInput = { seq: 99, author: 'user', content: '？', invocationId: 'i99' };
  const outcome = planFold(windowOf(buildLog([...log, after])));
  return outcome.status === 'plan' ? outcome.plan : expect.fail('there is no plan');
}

const say = (seq: number, content: string | { parts: PartInput[] }): LoggedInput => ({
  seq,
  author: seq % 2 === 1 ? 'user' : 'assistant',
  content,
  invocationId: 'i1',
});

const english = planOf([
  say(1, 'I would like to book two seats on the early train from Kyoto to Tokyo on Friday, by the window if possible.'),
  say(
    2,
    'Two window seats on the 07:12 are reserved under number K-4471. The fare is 28,340 yen, payable by Thursday.',
  ),
]);
const chinese = planOf([
  say(1, '我想订两张星期五早上从京都到东京的车票，最好靠窗，另外帮我看看有没有儿童优惠。'),
  say(2, '已经为您预留了七点十二分那班车的两个靠窗座位，预订号 K-4471，票价 28340 日元，请在星期四之前付款。'),
]);

const reply = (text: string, more: Partial<SummaryReply> = {}): SummaryReply => ({
  content: modelText(text),
  finishReason: 'stop',
  ...more,
});

const whyRefused = (answer: SummaryReply, plan = english): string => {
  const check = checkSummary(answer, plan);
  return check.status === 'refused' ? check.refusal.why : check.status;
};

const good =
  'The user wanted two Kyoto–Tokyo window seats for Friday morning; K-4471 (28,340 yen) awaits payment till Thursday.';
const goodChinese =
  '用户要周五早班京都至东京的靠窗票两张；助手已留座（K-4471，28340 日元），周四前须付款；儿童优惠尚未答复。';

describe('a summary that is taken', () => {
  it.each([
    ['English', good, english],
    ['Chinese', goodChinese, chinese],
  ])('%s prose, as it stands', (_, text, plan) => {
    expect(checkSummary(reply(`\n${text} `), plan)).toMatchObject({ status: 'accepted', text });
  });

  it('may have thoughts beside it, and no finish reason', () => {
    const parts = [{ text: 'Let me see…', thought: true }, { thoughtSignature: 'c2ln' }, { text: good }];
    const check = checkSummary({ content: { role: 'model', parts }, finishReason: undefined }, english);
    expect(check).toMatchObject({ status: 'accepted', text: good });
  });
});

describe('a summary that is refused', () => {
  const call = { functionCall: { name: 'transfer_funds', args: { amount: 100 } } };
  const content = (...parts: Content['parts']): SummaryReply => ({
    content: { role: 'model', parts },
    finishReason: 'stop',
  });

  it('for a call in it, however good the rest is', () => {
    const check = checkSummary(content({ text: good }, call), english);
    expect(check).toEqual({ status: 'refused', refusal: { why: 'notProse', calls: ['transfer_funds'] } });
    expect(whyRefused(content({ text: good }, { inlineData: { mimeType: 'image/png', data: '' } }))).toBe('notProse');
  });

  it.each(['length', 'content-filter', 'error', 'tool-calls'])('for an end by %s', (finishReason) => {
    expect(whyRefused(reply(good, { finishReason }))).toBe('unfinished');
  });

  it('for an answer that broke off, is empty, or all thought', () => {
    expect(whyRefused(reply(good, { isWhole: false }))).toBe('unfinished');
    expect(whyRefused({ content: undefined, finishReason: 'stop' })).toBe('empty');
    expect(whyRefused(reply(' \n\t'))).toBe('empty');
    expect(whyRefused(content({ text: good, thought: true }))).toBe('onlyThoughts');
    expect(whyRefused(content({ text: '', thought: true }))).toBe('empty');
  });

  it('for its length, and is never shortened', () => {
    const long = planOf([say(1, 'one two three four five six seven eight '.repeat(60))]);
    expect(long.mostTokens).toBe(300);
    const words = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ');
    expect(checkSummary(reply(words), long)).toMatchObject({ refusal: { why: 'tooLong', most: 300 } });
    const huge = planOf([say(1, '说'.repeat(100_000))]);
    expect(huge.mostTokens).toBe(2000);
    expect(whyRefused(reply('写'.repeat(2001)), huge)).toBe('tooLong');
    const counter = { name: 'words', count: (text: string) => text.split(' ').length };
    expect(checkSummary(reply(good), { ...english, mostTokens: 20 }, { countTokens: counter }).status).toBe('accepted');
  });

  it('for another script than that of the conversation', () => {
    expect(checkSummary(reply(good), chinese)).toEqual({
      status: 'refused',
      refusal: { why: 'otherScript', script: 'latin', expected: 'cjk' },
    });
    expect(whyRefused(reply(goodChinese), english)).toBe('otherScript');
    expect(whyRefused(reply('Пользователь хотел заказать два места у окна на утренний поезд.'), english)).toBe(
      'otherScript',
    );
  });

  it('for a script only where the conversation has hardly any of it', () => {
    const mixed = planOf([
      say(1, '帮我把 getUserById 改成 async，顺便加上 error handling 和 retry，谢谢。'),
      say(2, { parts: [{ functionCall: { name: 'edit_file', args: { patch: 'x'.repeat(999) } } }] }),
      say(3, {
        parts: [{ functionResponse: { name: 'edit_file', response: 'a long result in English '.repeat(99) } }],
      }),
      say(4, 'getUserById 现在是 async function，error 会 retry 三次。'),
    ]);
    expect(whyRefused(reply('用户要求改写 getUserById 并加重试；已经完成，失败会再试三次。'), mixed)).toBe('accepted');
    expect(whyRefused(reply('The user had getUserById made async, with three retries on error.'), mixed)).toBe(
      'accepted',
    );
    expect(whyRefused(reply('ok, 好的'), english)).toBe('accepted');
  });

  it('for what it only repeats, in words or in characters', () => {
    const source = english.events.map(({ content: said }) => said?.parts[0]?.text).join(' ');
    const check = checkSummary(reply(source.toUpperCase().replaceAll(' ', '\n')), { ...english, mostTokens: 999 });
    expect(check).toMatchObject({ status: 'refused', refusal: { why: 'echo' } });
    const zh = chinese.events[1]?.content?.parts[0]?.text ?? '';
    expect(whyRefused(reply(zh), { ...chinese, mostTokens: 999 })).toBe('echo');
    expect(whyRefused(reply(`${goodChinese}${zh.slice(0, 30)}`), { ...chinese, mostTokens: 999 })).toBe('accepted');
  });

  it('for an echo of tool results, not for keeping words of an older summary', () => {
    const result =
      'The forecast for Kyoto says rain in the morning, sunshine after noon, and a light wind from the north.';
    const log = [
      say(1, 'Weather?'),
      say(2, { parts: [{ functionCall: { id: 'c', name: 'weather' } }] }),
      {
        ...say(3, { parts: [{ functionResponse: { id: 'c', name: 'weather', response: result } }] }),
        author: 'assistant',
      },
      say(4, 'It rains, take an umbrella.'),
    ];
    expect(whyRefused(reply(result), planOf(log))).toBe('echo');
    const older = planOf([say(1, 'Hello.'), summed(2, [[1, 1]], result), say(3, 'Thanks, and tomorrow?')]);
    const { coverage } = windowOf(buildLog([say(1, 'Hello.'), summed(2, [[1, 1]], result)]));
    expect(whyRefused(reply(result), { ...older, supersedes: coverage.summaries })).toBe('accepted');
  });
});

describe('large inputs', () => {
  it('are read through: ten million characters of source, and of an answer', () => {
    const words = Array.from({ length: 1000 }, (_, at) => `word${at}`).join(' ');
    const source = planOf([say(1, `${words} `.repeat(1300).slice(0, 7_000_000)), say(2, '说这件事'.repeat(750_000))]);
    expect(whyRefused(reply('He spoke of many words, each with its number.'), source)).toBe('accepted');
    expect(whyRefused(reply(words.slice(0, 4000)), source)).toBe('echo');
    expect(whyRefused(reply('说这件事'.repeat(400)), source)).toBe('echo');
    expect(whyRefused(reply('长'.repeat(10_000_000)), source)).toBe('tooLong');
  });
});
