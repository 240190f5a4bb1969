import assert from 'node:assert/strict';
import {
  type Event,
  type Ingestion,
  isPalimpsestError,
  type MemoryService,
  modelText,
  noActions,
  type SessionSource,
  text,
} from '../index.ts';
import type { Checks, LawSubject, Laws } from './conformance.ts';

/** A service on fresh data, and a second one on the same data. */
export interface MemorySubject extends LawSubject {
  readonly memory: MemoryService;
  readonly second: MemoryService;
}

interface MemoryLaw {
  readonly id: string;
  readonly law: string;
  readonly check: (subject: MemorySubject) => Promise<void>;
}

const u1 = { appName: 'app', userId: 'u1' };
const alpha = { ...u1, projectId: 'alpha' };
const beta = { ...u1, projectId: 'beta' };

const source: SessionSource = { ...u1, sessionId: 's1', incarnation: 'i1' };

/** An event as a log would give it. */
export function eventAt(seq: number, said: string, more: Partial<Event> = {}): Event {
  const timestamp = new Date(1_760_000_000_000 + seq * 1000).toISOString();
  const content = more.origin === 'agent' ? modelText(said) : text(said);
  return {
    ...{ seq, id: `e${seq}`, invocationId: 'v1', author: 'user', origin: 'user', timestamp, recordedAt: timestamp },
    ...{ content, actions: noActions, ...more },
  };
}

const step = (fromSeq: number, events: readonly Event[], more: Partial<Ingestion> = {}): Ingestion => ({
  source,
  fromSeq,
  toSeq: Math.max(fromSeq, ...events.map(({ seq }) => seq)),
  events,
  ...more,
});

async function texts(memory: MemoryService, scope: typeof u1, query: string): Promise<string[]> {
  return (await memory.search({ scope, query, limit: 100 })).memories.map((entry) => entry.text);
}

async function refused(work: Promise<unknown>, code: Parameters<typeof isPalimpsestError>[1]): Promise<void> {
  await assert.rejects(work, (error) => isPalimpsestError(error, code));
}

