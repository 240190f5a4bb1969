import fc from 'fast-check';
import { type EventInput, foldCoverage, isBookkeeping, type PartInput, type SeqRange } from '../../src/events/index.ts';
import { buildLog, type LoggedInput } from './log-builder.ts';

type Step = (log: readonly LoggedInput[], seq: number) => Omit<LoggedInput, 'seq'> | undefined;

const agents = ['assistant', 'researcher', 'critic'];
const branches = ['root', 'root.assistant', 'root.assistant.critic', 'root.researcher'];
const callIds = ['c1', 'c2', 'c3', 'adk-4', 'an id, unfit for some', undefined];
const tools = ['search', 'book', 'default_api:run', 'adk_request_confirmation', '查询'];

const place = fc.record(
  { branch: fc.constantFrom(...branches), isolationScope: fc.constant('sealed') },
  { requiredKeys: [] },
);

/** Mostly outside of any branch and scope. */
const where = fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: place });

/** A part; `<t…>`, `<h…>` and `<r…>` mark texts, thoughts and results, so that a test finds them again. */
const part = fc.oneof(
  { weight: 6, arbitrary: fc.constant((seq: number): PartInput => ({ text: `<t${seq}> 你好🙂` })) },
  fc.constantFrom('', '  \n').map((text) => (): PartInput => ({ text })),
  fc.boolean().map(
    (isSigned) =>
      (seq: number): PartInput => ({
        text: `<h${seq}>`,
        thought: true,
        ...(isSigned ? { thoughtSignature: 'c2ln' } : {}),
      }),
  ),
  fc.constant((): PartInput => ({ thoughtSignature: 'c2ln' })),
  fc.constantFrom('aGk=', '').map((data) => (): PartInput => ({ inlineData: { mimeType: 'image/png', data } })),
  fc.constant((seq: number): PartInput => ({ executableCode: { code: `print(${seq})` } })),
);

const call = fc.record({ id: fc.constantFrom(...callIds), name: fc.constantFrom(...tools) }).map(
  ({ id, name }) =>
    (seq: number): PartInput => ({ functionCall: { ...(id === undefined ? {} : { id }), name, args: { at: seq } } }),
);

const response = fc
  .record({ id: fc.constantFrom(...callIds), name: fc.constantFrom(...tools), isObject: fc.boolean() })
  .map(
    ({ id, name, isObject }) =>
      (seq: number): PartInput => ({
        functionResponse: {
          ...(id === undefined ? {} : { id }),
          name,
          response: isObject ? { value: `<r${seq}>` } : `<r${seq}>${'长'.repeat(9)}`,
        },
      }),
  );

function said(author: fc.Arbitrary<string>, part: fc.Arbitrary<(seq: number) => PartInput>): fc.Arbitrary<Step> {
  return fc
    .record({
      author,
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
      where,
      isNew: fc.boolean(),
      isLong: fc.boolean(),
    })
    .map(
      ({ author, parts, where, isNew, isLong }): Step =>
        (log, seq) => ({
          author,
          content: { parts: parts.map((make) => make(seq)) },
          invocationId: author === 'user' && isNew ? `i${seq}` : (log.at(-1)?.invocationId ?? `i${seq}`),
          ...where,
          ...(isLong ? { longRunningToolIds: ['c1', 'c2'] } : {}),
        }),
    );
}

const agent = fc.constantFrom(...agents);

const transcript = fc
  .record({ isUser: fc.boolean(), finished: fc.boolean(), text: fc.constantFrom('he', 'llo ', ' ', '') })
  .map(
    ({ isUser, finished, text }): Step =>
      (_, seq) => ({
        author: isUser ? 'user' : 'assistant',
        ...(isUser
          ? { inputTranscription: { text, finished } }
          : { outputTranscription: { text: `${text}<t${seq}>`, finished } }),
      }),
  );

const rewind = fc.nat().map(
  (pick): Step =>
    (log) => {
      const target = log[pick % Math.max(1, log.length)];
      const beforeInvocationId = target?.invocationId;
      if (beforeInvocationId === undefined) return undefined;
      const fromSeq = log.find(({ invocationId }) => invocationId === beforeInvocationId)?.seq ?? 1;
      return bookkeeping({ rewind: { beforeInvocationId, fromSeq } });
    },
);

