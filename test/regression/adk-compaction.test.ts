import { describe, expect, it } from 'vitest';
import { type Event, isBookkeeping, textOf, threshold, window } from '../../src/index.ts';
import { compactorOf, openSession } from '../context/open-compaction.ts';
import { append, converse, expectWhole, givenTo, sectionOf, shortSummary, shownOf } from './folded-session.ts';
import { notes, says, summary } from './shown-requests.ts';

const agent = { agentName: 'assistant' };
const sample = (): string => shortSummary;
const opening = 'user: [The conversation so far:]';
const summaryOf = (number: number): string => `model: 摘要 ${number}。`;
const numbered = (_: unknown, index: number): string => `摘要 ${index + 1}。`;

/** The invocations that each summary of a log names, oldest first. */
function invocationsOf(log: readonly Event[]): readonly (readonly string[])[] {
  const said = log.filter((event) => !isBookkeeping(event));
  const folds = log.flatMap(({ actions }) => actions.compaction ?? []);
  return folds.map(({ covers }) => {
    const named = said.filter(({ seq }) => covers.some(([start, end]) => start <= seq && seq <= end));
    return [...new Set(named.map(({ invocationId }) => invocationId))];
  });
}

describe('windows', () => {
  it('interval 2, overlap 1, four invocations: A covers 1–2, B covers 3–4 and was given 2 as read-only text', async () => {
    const opened = await openSession();
    const { compactor, calls } = compactorOf(opened, sample, { triggers: [window({ interval: 2, overlap: 1 })] });
    for (const [from, to] of [
      [1, 2],
      [3, 4],
    ] as const) {
      await converse(opened, { from, to });
      await compactor.afterInvocation(opened.key, agent);
    }
    expect(invocationsOf(await opened.log())).toEqual([
      ['i1', 'i2'],
      ['i3', 'i4'],
    ]);
    const [a = '', b = ''] = calls.map(givenTo);
    const told = (text: string) => [1, 2, 3, 4].filter((number) => text.includes(`问题 ${number}：`));
    expect([told(sectionOf(a, 'read-along')), told(sectionOf(a, 'to-summarise'))]).toEqual([[], [1, 2]]);
    expect([told(sectionOf(b, 'read-along')), told(sectionOf(b, 'to-summarise'))]).toEqual([[2], [3, 4]]);
    expect(told(b)).toEqual([2, 3, 4]);
    expect(calls[1]?.request.instruction.join('')).toContain('do not repeat it');
  });

  it('D5: what two windows share is shown to the model once', async () => {
    const opened = await openSession();
    const triggers = [window({ interval: 2, overlap: 1 })];
    const { compactor } = compactorOf(opened, numbered, { triggers });
    for (let number = 1; number <= 5; number++) {
      await converse(opened, { from: number, to: number });
      await compactor.afterInvocation(opened.key, agent);
    }
    const log = await opened.log();
    expect(shownOf(log)).toEqual([
      opening,
      summaryOf(1),
      summaryOf(2),
      'user: 问题 5：下一班去东京的车几点开？🚄',
      'model: 答复 5：九点四十分。',
    ]);
    expectWhole(log);
  });

  it('D30: two hundred invocations of before are folded three at a time, in four goes', async () => {
    const opened = await openSession();
    await converse(opened, { from: 1, to: 200 });
    const { compactor, calls } = compactorOf(opened, sample, { triggers: [window({ interval: 3 })] });
    const goes: number[] = [];
    for (let before = -1; before < calls.length; goes.push(calls.length - before)) {
      before = calls.length;
      await compactor.afterInvocation(opened.key, agent);
    }
    expect(goes).toEqual([20, 20, 20, 6, 0]);
    for (const call of calls) expect(givenTo(call).match(/问题 \d+：/g)).toHaveLength(3);
    const log = await opened.log();
    expect(invocationsOf(log).map((ids) => ids.length)).toEqual(calls.map(() => 3));
    expectWhole(log);
  });

  it('2.2: ends after its interval, though more has come, and starts where the last one ended', async () => {
    const opened = await openSession();
    const triggers = [window({ interval: 2, overlap: 1 })];
    const { compactor } = compactorOf(opened, sample, { triggers });
    await converse(opened, { from: 1, to: 2 });
    await compactor.afterInvocation(opened.key, agent);
    await converse(opened, { from: 3, to: 3 });
    expect(await compactor.afterInvocation(opened.key, agent)).toEqual({ status: 'nothingToDo', why: 'notDue' });
    await converse(opened, { from: 4, to: 5 });
    await compactor.afterInvocation(opened.key, agent);
    expect(invocationsOf(await opened.log())).toEqual([
      ['i1', 'i2'],
      ['i3', 'i4'],
    ]);
  });
});

