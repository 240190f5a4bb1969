import { describe, expect, it } from 'vitest';
import { type EventInput, openPalimpsest } from '../../src/index.ts';
import { answer, call, expectShown, logged, notes, says, summary } from './shown-requests.ts';

const opening = 'user: [The conversation so far:]';
const talk = [says('user', '一'), says('assistant', '答一'), says('user', '二'), says('assistant', '答二')];

describe('summaries', () => {
  it('2.6a: one that contains another takes its place, whatever either is worth', () => {
    const log = logged(
      ...talk,
      summary('小摘要', [[1, 2]]),
      summary('大摘要', [[1, 4]], { supersedes: [5] }),
      says('user', '三'),
    );
    expectShown(log, {
      parts: [opening, 'model: 大摘要', 'user: 三'],
      placed: [...Array.from({ length: 5 }, () => 'masked by 6'), 'summary', 'verbatim'],
    });
  });

  it('2.6b: of two over the same events the later one counts', () => {
    const log = logged(...talk, summary('旧摘要', [[1, 4]]), summary('新摘要', [[1, 4]], { supersedes: [5] }));
    expectShown(log, {
      parts: [opening, 'model: 新摘要'],
      placed: [...Array.from({ length: 5 }, () => 'masked by 6'), 'summary'],
    });
  });

  it('2.6c: two that overlap in part cannot be stored, so that nothing is told twice', async () => {
    await using palimpsest = await openPalimpsest({ appName: 'test', sweepSeconds: 0 });
    const key = { appName: 'test', userId: 'u1', sessionId: 's1' };
    await palimpsest.sessions.create(key);
    const append = (event: EventInput) => palimpsest.sessions.append(key, [event]);
    for (const event of [...talk, summary('前两句', [[1, 2]])]) await append(event);
    await expect(append(summary('中间两句', [[2, 3]]))).rejects.toMatchObject({ code: 'INVALID_COMPACTION' });
    const { contents } = await palimpsest.context(key, { agentName: 'assistant', provider: 'gemini' });
    expect(JSON.stringify(contents).match(/答一|前两句|中间两句/g)).toEqual(['前两句']);
  });

  it('2.6d: what stands between two of them stays between them', () => {
    const log = logged(
      ...talk,
      says('user', '三'),
      summary('摘要一', [[1, 2]]),
      summary('摘要二', [[5, 5]]),
      says('assistant', '答三'),
    );
    expectShown(log, {
      parts: [opening, 'model: 摘要一', 'user: 二', 'model: 答二', 'model: 摘要二', 'model: 答三'],
      placed: ['masked by 6', 'masked by 6', 'verbatim', 'verbatim', 'masked by 7', 'summary', 'summary', 'verbatim'],
    });
  });

  it('2.6e: one that is appended late covers what it names and nothing of what came meanwhile', () => {
    const log = logged(...talk, says('user', '三'), summary('摘要', [[1, 3]]));
    expectShown(log, {
      parts: [opening, 'model: 摘要', 'model: 答二', 'user: 三'],
      placed: ['masked by 6', 'masked by 6', 'masked by 6', 'verbatim', 'verbatim', 'summary'],
    });
  });

  it('2.6e: with all timestamps equal, what stands at the edge of one is neither lost nor told twice', () => {
    const now = { timestamp: '2026-01-01T00:00:00.000Z' };
    const log = logged(
      ...[...talk, says('user', '三')].map((event) => ({ ...event, ...now })),
      summary('摘要', [[1, 4]]),
    );
    expectShown(log, {
      parts: [opening, 'model: 摘要', 'user: 三'],
      placed: [...Array.from({ length: 4 }, () => 'masked by 6'), 'verbatim', 'summary'],
    });
  });

  it('2.6f: a late result brings its covered call back; what else was called then stays in the summary', () => {
    const log = logged(
      says('user', '查天气，再渲染'),
      says('assistant', [call('look', 'a'), call('render', 'b')], { longRunningToolIds: ['b'] }),
      says('assistant', [answer('look', 'a', { celsius: 21 })]),
      says('assistant', [answer('render', 'b', { status: 'started' })]),
      says('assistant', '二十一度，正在渲染'),
      summary('摘要：二十一度，渲染中', [[1, 5]]),
      says('user', [answer('render', 'b', { url: '一.png' })]),
    );
    expectShown(log, {
      parts: [opening, 'model: call render({})', 'user: render -> {"url":"一.png"}', 'model: 摘要：二十一度，渲染中'],
      placed: ['masked by 6', 'verbatim', 'masked by 6', 'masked by 6', 'masked by 6', 'summary', 'verbatim'],
    });
  });

  it('2.6g: a rewind counts before masking, so that no summary tells of a turn that was taken back', () => {
    const log = logged(
      ...talk.slice(0, 2),
      says('user', '错话', { invocationId: 'wrong' }),
      says('assistant', '错答'),
      summary('摘要：错话', [[1, 4]]),
      notes({ rewind: { beforeInvocationId: 'wrong', fromSeq: 3 } }),
    );
    expectShown(log, {
      parts: ['user: 一', 'model: 答一'],
      placed: ['verbatim', 'verbatim', 'hidden: rewound', 'hidden: rewound', 'hidden: rewound', 'hidden: bookkeeping'],
    });
  });

  it('2.6h: a long-running call that waits stays, a plain one that nobody answered does not', () => {
    const log = logged(
      says('user', '渲染并查天气'),
      says('assistant', [call('render', 'r'), call('look', 'a')], { longRunningToolIds: ['r'] }),
      says('user', '还有？'),
    );
    expectShown(log, {
      parts: ['user: 渲染并查天气', 'model: call render({})', 'user: render -> {"status":"pending"}', 'user: 还有？'],
      placed: ['verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('2.6i: one of a branch or a sealed talk is seen where that is seen, and nowhere else', () => {
    const own = { branch: 'all.critic' };
    const log = logged(
      says('user', '评一评'),
      says('critic', '评语一', own),
      says('critic', '评语二', own),
      summary('评语摘要', [[2, 3]], own),
      says('assistant', '密谈', { isolationScope: 'sealed' }),
      summary('密谈摘要', [[5, 5]], { isolationScope: 'sealed' }),
    );
    expectShown(log, {
      view: { agentName: 'critic', ...own },
      parts: ['user: 评一评', 'model: 评语摘要'],
      placed: ['verbatim', 'masked by 4', 'masked by 4', 'summary', 'hidden: scope', 'hidden: scope'],
    });
    expectShown(log, {
      view: { branch: 'all.assistant' },
      parts: ['user: 评一评'],
      placed: ['verbatim', 'hidden: branch', 'hidden: branch', 'hidden: branch', 'hidden: scope', 'hidden: scope'],
    });
    expectShown(log, {
      view: { isolationScope: 'sealed' },
      parts: [opening, 'model: 密谈摘要'],
      placed: ['hidden: scope', 'hidden: scope', 'hidden: scope', 'hidden: scope', 'masked by 6', 'summary'],
    });
  });
});
