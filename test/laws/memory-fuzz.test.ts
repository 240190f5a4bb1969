import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSqliteMemoryStore, SqliteFile } from '../../src/backends/sqlite/index.ts';
import {
  createInMemoryMemoryStore,
  createMemoryService,
  isPalimpsestError,
  type MemoryService,
  type SeqRange,
} from '../../src/index.ts';
import { eventAt } from '../../src/testing/index.ts';

const clock = { now: () => 1_770_000_000_000 };
const words = ['tea', 'coffee', 'likes', 'weather', 'sunny', 'the', 'plans', '喝茶', '天气', '图', '温度单位', 'Ａ𠮷'];

const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }).map((list) => list.join(' '));
const longText = fc.array(fc.constantFrom(...words), { minLength: 60, maxLength: 200 }).map((list) => list.join(' '));
const scope = fc.constantFrom(
  { appName: 'a', userId: 'b/c' },
  { appName: 'a', userId: 'b/c', projectId: 'p' },
  { appName: 'a', userId: 'b/c', projectId: 'p', sessionId: 's1' },
  { appName: 'a', userId: 'b/c', sessionId: 's2' },
  { appName: 'a/b', userId: 'c' },
);
const source = fc.constantFrom(
  { appName: 'a', userId: 'b/c', sessionId: 's1', incarnation: 'i1' },
  { appName: 'a', userId: 'b/c', sessionId: 's1', incarnation: 'i2' },
  { appName: 'a', userId: 'b/c', sessionId: 's2', incarnation: 'i3', projectId: 'p' },
);
const seq = fc.integer({ min: 1, max: 30 });
const range = fc.tuple(seq, seq).map(([a, b]): SeqRange => [Math.min(a, b), Math.max(a, b)]);
const id = fc.integer({ min: 0, max: 20 }).map((n) => `m${n}`);
const speaker = fc.constantFrom(
  {},
  { author: 'Bot', origin: 'agent' as const },
  { author: '小明', origin: 'agent' as const },
);
const filter = fc.constantFrom({}, { kinds: ['turn' as const] }, { sessions: ['s1'] }, { notSessions: ['s1'] });

/** One call, as a function of the service it is made on; what it answers must not depend on the store. */
type Call = (memory: MemoryService) => Promise<unknown>;

const newMemory = fc.record({
  id,
  text: fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: longText }),
  timestamp: seq.map((day) => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`),
});

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(scope, fc.array(newMemory, { minLength: 1, maxLength: 4 })).map(
    ([where, memories]): Call =>
      (memory) =>
        memory.add(where, memories),
  ),
  fc
    .record({
      source,
      from: fc.nat(20),
      say: fc.array(fc.tuple(seq, text, speaker), { maxLength: 6 }),
      retract: fc.array(range, { maxLength: 2 }),
    })
    .map(
      ({ source, from, say, retract }): Call =>
        async (memory) => {
          const fromSeq = from > 16 ? from : ((await memory.watermark(source)) ?? 0);
          const events = say.map(([number, said, who]) => eventAt(number, said, who));
          return memory.ingest({ source, fromSeq, toSeq: Math.max(fromSeq, 30), events, retract });
        },
    ),
  fc
    .tuple(
      scope,
      fc.oneof(
        { weight: 6, arbitrary: id.map((value) => ({ id: value })) },
        { weight: 2, arbitrary: range.map((seqs) => ({ sessionId: 's1', seqs: [seqs] })) },
        { weight: 1, arbitrary: fc.constantFrom({ sessionId: 's2' }, { sessionId: 's1', incarnation: 'i1' }) },
        { weight: 1, arbitrary: fc.constant({ all: true as const }) },
      ),
    )
    .map(
      ([where, selector]): Call =>
        (memory) =>
          memory.delete(where, selector),
    ),
  fc
    .record({ scope, query: text, limit: fc.constantFrom(1, 5, 100, 500), filter, minScore: fc.constantFrom(0, 0.2) })
    .map(
      (request): Call =>
        async (memory) => {
          const { memories, truncated } = await memory.search(request);
          return { memories, truncated };
        },
    ),
  fc.tuple(scope, fc.constantFrom(2, 50)).map(
    ([where, limit]): Call =>
      async (memory) => {
        const page = await memory.list(where, { limit });
        const cursor = page.nextCursor;
        return [page, cursor === undefined ? undefined : await memory.list(where, { limit, cursor })];
      },
  ),
  fc.tuple(scope, id).map(
    ([where, value]): Call =>
      (memory) =>
        memory.get(where, value),
  ),
);

async function answer(made: Call, memory: MemoryService): Promise<unknown> {
  try {
    return await made(memory);
  } catch (error) {
    if (isPalimpsestError(error)) return { code: error.code, details: error.details };
    throw error;
  }
}

test('SQLite answers every sequence of calls as memory does, scores and order included', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-fuzz-'));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 40 }), async (calls) => {
      const file = await SqliteFile.open({ file: join(folder, `${run++}.db`) });
      const sqlite = createMemoryService({ store: createSqliteMemoryStore(file), clock });
      const inMemory = createMemoryService({ store: createInMemoryMemoryStore(), clock });
      try {
        for (const made of calls) expect(await answer(made, sqlite)).toStrictEqual(await answer(made, inMemory));
        for (const userId of ['b/c', 'c']) {
          for (const appName of ['a', 'a/b']) await sqlite.delete({ appName, userId }, { all: true });
        }
        for (const table of ['partitions', 'entries', 'provenance', 'postings']) {
          expect(file.all(`SELECT * FROM memory_${table}`), table).toEqual([]);
        }
      } finally {
        file.close();
      }
    }),
    { numRuns: 60 },
  );
  rmSync(folder, { recursive: true });
}, 60_000);
