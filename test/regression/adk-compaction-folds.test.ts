import { describe, expect, it } from 'vitest';
import { threshold, window } from '../../src/index.ts';
import { compactorOf, openSession } from '../context/open-compaction.ts';
import { append, converse, expectWhole, givenTo, shortSummary, shownOf } from './folded-session.ts';
import { answer, call, says } from './shown-requests.ts';

const agent = { agentName: 'assistant' };
const sample = (): string => shortSummary;
const notDue = { status: 'nothingToDo', why: 'notDue' };
const everyTwo = { triggers: [window({ interval: 2 })] };

describe('what waits for an answer', () => {
  it('D2: a call that is to be confirmed stays until it is, however long that takes, and is folded then', async () => {
    const opened = await openSession();
    const { key } = opened;
    await append(opened, 'i1', [
      says('user', '付给房东 3000 元'),
      says('assistant', [call('pay', 'call-1', { 元: 3000 })]),
      says('assistant', [call('adk_request_confirmation', 'confirm-1')], { longRunningToolIds: ['confirm-1'] }),
    ]);
    await converse(opened, { from: 2, to: 6 });
    const { compactor, calls } = compactorOf(opened, sample, everyTwo);
    expect(await compactor.afterInvocation(key, agent)).toEqual({ status: 'blocked', by: [2, 3] });
    await append(opened, 'i7', [
      says('user', [answer('adk_request_confirmation', 'confirm-1', { confirmed: true })]),
      says('assistant', [answer('pay', 'call-1', { 已付: 3000 })]),
      says('assistant', '付好了。'),
    ]);
    expect(shownOf(await opened.log()).filter((line) => line.includes('pay'))).toEqual([
      'model: call pay({"元":3000})',
      'user: pay -> {"已付":3000}',
    ]);
    await converse(opened, { from: 8, to: 8 });
    expect(await compactor.afterInvocation(key, agent)).toMatchObject({ status: 'compacted' });
    expect(givenTo(calls[0] ?? expect.fail())).toContain('付给房东 3000 元');
    expectWhole(await opened.log());
  });

  it('D3: a call that goes on after a first word stays verbatim until the final one, which finds it', async () => {
    const opened = await openSession();
    const { key } = opened;
    await append(opened, 'i1', [
      says('user', '渲染一部片子'),
      says('assistant', [call('render', 'r1')], { longRunningToolIds: ['r1'] }),
      says('assistant', [answer('render', 'r1', { status: 'pending' })]),
      says('assistant', '在渲染。'),
    ]);
    await converse(opened, { from: 2, to: 4 });
    const { compactor } = compactorOf(opened, sample);
    await compactor.compact(key);
    expect(await opened.covers()).toEqual([
      [
        [1, 1],
        [4, 8],
      ],
    ]);
    await append(opened, 'i5', [says('user', [answer('render', 'r1', { url: '片子.mp4' })])]);
    expect(shownOf(await opened.log())).toEqual([
      'user: [The conversation so far:]',
      'model: call render({})',
      'user: render -> {"url":"片子.mp4"}',
      `model: ${shortSummary}`,
      'user: 问题 4：下一班去东京的车几点开？🚄',
      'model: 答复 4：九点四十分。',
    ]);
    await append(opened, 'i5', [says('assistant', '片子好了。')]);
    await converse(opened, { from: 6, to: 6 });
    await compactor.compact(key);
    expect((await opened.covers()).at(-1)).toEqual([
      [2, 3],
      [9, 13],
    ]);
    expectWhole(await opened.log());
  });

  it('D4: a call that nobody will answer is stepped over, with a note, and fifty turns behind it are folded', async () => {
    const opened = await openSession();
    const { key } = opened;
    const { compactor, calls } = compactorOf(opened, sample, everyTwo);
    await converse(opened, { from: 1, to: 2 });
    await compactor.afterInvocation(key, agent);
    await append(opened, 'i3', [says('user', '查天气'), says('assistant', [call('look', 'dead')])]);
    const dead = (await opened.log()).at(-1)?.seq;
    for (let number = 4; number <= 53; number++) {
      await converse(opened, { from: number, to: number });
      const outcome = await compactor.afterInvocation(key, agent);
      expect(outcome.status).not.toBe('blocked');
    }
    const log = await opened.log();
    const folds = log.filter(({ actions }) => actions.compaction !== undefined);
    expect(folds).toHaveLength(26);
    for (const { customMetadata } of folds.slice(1))
      expect(customMetadata?.steppedOver).toEqual([{ seq: dead, why: 'deadCall' }]);
    expect(calls.some((one) => givenTo(one).includes('问题 52：'))).toBe(true);
    expect(shownOf(log).join()).not.toContain('call look');
  });

  it('D11: the question that is being answered is never covered, and to retain nothing is refused', async () => {
    expect(() => threshold({ tokens: 900, retain: { events: 0 } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ argument: 'retain.events' }),
      }),
    );
    const opened = await openSession();
    const { key } = opened;
    await converse(opened, { from: 1, to: 2 });
    const rounds = Array.from({ length: 30 }, (_, at) => [
      says('assistant', [call('look', `c${at}`, { 站: at })], { usage: { inputTokens: 1000 } }),
      says('assistant', [answer('look', `c${at}`, { 站: `第 ${at} 站晴` })]),
    ]).flat();
    await append(opened, 'i3', [says('user', '逐站查天气'), ...rounds]);
    const triggers = [threshold({ tokens: 900, retain: { events: 1 } })];
    const { compactor } = compactorOf(opened, sample, { triggers, contextWindow: 1000 });
    await compactor.afterInvocation(key, agent);
    await compactor.beforeModelCall(key, { ...agent, promptTokens: 950 });
    const log = await opened.log();
    const folds = log.flatMap(({ actions }) => actions.compaction ?? []);
    expect(folds.length).toBeGreaterThan(0);
    expect(shownOf(log)).toContain('user: 逐站查天气');
    expectWhole(log);
  });
});