describe('what a summary names', () => {
  it('D6: between the events that it names, one of another branch or scope, or one that stays, is still shown', async () => {
    const opened = await openSession();
    const long = '很长的调查结果，'.repeat(40);
    await append(opened, 'i1', [
      says('user', '评一评'),
      says('critic', `甲一：${long}`, { branch: 'all.critic' }),
      says('writer', '乙一', { branch: 'all.writer' }),
      says('critic', '密谈', { isolationScope: 'sealed' }),
      says('critic', `甲二：${long}`, { branch: 'all.critic' }),
      says('assistant', '评完了。'),
    ]);
    await converse(opened, { from: 2, to: 3 });
    const { compactor } = compactorOf(opened, sample);
    await compactor.compact(opened.key, { throughSeq: 6 });
    const log = await opened.log();
    expect(log.at(-1)?.actions.compaction).toMatchObject({
      branch: 'all.critic',
      covers: [
        [2, 2],
        [5, 5],
      ],
    });
    expect(shownOf(log, { branch: 'all.writer' })).toContain('user: [writer] said: 乙一');
    expect(shownOf(log, { agentName: 'critic', isolationScope: 'sealed' })).toContain('model: 密谈');
    expect(shownOf(log, { agentName: 'critic', branch: 'all.critic' })).toContain(`model: ${shortSummary}`);
  });

  it('D7: with all timestamps equal, the first event that stays is shown, and is folded the next time', async () => {
    const opened = await openSession();
    await converse(opened, { from: 1, to: 2, answer: { usage: { inputTokens: 1000 } } });
    const triggers = [threshold({ tokens: 900, retain: { events: 1 } })];
    const { compactor } = compactorOf(opened, sample, { triggers });
    await compactor.afterInvocation(opened.key, agent);
    expect(await opened.covers()).toEqual([[[1, 3]]]);
    expect(shownOf(await opened.log()).at(-1)).toBe('model: 答复 2：九点四十分。');
    await converse(opened, { from: 3, to: 3 });
    await compactor.compact(opened.key, { throughSeq: 6 });
    const log = await opened.log();
    expect(await opened.covers()).toEqual([[[1, 3]], [[4, 6]]]);
    expect(new Set(log.map(({ timestamp }) => timestamp)).size).toBe(1);
    expectWhole(log);
  });

  it('D9: a summary that no longer counts hides nothing from the next window', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    const { compactor, calls } = compactorOf(opened, sample, { triggers: [window({ interval: 2 })] });
    await converse(opened, { from: 1, to: 4 });
    await compactor.afterInvocation(key, agent);
    await service.append(key, [summary('前四问', [[1, 8]], { supersedes: [9, 10] })]);
    await service.rewind(key, { beforeInvocationId: 'i4' });
    // The wide summary is gone with i4, and so is that of i3 and i4; that of i1 and i2 counts again.
    expect(shownOf(await opened.log())).toEqual([
      opening,
      `model: ${shortSummary}`,
      'user: 问题 3：下一班去东京的车几点开？🚄',
      'model: 答复 3：九点四十分。',
    ]);
    await converse(opened, { from: 5, to: 5 });
    await compactor.afterInvocation(key, agent);
    const log = await opened.log();
    expect(invocationsOf(log).at(-1)).toEqual(['i3', 'i5']);
    expect(calls).toHaveLength(3);
    expectWhole(log);
  });

  it('D24: a turn that was taken back is told to no summariser', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    await converse(opened, { from: 1, to: 3 });
    await service.rewind(key, { beforeInvocationId: 'i2' });
    await converse(opened, { from: 4, to: 5 });
    const { compactor, calls } = compactorOf(opened, sample);
    await compactor.compact(key);
    expect(givenTo(calls[0] ?? expect.fail()).match(/(问题|答复) \d/g)).toEqual([
      '问题 1',
      '答复 1',
      '问题 4',
      '答复 4',
    ]);
    expect(await opened.covers()).toEqual([
      [
        [1, 2],
        [8, 9],
      ],
    ]);
  });
});

