import type { EventInput, SessionKey } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { refused, same } from '../expectations.ts';
import { answers, compacts, says } from '../sample-events.ts';
import { answersRequest } from '../sample-texts.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

const nothing = { calls: 0, tokens: {}, byModel: [] };

/** An answer of a model. */
function answersBy(model: string, usage?: EventInput['usage']): EventInput {
  const { request, ...event } = answersRequest([]);
  return { ...event, ...(request && { request: { ...request, model } }), ...(usage && { usage }) };
}

/** A summary that a model made. */
function summarizedBy(model: string, covers: readonly [number, number], inputTokens: number): EventInput {
  const { actions, ...event } = compacts([covers]);
  const { compaction } = actions ?? {};
  const summarizer = { model, usage: { inputTokens, outputTokens: 1 } };
  return { ...event, actions: { ...(compaction && { compaction: { ...compaction, summarizer } }) } };
}

/** Calls and input tokens of a session, as the second handle tells them. */
async function usedIn(subject: SessionSubject, key: SessionKey): Promise<readonly unknown[]> {
  const { calls, tokens } = await subject.second.usage(key);
  return [calls, tokens.inputTokens];
}

/** Checks of what calls of models have used. */
export const usageChecks = {
  'usage.sums': async (subject) => {
    const key = await begin(subject);
    same(await subject.second.usage(key), { ...nothing, compaction: nothing });
    await subject.first.append(key, [
      says('几度？'),
      answersBy('b', { inputTokens: 10, outputTokens: 3, cacheReadTokens: 7, raw: { 费用: 1 } }),
      answersBy('通义', {
        inputTokens: 100,
        outputTokens: 30,
        cacheWriteTokens: 50,
        reasoningTokens: 0,
        totalTokens: 130,
      }),
      answersBy('b', { inputTokens: 5, cacheReadTokens: 0 }),
      answersBy('b'),
      answers('谁也没问 🤷'),
      answers('imported', { usage: { inputTokens: 1 } }),
    ]);
    same(await subject.second.usage(key), {
      calls: 5,
      tokens: {
        inputTokens: 116,
        outputTokens: 33,
        cacheReadTokens: 7,
        cacheWriteTokens: 50,
        reasoningTokens: 0,
        totalTokens: 130,
      },
      byModel: [
        { calls: 1, tokens: { inputTokens: 1 } },
        { model: 'b', calls: 3, tokens: { inputTokens: 15, outputTokens: 3, cacheReadTokens: 7 } },
        {
          model: '通义',
          calls: 1,
          tokens: { inputTokens: 100, outputTokens: 30, cacheWriteTokens: 50, reasoningTokens: 0, totalTokens: 130 },
        },
      ],
      compaction: nothing,
    });
    await refused(subject.first.usage(keyIn(subject, 'none')), 'SESSION_NOT_FOUND');
  },
  'usage.all-of-the-log': async (subject) => {
    const key = await begin(subject);
    const { events } = await subject.first.append(key, [says('a'), answersBy('b', { inputTokens: 1 })]);
    const turns = Array.from({ length: 1001 }, () => answersBy('b', { inputTokens: 10 }));
    await subject.first.append(key, turns);
    await subject.first.append(key, [compacts([[1, 2]])]);
    same(await usedIn(subject, key), [1002, 10_011]);
    await subject.first.rewind(key, { beforeInvocationId: events[0]?.invocationId ?? '' });
    same(await usedIn(subject, key), [1002, 10_011]);
  },
  'usage.summaries-apart': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), answersBy('large', { inputTokens: 100 }), says('b')]);
    await subject.first.append(key, [summarizedBy('small', [1, 2], 40)]);
    const { compaction, ...rest } = await subject.second.usage(key);
    const used = { calls: 1, tokens: { inputTokens: 100 } };
    same(rest, { ...used, byModel: [{ model: 'large', ...used }] });
    const summed = { calls: 1, tokens: { inputTokens: 40, outputTokens: 1 } };
    same(compaction, { ...summed, byModel: [{ model: 'small', ...summed }] });
  },
  'usage.once-in-a-fork': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), answersBy('b', { inputTokens: 1 }), says('c')]);
    const fork = await subject.first.fork(key, { atSeq: 3, sessionId: 'fork' });
    await subject.first.append(fork.key, [answersBy('b', { inputTokens: 10 })]);
    same(await usedIn(subject, fork.key), [1, 10]);
    const { appName, userId } = key;
    same((await subject.second.usageOfUser({ appName, userId })).tokens, { inputTokens: 11 });
  },
  'usage.of-a-user': async (subject) => {
    const keys = [
      await begin(subject),
      await begin(subject, { sessionId: 's2', projectId: '项目' }),
      await begin(subject, { userId: 'u2' }),
    ];
    for (const [index, key] of keys.entries())
      await subject.first.append(key, [answersBy('b', { inputTokens: 10 ** index }), answersBy(`c${index}`)]);
    const { appName, userId } = keyIn(subject);
    const ofUser = await subject.second.usageOfUser({ appName, userId });
    same([ofUser.calls, ofUser.tokens], [4, { inputTokens: 11 }]);
    same(
      ofUser.byModel.map(({ model }) => model),
      ['b', 'c0', 'c1'],
    );
    same((await subject.second.usageOfUser({ appName, userId, projectId: '项目' })).tokens, { inputTokens: 10 });
    same(await subject.second.usageOfUser({ appName, userId: 'nobody' }), { ...nothing, compaction: nothing });
    await refused(subject.second.usageOfUser({ appName, userId: '' }), 'INVALID_ID');
  },
} satisfies Checks<SessionSubject>;
