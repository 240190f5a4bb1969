import fc from 'fast-check';
import type { EventInput, Overflow, SeqRange, View } from '../../src/events/index.ts';
import type { FuzzSource, FuzzTarget, FuzzText, SessionOperation } from '../../src/testing/index.ts';

/** Mostly one session, so that calls meet each other's traces. */
const target: fc.Arbitrary<FuzzTarget> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ userId: 'u1', sessionId: 's1' }) },
  { weight: 3, arbitrary: fc.constant({ userId: 'u1', sessionId: 'fork1' }) },
  { weight: 2, arbitrary: fc.constantFrom({ userId: 'u1', sessionId: 's2' }, { userId: '用户', sessionId: 's1' }) },
);
const seq = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.integer({ min: 1, max: 14 }));
const invocationId = fc.constantFrom('i1', 'i2', 'i3', 'i4');
const value = fc.oneof(
  fc.integer(),
  fc.constantFrom(null, true, '', '覆写', '\u0000', 'a\ud800'),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', '__proto__', '键'), fc.integer(), { maxKeys: 2 }),
);
const stateKey = fc.constantFrom(
  'k1',
  'k2',
  'k\u0000',
  '__proto__',
  'notes',
  'app:k',
  'app:notes',
  'app:peak',
  'user:k',
  'user:tags',
  'temp:x',
);
const delta = fc.dictionary(stateKey, value, { maxKeys: 4 });
const optional = { requiredKeys: [] as [] };

const range: fc.Arbitrary<SeqRange> = fc
  .tuple(seq, fc.integer({ min: 0, max: 4 }))
  .map(([from, more]) => [from, from + more]);
const content: fc.Arbitrary<NonNullable<EventInput['content']>> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('hello', '今天天气怎么样', 'lone \udc00', '') },
  fc.constantFrom('c1', 'c2').map((id) => ({ parts: [{ functionCall: { id, name: 'f', args: { city: '上海' } } }] })),
  fc.constantFrom('c1', 'c2').map((id) => ({ parts: [{ functionResponse: { id, name: 'f', response: 1 } }] })),
  fc
    .constantFrom(10, 65_536, 65_537)
    .map((length) => ({ parts: [{ inlineData: { mimeType: 'image/png', data: new Uint8Array(length) } }] })),
);

const saidIn = (sealed: boolean): fc.Arbitrary<EventInput> =>
  fc
    .record({
      author: fc.constantFrom('user', 'assistant', '助手', 'system'),
      more: fc.record(
        {
          content,
          id: fc.integer({ min: 1, max: 25 }).map((n) => `e${n}`),
          invocationId,
          ...(sealed ? { branch: fc.constantFrom('root', 'root.a'), isolationScope: fc.constant('task') } : {}),
          timestamp: fc.constantFrom('2020-01-01T00:00:00Z', '2030-01-01T00:00:00+05:30'),
          actions: fc.oneof(
            { weight: 12, arbitrary: delta.map((stateDelta) => ({ stateDelta })) },
            { weight: 4, arbitrary: fc.array(stateKey, { maxLength: 2 }).map((stateRemoved) => ({ stateRemoved })) },
            fc.constant({ stateDelta: { k1: 1 }, stateRemoved: ['k1'] }),
          ),
        },
        optional,
      ),
    })
    .map(({ author, more }) => ({ author, ...more }));

const said = fc.oneof({ weight: 5, arbitrary: saidIn(false) }, saidIn(true));

const marks = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 });
const overflow: fc.Arbitrary<Overflow> = fc.record(
  {
    why: fc.constantFrom('blocked', 'ceiling', 'tooLong'),
    agentName: fc.constantFrom('assistant', '助手'),
    by: marks,
    tokens: fc.nat(),
    leftOut: fc.nat(),
  },
  { requiredKeys: ['why'] },
);
const bookkeeping: fc.Arbitrary<EventInput> = fc
  .oneof(
    fc
      .record({
        covers: fc.oneof(
          { weight: 6, arbitrary: range.map((one) => [one]) },
          fc.array(range, { minLength: 1, maxLength: 2 }),
        ),
        supersedes: fc.option(fc.array(seq, { minLength: 1, maxLength: 1 })),
      })
      .map(({ covers, supersedes }) => ({
        compaction: {
          covers,
          content: { role: 'model' as const, parts: [{ text: '摘要' }] },
          trigger: 'fuzz',
          sourceHash: '',
          ...(supersedes ? { supersedes } : {}),
        },
      })),
    fc.record({ beforeInvocationId: invocationId }).map((rewind) => ({ rewind })),
    marks.map((seqs) => ({ pin: { seqs } })),
    marks.map((seqs) => ({ unpin: { seqs } })),
    marks.map((seqs) => ({ trim: { seqs, keepChars: 5 } })),
    overflow.map((noted) => ({ overflow: noted })),
  )
  .map((actions) => ({ author: 'system', actions }));

const spoiled: fc.Arbitrary<EventInput> = fc.constantFrom<EventInput>(
  { author: 'assistant', partial: true, content: 'He' },
  { author: '', content: 'x' },
  { author: 'assistant', actions: { stateDelta: { bad: Number.NaN } } },
);