describe('the size of a prompt', () => {
  it('D12: is that of the last request and what came since, not the sum of several, and one fold follows from it', async () => {
    const opened = await openSession();
    const { key } = opened;
    const triggers = [threshold({ tokens: 100_000, retain: { invocations: 1 } })];
    const { compactor, calls } = compactorOf(opened, sample, { triggers, contextWindow: 200_000 });
    const report = async (number: number, inputTokens: number) => {
      await converse(opened, { from: number, to: number, answer: { usage: { inputTokens } } });
      return compactor.afterInvocation(key, agent);
    };
    for (const [at, inputTokens] of [50_000, 60_000, 70_000].entries())
      expect(await report(at + 1, inputTokens)).toEqual(notDue);
    expect(await report(4, 101_000)).toMatchObject({ status: 'compacted' });
    for (const [at, inputTokens] of [30_000, 40_000, 60_000].entries())
      expect(await report(at + 5, inputTokens)).toEqual(notDue);
    expect(calls).toHaveLength(1);
  });

  it('D25: where no provider has told of it, what calls carry and what tools gave counts too', async () => {
    for (const events of [
      [says('assistant', [call('save', 'c1', { 正文: '很长的正文'.repeat(5000) })])],
      [
        says('assistant', [call('load', 'c1')]),
        says('assistant', [answer('load', 'c1', { 正文: '很长的正文'.repeat(5000) })]),
      ],
    ]) {
      const opened = await openSession();
      await append(opened, 'i1', [
        says('user', '处理文稿'),
        ...events,
        ...(events.length === 1 ? [says('assistant', [answer('save', 'c1', { ok: true })])] : []),
        says('assistant', '好了。'),
      ]);
      await converse(opened, { from: 2, to: 2 });
      const triggers = [threshold({ tokens: 20_000, retain: { invocations: 1 } })];
      const { compactor } = compactorOf(opened, sample, { triggers });
      expect(await compactor.afterInvocation(opened.key, agent)).toMatchObject({ status: 'compacted' });
    }
  });

  it('D22: needs no window beside it, nor a window a size, and an interval of nothing is refused', async () => {
    for (const interval of [0, -1, 1.5])
      expect(() => window({ interval })).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          details: expect.objectContaining({ argument: 'interval' }),
        }),
      );
    for (const triggers of [[threshold({ tokens: 900, retain: { events: 2 } })], [window({ interval: 1 })]]) {
      const opened = await openSession();
      await converse(opened, { from: 1, to: 2, answer: { usage: { inputTokens: 1000 } } });
      const { compactor } = compactorOf(opened, sample, { triggers });
      expect(await compactor.afterInvocation(opened.key, agent)).toMatchObject({
        event: { actions: { compaction: { trigger: triggers[0]?.kind } } },
      });
    }
  });
});