const memoryContract: readonly MemoryLaw[] = [
  {
    id: 'memory.added-is-found',
    law: 'What was added is found by its words, in English and Chinese, and comes back as it was.',
    async check({ memory, second }) {
      const [stored] = await memory.add(u1, [
        {
          text: 'The weather is sunny today',
          labels: ['w'],
          customMetadata: { __proto__x: { a: [1, null] } },
          data: 3,
        },
      ]);
      await memory.add(u1, [{ text: '以后请用摄氏度报告天气' }, { text: 'jumps over the lazy dog' }]);
      assert.deepEqual(await texts(second, u1, 'weather sunny tomorrow?'), ['The weather is sunny today']);
      assert.deepEqual(await texts(second, u1, '摄氏度'), ['以后请用摄氏度报告天气']);
      assert.deepEqual(await texts(second, u1, '杭州天气怎么样，温度单位跟上次一样'), ['以后请用摄氏度报告天气']);
      assert.deepEqual(await texts(second, u1, 'unrelated'), []);
      assert.deepEqual(await second.get(u1, stored?.id ?? ''), stored);
    },
  },
  {
    id: 'memory.no-special-queries',
    law: 'No query has a special meaning or fails.',
    async check({ memory }) {
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
      for (const query of ['', '  ', '!!!', "'", '\u0000', 'NEAR('])
        assert.deepEqual(await texts(memory, u1, query), []);
      assert.equal((await texts(memory, u1, `plan ${'x y '.repeat(2500)}`)).length, 1);
    },
  },
  {
    id: 'memory.scopes-apart',
    law: 'Scopes are composite: nobody sees or removes what belongs to another app, user or project.',
    async check({ memory }) {
      await memory.add({ appName: 'a', userId: 'b/c' }, [{ id: 'm', text: 'tea one' }]);
      await memory.add({ appName: 'a/b', userId: 'c' }, [{ id: 'm', text: 'tea two' }]);
      assert.deepEqual(await texts(memory, { appName: 'a', userId: 'b/c' }, 'tea'), ['tea one']);
      assert.equal(await memory.delete({ appName: 'a', userId: 'b' }, { all: true }), 0);
      await memory.add(u1, [{ text: 'shared knowledge' }]);
      await memory.add(alpha, [{ id: 'in-alpha', text: 'knowledge for alpha' }]);
      await memory.add(beta, [{ text: 'knowledge for beta' }]);
      assert.deepEqual(await texts(memory, u1, 'knowledge'), ['shared knowledge']);
      assert.deepEqual((await texts(memory, alpha, 'knowledge')).sort(), ['knowledge for alpha', 'shared knowledge']);
      const only = await memory.search({ scope: alpha, query: 'knowledge', projectOnly: true });
      assert.deepEqual(
        only.memories.map(({ projectId }) => projectId),
        ['alpha'],
      );
      assert.equal(await memory.get(u1, 'in-alpha'), undefined);
      assert.equal(await memory.delete(beta, { id: 'in-alpha' }), 0);
      assert.equal((await memory.list(alpha)).items.length, 2);
      assert.equal(await memory.delete(alpha, { all: true }), 1);
      assert.equal(await memory.delete(u1, { all: true }), 2);
    },
  },
  {
    id: 'memory.session-scope',
    law: 'What is added in a session is found only from there; what is learnt from its log is found everywhere.',
    async check({ memory }) {
      await memory.add({ ...u1, sessionId: 's1' }, [{ text: 'draft title: Tea' }]);
      await memory.ingest(step(0, [eventAt(1, 'I drink tea')]));
      assert.deepEqual(await texts(memory, u1, 'tea'), ['I drink tea']);
      assert.equal((await texts(memory, { ...u1, ...{ sessionId: 's1' } }, 'tea')).length, 2);
      assert.equal((await memory.search({ scope: u1, query: 'tea' })).memories[0]?.sessionId, 's1');
      assert.equal(await memory.delete(u1, { sessionId: 's1' }), 2);
    },
  },
  {
    id: 'memory.others-change-no-score',
    law: 'What another user, another project or an entry since removed had to say changes no score.',
    async check({ memory }) {
      await memory.add(u1, [{ text: 'green tea' }, { text: 'black coffee with milk' }]);
      const before = await memory.search({ scope: u1, query: 'tea coffee' });
      await memory.add(
        { ...u1, userId: 'ben' },
        Array.from({ length: 30 }, () => ({ text: 'tea tea tea and cake' })),
      );
      await memory.add(alpha, [{ text: 'tea for alpha' }]);
      const [gone] = await memory.add(u1, [{ text: 'tea and coffee, coffee and tea' }]);
      assert.equal(await memory.delete(u1, { id: gone?.id ?? '' }), 1);
      const after = await memory.search({ scope: u1, query: 'tea coffee' });
      assert.deepEqual(after.memories, before.memories);
    },
  },
  {
    id: 'memory.idempotent-add',
    law: 'Adding an id again with equal content changes nothing; with other content it is refused, and nothing is added.',
    async check({ memory }) {
      const [first] = await memory.add(u1, [{ id: 'm1', text: 'likes tea', labels: ['drink'] }]);
      const [again] = await memory.add(u1, [{ id: 'm1', text: 'likes tea', labels: ['drink'] }]);
      assert.deepEqual(again, first);
      await refused(memory.add(u1, [{ text: 'new' }, { id: 'm1', text: 'likes coffee' }]), 'MEMORY_ID_REUSED');
      await refused(memory.add(alpha, [{ id: 'm1', text: 'likes tea', labels: ['drink'] }]), 'MEMORY_ID_REUSED');
      assert.equal((await memory.list(u1)).items.length, 1);
    },
  },
  {
    id: 'memory.bad-input',
    law: 'Bad input is refused with the field that is wrong, and nothing of it is stored.',
    async check({ memory }) {
      const bad: [Promise<unknown>, string][] = [
        [memory.add(u1, [{ text: 'good' }, { text: '  ' }]), 'memories[1].text'],
        [memory.add(u1, [{ text: 'x'.repeat(65_537) }]), 'memories[0].text'],
        [memory.add(u1, [{ text: 'x', confidence: 2 }]), 'memories[0].confidence'],
        [memory.search({ scope: u1, query: 'x', limit: -1 }), 'limit'],
        [memory.search({ scope: u1, query: 'x', limit: Number.NaN }), 'limit'],
        [memory.search({ scope: u1, query: 'x', projectOnly: true }), 'projectOnly'],
        [memory.list(u1, { cursor: 'nonsense' }), 'cursor'],
        [memory.ingest(step(3, [], { toSeq: 2 })), 'toSeq'],
      ];
      for (const [work, argument] of bad) {
        await assert.rejects(work, (e) => isPalimpsestError(e, 'INVALID_ARGUMENT') && e.details.argument === argument);
      }
      await refused(memory.add({ ...u1, userId: '' }, [{ text: 'x' }]), 'INVALID_ID');
      await refused(memory.search({ scope: { appName: 'app', shared: true }, query: 'x' }), 'NOT_SUPPORTED');
      assert.deepEqual((await memory.list(u1)).items, []);
    },
  },
  {
    id: 'memory.limits',
    law: 'A search returns ten by default, at most a hundred and says so, none for 0, and what fits the token budget.',
    async check({ memory }) {
      await memory.add(
        u1,
        Array.from({ length: 130 }, (_, index) => ({ text: `note ${index} about work` })),
      );
      const count = async (limit?: number) => {
        const found = await memory.search({ scope: u1, query: 'work', ...(limit !== undefined && { limit }) });
        return [found.memories.length, found.truncated];
      };
      assert.deepEqual(await count(), [10, false]);
      assert.deepEqual(await count(0), [0, false]);
      assert.deepEqual(await count(1000), [100, true]);
      const little = await memory.search({ scope: u1, query: 'work', tokenBudget: 12 });
      assert.ok(
        little.truncated && little.memories.length > 0 && little.memories.length < 10,
        'the budget cut nothing',
      );
      const none = await memory.search({ scope: u1, query: 'work missing', minScore: 0.99 });
      assert.deepEqual(none.memories, []);
    },
  },
  {
    id: 'memory.ranking',
    law: 'Scores are from 0 to 1, never rise down the list; the better match is first, among equals the newer.',
    async check({ memory }) {
      const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
      await memory.add(u1, [
        { text: 'deploy status ready', timestamp: at(1) },
        { text: 'deploy', timestamp: at(3) },
        { text: 'ready deploy', timestamp: at(2) },
        { text: 'ready deploy', timestamp: at(4), id: 'newest' },
      ]);
      const { memories } = await memory.search({ scope: u1, query: 'deploy status ready' });
      assert.deepEqual(
        memories.map((entry) => entry.timestamp),
        [at(1), at(4), at(2), at(3)],
      );
      const scores = memories.map(({ score = -1 }) => score);
      const falling = scores.every((score, index) => score > 0 && score <= 1 && score <= (scores[index - 1] ?? 1));
      assert.ok(falling, `scores: ${scores.join(', ')}`);
      assert.deepEqual(memories[0]?.matchedTerms, ['deploy', 'status', 'ready']);
    },
  },
  {
    id: 'memory.filters',
    law: 'Every filter narrows, also when only weak matches pass it; what has expired is not found.',
    async check({ memory }) {
      await memory.add(
        u1,
        Array.from({ length: 600 }, () => ({ text: 'tea tea', kind: 'summary' as const })),
      );
      await memory.add(u1, [
        { id: 'rare', text: `tea ${'and many other words here '.repeat(8)}`, labels: ['x'], topic: 't', author: 'bot' },
        { text: 'tea', labels: ['x'], expiresAt: '2001-01-01T00:00:00Z' },
      ]);
      const ids = async (filter: object) =>
        (await memory.search({ scope: u1, query: 'tea', filter })).memories.map(({ id }) => id);
      for (const filter of [{ labels: ['x'] }, { topics: ['t'] }, { authors: ['bot'] }, { kinds: ['fact'] }]) {
        assert.deepEqual(await ids(filter), ['rare']);
      }
      assert.deepEqual(await ids({ before: '2000-01-01T00:00:00Z' }), []);
      assert.deepEqual(await ids({ labels: ['x'], after: '2000-01-01T00:00:00Z' }), ['rare']);
      await refused(ids({ colours: ['red'] }), 'INVALID_ARGUMENT');
      await refused(ids(['tea']), 'INVALID_ARGUMENT');
    },
  },
  {
    id: 'memory.list-newest-first',
    law: 'A list goes from the newest to the oldest, page by page, each entry once.',
    async check({ memory }) {
      const days = [2, 3, 1, 3, 2];
      const add = (day: number, index: number) =>
        memory.add(index % 2 ? alpha : u1, [{ text: `${day}`, timestamp: `2026-01-0${day}T00:00:00Z` }]);
      for (const [index, day] of days.entries()) await add(day, index);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await memory.list(alpha, { limit: 2, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.items.map((entry) => entry.text));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assert.deepEqual(seen, ['3', '3', '2', '2', '1']);
    },
  },
  {
    id: 'memory.learns-what-was-said',
    law: 'Learnt are turns of users and final texts of agents; no thought, tool payload, bookkeeping or sealed talk.',
    async check({ memory }) {
      const agent = { author: 'bot', origin: 'agent' } as const;
      const call = { role: 'model', parts: [{ text: 'let me look' }, { functionCall: { name: 'f' } }] } as const;
      const thought = {
        role: 'model',
        parts: [{ text: 'secret plan', thought: true }, { text: 'It is sunny' }],
      } as const;
      await memory.ingest(
        step(0, [
          eventAt(1, 'How is the weather?'),
          eventAt(2, '', { ...agent, content: call }),
          eventAt(3, 'sunny', { author: 'f', origin: 'tool' }),
          eventAt(4, '', { ...agent, content: thought, branch: 'bot.helper' }),
          eventAt(5, 'cut off', { ...agent, interrupted: true }),
          eventAt(6, 'sealed', { isolationScope: 'x' }),
          eventAt(7, 'summary', { origin: 'system', author: 'system', actions: { sessionEnd: true } }),
        ]),
      );
      const { items } = await memory.list(u1);
      assert.deepEqual(
        items.map((entry) => entry.text),
        ['It is sunny', 'How is the weather?'],
      );
      const [answer] = items;
      assert.equal(answer?.sourceTrust, 'agent');
      assert.equal(answer?.kind, 'turn');
      assert.deepEqual(answer?.provenance, [
        { kind: 'event', sessionId: 's1', incarnation: 'i1', seq: 4, eventId: 'e4' },
      ]);
      assert.equal(await memory.watermark(source), 7);
    },
  },
  {
    id: 'memory.one-step-once',
    law: 'A step from a watermark that has moved is refused whole; of two at once exactly one is applied.',
    async check({ memory, second }) {
      const first = step(0, [eventAt(1, 'tea'), eventAt(2, 'coffee')]);
      const outcomes = await Promise.allSettled([memory.ingest(first), second.ingest(first)]);
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      await refused(memory.ingest(step(1, [eventAt(3, 'milk')])), 'WATERMARK_MOVED');
      assert.equal((await memory.list(u1)).items.length, 2);
      assert.deepEqual(await memory.ingest(step(2, [eventAt(2, 'coffee')], { toSeq: 2 })), { added: 0, removed: 0 });
      assert.equal((await memory.list(u1)).items.length, 2);
    },
  },
  {
    id: 'memory.retract-and-restore',
    law: 'A rewind takes away what only hidden events support, and brings it back when it is rewound itself.',
    async check({ memory }) {
      await memory.ingest(step(0, [eventAt(1, 'tea one'), eventAt(2, 'tea two'), eventAt(3, 'tea three')]));
      const ref = (seq: number) =>
        ({ kind: 'event', sessionId: 's1', incarnation: 'i1', seq, eventId: `e${seq}` }) as const;
      await memory.add(u1, [{ id: 'both', text: 'likes tea', provenance: [ref(1), ref(3)] }]);
      const result = await memory.ingest(step(3, [eventAt(5, 'tea five')], { retract: [[2, 3]] }));
      assert.deepEqual(result, { added: 1, removed: 2 });
      assert.deepEqual((await texts(memory, u1, 'tea')).sort(), ['likes tea', 'tea five', 'tea one']);
      assert.deepEqual((await memory.get(u1, 'both'))?.provenance, [ref(1)]);
      const back = step(5, [eventAt(2, 'tea two'), eventAt(3, 'tea three')], { toSeq: 6, retract: [[5, 5]] });
      assert.deepEqual(await memory.ingest(back), { added: 2, removed: 1 });
      assert.deepEqual((await texts(memory, u1, 'three')).length, 3, 'neighbours of a match are found with it');
    },
  },
  {
    id: 'memory.forget-a-session',
    law: 'A forgotten session is not learnt again; one deleted with its incarnation leaves no watermark.',
    async check({ memory }) {
      await memory.ingest(step(0, [eventAt(1, 'tea'), eventAt(2, 'coffee')]));
      assert.equal(await memory.delete(u1, { sessionId: 's1', seqs: [[2, 2]] }), 1);
      assert.equal(await memory.delete(u1, { sessionId: 's1' }), 1);
      assert.equal(await memory.watermark(source), 2);
      assert.equal(await memory.delete(u1, { sessionId: 's1', incarnation: 'i1' }), 0);
      assert.equal(await memory.watermark(source), undefined);
    },
  },
  {
    id: 'memory.concurrent',
    law: 'Writers at the same time lose nothing and never fail.',
    async check({ memory, second }) {
      const writers = Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? memory : second).add(u1, [{ text: `tea number ${index}` }]),
      );
      await Promise.all(writers);
      assert.equal((await texts(second, u1, 'tea')).length, 40);
    },
  },
  {
    id: 'memory.aborted',
    law: 'A search whose signal has fired throws ABORTED.',
    async check({ memory }) {
      await memory.add(u1, [{ text: 'tea' }]);
      await refused(memory.search({ scope: u1, query: 'tea', signal: AbortSignal.abort() }), 'ABORTED');
    },
  },
];

/** What every memory service over every store must do. */
export const memoryLaws: Laws = Object.fromEntries(
  memoryContract.map(({ id, law }) => [id, { says: law, source: 'contract of memory' }]),
);

/** The checks that prove them. */
export const memoryChecks: Checks<MemorySubject> = Object.fromEntries(
  memoryContract.map(({ id, check }) => [id, check]),
);