const events = fc.oneof(
  { weight: 10, arbitrary: fc.array(said, { minLength: 1, maxLength: 3 }) },
  { weight: 6, arbitrary: bookkeeping.map((one) => [one]) },
  { weight: 1, arbitrary: fc.array(fc.oneof(said, bookkeeping), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(said, spoiled), { minLength: 1, maxLength: 3 }) },
);

const source: fc.Arbitrary<FuzzSource> = fc.oneof(
  fc.constantFrom('m1', 'm2').map((directId) => ({ directId })),
  target,
);
const fuzzText: fc.Arbitrary<FuzzText> = fc.record(
  { text: fc.constantFrom('指令', '你说过：里昂', 'He likes tea 🍵'), quotes: source },
  { requiredKeys: ['text'] },
);
const texts = fc.array(fuzzText, { minLength: 1, maxLength: 3 });

const readOptions = fc.record(
  { fromSeq: seq, toSeq: seq, limit: fc.integer({ min: 1, max: 5 }), newestFirst: fc.boolean(), invocationId },
  optional,
);
const listOptions = fc.record(
  {
    userId: fc.constantFrom('u1', '用户'),
    limit: fc.integer({ min: 1, max: 4 }),
    order: fc.constantFrom('newestFirst' as const, 'oldestFirst' as const),
  },
  optional,
);

function at<T extends string>(...names: T[]): fc.Arbitrary<{ do: T; at: FuzzTarget }> {
  return fc.record({ do: fc.constantFrom(...names), at: target });
}

const create = fc
  .record({ at: target, more: fc.record({ state: delta, ttlSeconds: fc.constantFrom(30, 600, 600) }, optional) })
  .map(({ at: where, more }): SessionOperation => ({ do: 'create', at: where, ...more }));
const append = fc
  .record({
    at: target,
    events,
    more: fc.record({ behind: fc.constantFrom(0, 0, 0, 0, 1, 2), leased: fc.constant(true), texts }, optional),
  })
  .map(({ more, ...rest }): SessionOperation => ({ do: 'append', ...rest, ...more }));
const eraseQuotes = fc.record({
  do: fc.constant('eraseQuotes' as const),
  userId: fc.constantFrom('u1', 'u1', '用户'),
  of: source,
});
const rewind = fc.record({
  do: fc.constant('rewind' as const),
  at: target,
  beforeInvocationId: invocationId,
  shared: fc.boolean(),
});
const fork = fc.record({
  do: fc.constant('fork' as const),
  at: target,
  atSeq: seq,
  sessionId: fc.constantFrom('fork1', 'fork2'),
});
const read = fc.record({
  do: fc.constantFrom('read' as const, 'readEffective' as const),
  at: target,
  options: readOptions,
});
const view: fc.Arbitrary<View> = fc.record(
  {
    agentName: fc.constant('assistant'),
    history: fc.constant('full' as const),
    provider: fc.constant('openai' as const),
    branch: fc.constant('root'),
    isolationScope: fc.constant('task'),
  },
  { requiredKeys: ['agentName', 'history', 'provider'] },
);
const readLive = fc.record({ do: fc.constant('readLive' as const), at: target, view });
const lease = fc.record({
  do: fc.constant('lease' as const),
  at: target,
  owner: fc.constantFrom('run 1', 'run 2'),
  options: fc.record({ seconds: fc.constantFrom(5, 60) }, optional),
});

/** One call, with ids that repeat often enough to collide. */
const operation: fc.Arbitrary<SessionOperation> = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 30, arbitrary: append },
  { weight: 3, arbitrary: rewind },
  { weight: 2, arbitrary: eraseQuotes },
  { weight: 3, arbitrary: fork },
  { weight: 4, arbitrary: read },
  { weight: 4, arbitrary: readLive },
  { weight: 3, arbitrary: at('open', 'end', 'bookkeeping', 'renew', 'release') },
  { weight: 1, arbitrary: at('delete') },
  { weight: 1, arbitrary: lease },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list' as const), options: listOptions }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ingested' as const), at: target, seq }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('history' as const), userId: fc.constant('u1'), key: stateKey }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('artifact' as const),
      at: target,
      name: fc.constantFrom('a.txt', '报告'),
      size: fc.integer({ min: 0, max: 9 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), millis: fc.constantFrom(1, 1, 999, 999, 6000, 45_000) }),
  },
  fc.constantFrom<SessionOperation>(
    { do: 'sweep' },
    { do: 'endIdle', idleMillis: 5000 },
    { do: 'behind' },
    { do: 'deleteUserData', userId: 'u1' },
  ),
);

/** A list of calls: a session is always there to begin with. */
export const sessionOperations: fc.Arbitrary<readonly SessionOperation[]> = fc
  .tuple(target, fc.array(operation, { minLength: 1, maxLength: 60, size: 'max' }))
  .map(([where, rest]) => [
    { do: 'create', at: where },
    { do: 'create', at: { userId: 'u1', sessionId: 's1' } },
    ...rest,
  ]);