describe('what summarisers are given', () => {
  it('D17: fifty thousand characters of Chinese and emoji are folded whole, and the turns after them go on', async () => {
    const opened = await openSession();
    const { key } = opened;
    const pasted = '记🚄👨‍👩‍👧‍👦录'.repeat(5000);
    await append(opened, 'i1', [
      says('user', pasted),
      says('assistant', [call('save', 'c1', { 正文: `x${pasted}` })]),
      says('assistant', [answer('save', 'c1', { 正文: pasted })]),
      says('assistant', '记下了。'),
    ]);
    const { compactor, calls } = compactorOf(opened, sample, { triggers: [window({ interval: 1 })] });
    for (let number = 2; number <= 6; number++) {
      await converse(opened, { from: number, to: number });
      expect(await compactor.afterInvocation(key, agent)).toMatchObject({ status: 'compacted' });
      expect(shownOf(await opened.log()).length).toBeGreaterThan(0);
    }
    const given = givenTo(calls[0] ?? expect.fail());
    expect(given.isWellFormed()).toBe(true);
    expect(given).toContain(pasted);
    expect(given.length).toBeLessThan(pasted.length + 20_000);
    expectWhole(await opened.log());
  });

  it('D19: over folds of huge results they are told the language, the tools by name, and what is open', async () => {
    const opened = await openSession();
    const { key } = opened;
    const told = (number: number) => `第 ${number} 批用 search_flights 查过航班，还要订座。`;
    const { compactor, calls } = compactorOf(opened, (_, index) => told(index + 1), {
      triggers: [window({ interval: 1 })],
    });
    for (let number = 1; number <= 4; number++) {
      await append(opened, `i${number}`, [
        says('user', `查第 ${number} 批航班，然后订座`),
        says('assistant', [call('search_flights', `c${number}`, { batch: number })]),
        says('assistant', [answer('search_flights', `c${number}`, { html: 'flight table row '.repeat(12_000) })]),
        says('assistant', '查到了，还没有订座。'),
      ]);
      await compactor.afterInvocation(key, agent);
    }
    expect(calls).toHaveLength(4);
    for (const one of calls) {
      expect(givenTo(one)).toMatch(/^> .*search_flights/m);
      expect(givenTo(one).length).toBeLessThan(4000);
      const instruction = one.request.instruction.join('\n');
      for (const rule of ['language of the conversation', 'tool names exactly', 'still open'])
        expect(instruction).toContain(rule);
    }
    expect(shownOf(await opened.log()).slice(1)).toEqual([1, 2, 3, 4].map((number) => `model: ${told(number)}`));
    const english = () => 'Flights were searched for the user, and the seats of this batch are still to be booked.';
    await append(opened, 'i5', [
      says('user', '查第五批航班，再帮我看看有没有靠窗的座位'),
      says('assistant', '第五批也查到了，靠窗的还有两个座位。'),
    ]);
    expect(
      await compactorOf(opened, english, { triggers: [window({ interval: 1 })] }).compactor.afterInvocation(key, agent),
    ).toMatchObject({
      status: 'failed',
      refusal: { why: 'otherScript' },
    });
  });
});
