import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { EventInput, SessionKey } from '../../src/events/index.ts';
import type { SessionService } from '../../src/sessions/index.ts';
import type { SessionSubject } from '../../src/testing/index.ts';
import { inMemorySubject, sqliteSubject } from './session-subjects.ts';

interface Step {
  readonly append?: readonly string[];
  readonly expectedVersion?: number | 'any';
  readonly ok?: readonly number[];
  readonly version?: number;
  readonly error?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const fixture = new URL('../fixtures/golden-logs.json', import.meta.url);
const golden: { appends: readonly { name: string; steps: readonly Step[] }[] } = JSON.parse(
  readFileSync(fixture, 'utf8'),
);
const key: SessionKey = { appName: 'golden', userId: 'u1', sessionId: 's1' };

/** An event from its short form in the fixture. */
function eventOf(short: string): EventInput {
  const plain = /^e(\d+)( with other content)?$/.exec(short);
  if (plain) return { id: `e${plain[1]}`, author: 'user', content: short, invocationId: `i${plain[1]}` };
  const rewind = /^rewind before the invocation of e(\d+)$/.exec(short);
  if (rewind) return { author: 'system', actions: { rewind: { beforeInvocationId: `i${rewind[1]}` } } };
  const compaction = /^compaction naming \[(\d+),(\d+)\](?: superseding (\d+)| without a branch)?$/.exec(short);
  if (compaction === null) throw new SyntaxError(`no such short form: ${short}`);
  const [from, to, superseded] = compaction.slice(1).map(Number);
  const supersedes = superseded ? { supersedes: [superseded] } : {};
  return { author: 'system', actions: { compaction: { ...summary([[from ?? 0, to ?? 0]]), ...supersedes } } };
}

function summary(covers: readonly (readonly [number, number])[]) {
  return { covers, content: { role: 'model' as const, parts: [{ text: 's' }] }, trigger: 'manual', sourceHash: '' };
}

async function take(service: SessionService, step: Step): Promise<unknown> {
  const expected = step.expectedVersion === undefined ? {} : { expectedVersion: step.expectedVersion };
  const result = await service.append(key, (step.append ?? []).map(eventOf), expected).catch((error: unknown) => error);
  if (result instanceof Error) {
    const details: Record<string, unknown> = Reflect.get(result, 'details');
    const told = step.details && Object.fromEntries(Object.keys(step.details).map((name) => [name, details[name]]));
    return { error: Reflect.get(result, 'code'), ...(told ? { details: told } : {}) };
  }
  const { events, version } = result as Awaited<ReturnType<SessionService['append']>>;
  return { ok: events.map((event) => event.seq), ...(step.version === undefined ? {} : { version }) };
}

function wanted({ ok, version, error, details }: Step): unknown {
  return error === undefined
    ? { ok, ...(version === undefined ? {} : { version }) }
    : { error, ...(details ? { details } : {}) };
}

/** The log that the title of the second case describes. */
const foldedLog: readonly EventInput[] = [
  { author: 'user', content: 'a', invocationId: 'i1' },
  { author: 'assistant', content: 'b' },
  { author: 'assistant', content: 'c', branch: 'b' },
  { author: 'system', actions: { compaction: summary([[1, 2]]) } },
  { author: 'user', content: 'd', invocationId: 'i2' },
];

describe.each([
  ['in memory', inMemorySubject],
  ['SQLite', sqliteSubject],
] as const)('golden appends, %s', (_name, create) => {
  async function withSubject(work: (subject: SessionSubject) => Promise<void>): Promise<void> {
    const subject = await create();
    try {
      await subject.first.create(key);
      await work(subject);
    } finally {
      await subject.dispose();
    }
  }

  test.each([
    { at: 0, title: /^version checks$/, log: [] },
    {
      at: 1,
      title: /^compactions that are refused \(log: 1 user i1, 2 assistant i1, 3 assistant i1 on branch b,/,
      log: foldedLog,
    },
  ])('case $at', async ({ at, title, log }) => {
    const found = golden.appends[at];
    expect(found?.name).toMatch(title);
    await withSubject(async ({ first, second }) => {
      await first.append(key, log);
      for (const [index, step] of (found?.steps ?? []).entries()) {
        expect(await take(index % 2 ? first : second, step), JSON.stringify(step)).toEqual(wanted(step));
      }
    });
  });

  test('case 2: forks and new lives', async () => {
    expect(golden.appends).toHaveLength(3);
    expect(golden.appends[2]?.name).toBe('forks and new lives');
    await withSubject(async ({ first, second }) => {
      await first.append(key, [
        { author: 'assistant', actions: { stateDelta: { 'app:n': 1, 'user:n': 1 } } },
        ...foldedLog.slice(1),
      ]);
      const before = await first.open(key);
      const fork = await second.fork(key, { atSeq: 3, sessionId: 'fork' });
      expect((await first.read(fork.key)).items).toEqual((await first.read(key, { toSeq: 3 })).items);
      expect([fork.version, fork.ingestedSeq, fork.state]).toEqual([3, 3, before?.state]);
      expect(await first.readBookkeeping(fork.key)).toEqual([]);
      await first.delete(key);
      const again = await second.create(key);
      expect([again.version, again.ingestedSeq]).toEqual([0, 0]);
      expect(again.incarnation).not.toBe(before?.incarnation);
    });
  });
});