const mark = fc
  .record({
    kind: fc.constantFrom('pin', 'unpin', 'trim'),
    seqs: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
  })
  .map(
    ({ kind, seqs }): Step =>
      () =>
        bookkeeping({ [kind]: kind === 'trim' ? { seqs, keepChars: 4 } : { seqs } }),
  );

const overflow = fc
  .record(
    {
      why: fc.constantFrom('blocked' as const, 'ceiling' as const, 'tooLong' as const),
      agentName: agent,
      by: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 }),
      leftOut: fc.nat(),
    },
    { requiredKeys: ['why'] },
  )
  .map(
    (overflow): Step =>
      () =>
        bookkeeping({ overflow }),
  );

/** A compaction that an append would accept: live events of one place that no live summary names, or all that one names and more. */
const compaction = fc.record({ from: fc.nat(), length: fc.integer({ min: 1, max: 8 }), widens: fc.boolean() }).map(
  ({ from, length, widens }): Step =>
    (log, seq) => {
      const events = buildLog(log);
      const coverage = foldCoverage(events.filter(isBookkeeping));
      const older = widens ? coverage.summaries.at(-1) : undefined;
      const start = events[from % Math.max(1, events.length)];
      const home = older?.compaction ?? start;
      if (home === undefined || start === undefined) return undefined;
      const free = events.filter(
        (event) =>
          !isBookkeeping(event) &&
          coverage.isLive(event.seq) &&
          coverage.coveredBy(event.seq) === undefined &&
          event.branch === home.branch &&
          event.isolationScope === home.isolationScope,
      );
      const fresh = free.filter((event) => event.seq >= start.seq).slice(0, length);
      if (fresh.length === 0) return undefined;
      const covers = joinRanges([...(older?.compaction.covers ?? []), ...fresh.map(({ seq }): SeqRange => [seq, seq])]);
      return bookkeeping({
        compaction: {
          covers,
          content: { role: 'model', parts: [{ text: `<s${seq}>` }] },
          trigger: 'test',
          sourceHash: '',
          ...(older === undefined ? {} : { supersedes: [older.seq] }),
          ...(home.branch === undefined ? {} : { branch: home.branch }),
          ...(home.isolationScope === undefined ? {} : { isolationScope: home.isolationScope }),
        },
      });
    },
);

function joinRanges(ranges: readonly SeqRange[]): SeqRange[] {
  const joined: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && last[1] + 1 === from) last[1] = to;
    else joined.push([from, to]);
  }
  return joined;
}

function bookkeeping(actions: EventInput['actions']): Omit<LoggedInput, 'seq'> {
  return { author: 'system', ...(actions === undefined ? {} : { actions }) };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: said(fc.constant('user'), part) },
  { weight: 5, arbitrary: said(agent, part) },
  { weight: 5, arbitrary: said(agent, fc.oneof(call, call, part)) },
  { weight: 5, arbitrary: said(fc.oneof(agent, fc.constant('user')), fc.oneof(response, response, part)) },
  { weight: 2, arbitrary: transcript },
  { weight: 1, arbitrary: said(fc.constantFrom('system', 'user'), fc.oneof(call, part)) },
  { weight: 1, arbitrary: rewind },
  { weight: 2, arbitrary: mark },
  { weight: 1, arbitrary: overflow },
  { weight: 3, arbitrary: compaction },
  {
    weight: 1,
    arbitrary: fc.constant(
      (): Omit<LoggedInput, 'seq'> => ({
        author: 'critic',
        branch: 'root.assistant.critic',
        actions: { endOfAgent: true },
      }),
    ),
  },
);

function logsOf(constraints: fc.ArrayConstraints): fc.Arbitrary<readonly LoggedInput[]> {
  return fc.array(step, constraints).map((steps) => {
    const log: LoggedInput[] = [];
    for (const take of steps) {
      const seq = log.length + 1;
      const input = take(log, seq);
      if (input !== undefined) log.push({ seq, invocationId: `i${seq}`, ...input });
    }
    return log;
  });
}

/** Random logs: everything an append accepts, sensible or not, of up to forty events, most of them short. */
export const randomLog = logsOf({ maxLength: 40 });

/** The same of up to sixty events, as many long as short. */
export const longRandomLog = logsOf({ maxLength: 60, size: 'max' });