describe('branches and sealed talks', () => {
  it('D13: a fold in a sealed talk reads and covers that talk alone, and nobody outside sees its summary', async () => {
    const opened = await openSession();
    const { key } = opened;
    const [inA, inB] = [{ isolationScope: '甲' }, { isolationScope: '乙' }];
    for (let number = 1; number <= 3; number++)
      await append(opened, `i${number}`, [
        says('user', `任务 ${number}`),
        says('worker', `甲的话 ${number}：${'细节，'.repeat(99)}`, { ...inA, usage: { inputTokens: 1000 } }),
        says('worker', `乙的话 ${number}：细节`, inB),
        says('assistant', `完成 ${number}`),
      ]);
    const triggers = [threshold({ tokens: 900, retain: { events: 1 } })];
    const { compactor, calls } = compactorOf(opened, sample, { triggers });
    await compactor.afterInvocation(key, { agentName: 'worker', ...inA });
    const log = await opened.log();
    expect(log.at(-1)?.actions.compaction).toMatchObject(inA);
    const given = givenTo(calls[0] ?? expect.fail());
    expect(given).toContain('甲的话 1');
    expect(given).not.toMatch(/乙的话|任务|完成/);
    expect(shownOf(log, { agentName: 'worker', ...inA })).toEqual([
      opening,
      `model: ${shortSummary}`,
      expect.stringContaining('甲的话 3'),
    ]);
    for (const elsewhere of [{}, inB]) expect(shownOf(log, elsewhere).join()).not.toContain(shortSummary);
  });

  it('D28: what was folded beside a branch is no part of it, and what was folded on it is not seen beside it', async () => {
    const opened = await openSession();
    const { key } = opened;
    const [onA, onB] = [{ branch: 'all.a' }, { branch: 'all.b' }];
    for (let number = 1; number <= 2; number++)
      await append(opened, `i${number}`, [
        says('user', `比一比 ${number}`),
        says('a', `甲 ${number}`, onA),
        says('b', `乙 ${number}`, onB),
        says('assistant', `比完 ${number}`),
      ]);
    await converse(opened, { from: 3, to: 3 });
    const { compactor, calls } = compactorOf(opened, numbered);
    for (let folds = 0; folds < 3; folds++) await compactor.compact(key, { throughSeq: 8 });
    const log = await opened.log();
    const folds = log.flatMap(({ actions }) => actions.compaction ?? []);
    expect(folds.map(({ branch }) => branch).sort()).toEqual(['all.a', 'all.b', undefined]);
    for (const call of calls) {
      const speakers = [/甲/, /乙/, /比/].filter((speaker) => speaker.test(givenTo(call)));
      expect(speakers).toHaveLength(1);
    }
    const own = (branch: string | undefined) => textOf(folds.find((fold) => fold.branch === branch)?.content);
    const onBranch = shownOf(log, { agentName: 'a', ...onA }).join();
    expect(onBranch).toContain(own(undefined));
    expect(onBranch).toContain(own('all.a'));
    expect(onBranch).not.toContain(own('all.b'));
    expectWhole(log);
  });
});

describe('records that are stored', () => {
  it('D26: one without words is refused, so that it takes nothing away', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    await converse(opened, { from: 1, to: 2 });
    const before = await opened.log();
    for (const text of ['', ' \n'])
      await expect(service.append(key, [summary(text, [[1, 2]])])).rejects.toMatchObject({
        code: expect.stringMatching(/^INVALID_(EVENT|COMPACTION)$/),
      });
    const empty = { covers: [[1, 2]] as const, content: { role: 'model' as const, parts: [] } };
    await expect(
      service.append(key, [notes({ compaction: { ...empty, trigger: 't', sourceHash: '' } })]),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^INVALID_(EVENT|COMPACTION)$/) });
    expect(await opened.log()).toEqual(before);
  });
});
