import assert from 'node:assert/strict';
import type { MemoryFilter, MemoryService } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { refused, same } from '../expectations.ts';
import { answerAt, eventAt, type MemorySubject, source, step, texts, u1 } from '../memory-subject.ts';

async function idsFor(memory: MemoryService, filter: MemoryFilter): Promise<readonly string[]> {
  return (await memory.search({ scope: u1, query: 'tea', filter })).memories.map(({ id }) => id);
}

/** Checks of how memories are found. */
export const searchChecks = {
  'memory.chinese': async ({ memory, second }) => {
    const all = [
      '以后请用摄氏度报告天气',
      '你好，我是 Foy',
      '茶',
      '東京で会いましょう',
      '서울의 날씨',
      'Café 24',
      'Зелёный чай',
    ];
    for (const text of all) await memory.add(u1, [{ text }]);
    const finds: readonly [query: string, text: string][] = [
      ['摄氏度', '以后请用摄氏度报告天气'],
      ['杭州天气怎么样，温度单位跟上次一样', '以后请用摄氏度报告天气'],
      ['你好嗎', '你好，我是 Foy'],
      ['茶', '茶'],
      ['東京', '東京で会いましょう'],
      ['날씨', '서울의 날씨'],
      ['café', 'Café 24'],
      ['24', 'Café 24'],
      ['зелёный', 'Зелёный чай'],
    ];
    for (const [query, text] of finds) same(await texts(second, u1, query), [text], query);
    same(await texts(second, u1, '度假'), [], 'one character in common is nothing in common');
  },
  'memory.no-special-queries': async ({ memory }) => {
    await memory.add(u1, [{ text: "the user's plan is premium, see C++ and CVE-2024-3094" }]);
    const hits = [
      "user's plan",
      'C++',
      '"unterminated plan',
      'plan*',
      'plan AND missing',
      'CVE-2024-3094',
      'text:plan',
    ];
    for (const query of hits) assert.equal((await texts(memory, u1, query)).length, 1, query);
    for (const query of ['', '  ', '!!!', "'", '\u0000', 'NEAR(', '\udc00']) same(await texts(memory, u1, query), []);
    assert.equal((await texts(memory, u1, `plan ${'x y '.repeat(2500)}`)).length, 1);
    assert.equal((await texts(memory, u1, 'the and')).length, 1, 'a query of nothing but common words');
  },
  'memory.long-text': async ({ memory, second }) => {
    const filler = (words: number) => 'other words of all kinds '.repeat(words / 5);
    await memory.add(u1, [{ id: 'long', text: `${filler(400)}the needle in the hay ${filler(100)}终点在杭州` }]);
    await memory.add(u1, [{ id: 'thin', text: `the needle ${filler(70)}` }]);
    const found = async (query: string) => (await second.search({ scope: u1, query })).memories.map(({ id }) => id);
    same(await found('needle hay'), ['long', 'thin']);
    same(await found('杭州'), ['long']);
    assert.equal((await texts(second, u1, 'words')).length, 2, 'each entry once');
    assert.equal(await memory.delete(u1, { id: 'long' }), 1);
    same(await found('needle hay'), ['thin']);
  },
  'memory.ranking': async ({ memory }) => {
    const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    await memory.add(u1, [
      { text: 'deploy status ready', timestamp: at(1) },
      { text: 'deploy', timestamp: at(3) },
      { text: 'ready deploy', timestamp: at(4), id: 'newest' },
      { text: 'ready deploy', timestamp: at(2) },
    ]);
    const { memories } = await memory.search({ scope: u1, query: 'deploy status ready' });
    same(
      memories.map((entry) => entry.timestamp),
      [at(1), at(4), at(2), at(3)],
    );
    const scores = memories.map(({ score = -1 }) => score);
    const falling = scores.every((score, index) => score > 0 && score <= 1 && score <= (scores[index - 1] ?? 1));
    assert.ok(falling, `scores: ${scores.join(', ')}`);
    same(memories[0]?.matchedTerms, ['deploy', 'status', 'ready']);
    await memory.add(u1, [{ text: `deploy ${'deploy '.repeat(50)}` }]);
    const [loudest] = (await memory.search({ scope: u1, query: 'deploy' })).memories;
    assert.ok((loudest?.score ?? 2) <= 1, `repetition scores ${loudest?.score}`);
  },
  'memory.conversation-counts': async ({ memory }) => {
    const elsewhere = { ...source, sessionId: 's2', incarnation: 'i2' };
    const talk = [
      eventAt(1, 'Which tea do you like?'),
      answerAt(2, 'bot', 'Oolong'),
      eventAt(3, 'Good'),
      eventAt(4, 'Bye'),
    ];
    await memory.ingest(step(0, talk));
    await memory.ingest(step(0, [answerAt(9, 'bot', 'Oolong')], { source: elsewhere }));
    same(await texts(memory, u1, 'tea'), ['Which tea do you like?', 'Oolong', 'Good'], 'two turns to each side');
    const { memories } = await memory.search({ scope: u1, query: 'oolong tea', filter: { authors: ['bot'] } });
    same(
      memories.map(({ sessionId }) => sessionId),
      ['s1', 's2'],
      'the newer one stands alone',
    );
  },
  'memory.named-speaker': async ({ memory }) => {
    const source2 = { ...source, sessionId: 's2', incarnation: 'i2' };
    await memory.ingest(step(0, [answerAt(1, 'Bob', 'tea it is')]));
    await memory.ingest(step(0, [answerAt(9, 'Alice', 'Bob likes tea')], { source: source2 }));
    same(await texts(memory, u1, 'tea bob'), ['tea it is', 'Bob likes tea']);
    same(await texts(memory, u1, 'tea bob alice'), ['Bob likes tea', 'tea it is'], 'two names favour nobody');
  },
  'memory.limits': async ({ memory }) => {
    const notes = Array.from({ length: 130 }, (_, index) => ({ text: `note ${index} about work` }));
    await memory.add(u1, notes);
    const count = async (limit?: number) => {
      const found = await memory.search({ scope: u1, query: 'work', ...(limit !== undefined && { limit }) });
      return [found.memories.length, found.truncated];
    };
    same(await count(), [10, false]);
    same(await count(0), [0, false]);
    same(await count(100), [100, false]);
    same(await count(1000), [100, true]);
  },
  'memory.token-budget': async ({ memory }) => {
    const notes = Array.from({ length: 12 }, (_, index) => ({ text: `note ${index} about work` }));
    await memory.add(u1, notes);
    const within = (tokenBudget: number) => memory.search({ scope: u1, query: 'work', tokenBudget });
    const little = await within(12);
    assert.ok(
      little.memories.length > 0 && little.memories.length < 10,
      `${little.memories.length} fit into 12 tokens`,
    );
    assert.equal(little.truncated, true);
    const ample = await within(10_000);
    same([ample.memories.length, ample.truncated], [10, false]);
    const none = await within(0);
    same([none.memories, none.truncated], [[], true]);
  },
  'memory.least-score': async ({ memory }) => {
    await memory.add(u1, [{ text: 'work' }, { text: 'work and a lot of play around it, again and again' }]);
    const scoring = async (minScore: number) =>
      (await memory.search({ scope: u1, query: 'work missing', minScore })).memories.map(({ score = 0 }) => score);
    const [best = 0, worst = 0, ...more] = await scoring(0);
    assert.ok(best > worst && worst > 0 && more.length === 0, `scores: ${best}, ${worst}`);
    same(await scoring(best), [best]);
    same(await scoring(0.99), []);
  },
  'memory.filters': async ({ memory }) => {
    const loud = Array.from({ length: 600 }, () => ({ text: 'tea tea', kind: 'summary' as const }));
    await memory.add(u1, loud);
    const rare = `tea ${'and many other words here '.repeat(8)}`;
    await memory.add(u1, [{ id: 'rare', text: rare, labels: ['x'], topic: 't', author: 'bot' }]);
    for (const filter of [
      { labels: ['x', 'y'] },
      { topics: ['t'] },
      { authors: ['bot'] },
      { kinds: ['fact' as const] },
    ]) {
      same(await idsFor(memory, filter), ['rare']);
    }
    same(await idsFor(memory, { labels: ['x'], topics: ['other'] }), [], 'every filter must hold');
    same(await idsFor(memory, { before: '2000-01-01T00:00:00Z' }), []);
    same(await idsFor(memory, { labels: ['x'], after: '2000-01-01T00:00:00Z' }), ['rare']);
    await memory.ingest(step(0, [eventAt(1, 'tea')]));
    const [turn = ''] = await idsFor(memory, { sessions: ['s1'] });
    same(await idsFor(memory, { kinds: ['turn'] }), [turn]);
    same(await idsFor(memory, { kinds: ['turn'], notSessions: ['s1'] }), []);
    same(await idsFor(memory, { labels: ['x'], notSessions: ['s1'] }), ['rare']);
    const known = await memory.get(u1, turn);
    const at = known?.timestamp ?? '';
    same(await idsFor(memory, { kinds: ['turn'], after: at }), [turn], 'after includes its instant');
    same(await idsFor(memory, { kinds: ['turn'], before: at }), [], 'before does not');
    await refused(idsFor(memory, JSON.parse('{"colours":["red"]}')), 'INVALID_ARGUMENT');
    await refused(idsFor(memory, JSON.parse('["tea"]')), 'INVALID_ARGUMENT');
  },
  'memory.aborted': async ({ memory }) => {
    await memory.add(u1, [{ text: 'tea' }]);
    await refused(memory.search({ scope: u1, query: 'tea', signal: AbortSignal.abort() }), 'ABORTED');
  },
} satisfies Checks<MemorySubject>;
