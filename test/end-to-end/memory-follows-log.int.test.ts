import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Event, isPalimpsestError, type OpenSession, openPalimpsest, type Palimpsest } from '../../src/index.ts';

/** One thing that happens; numbers choose among what is there at that moment. */
interface Step {
  readonly does: 'ask' | 'answer' | 'exchange' | 'seal' | 'interrupt' | 'end' | 'delete' | 'rewind' | 'fork' | 'settle';
  readonly session: number;
  readonly where: number;
}

/** By which of the Palimpsests open, and whether the next step waits for it. */
interface Turn {
  readonly by: number;
  readonly isAwaited: boolean;
  readonly step: Step;
}

function stepOf(...does: readonly Step['does'][]): fc.Arbitrary<Step> {
  return fc.record({ does: fc.constantFrom(...does), session: fc.nat(3), where: fc.nat(99) });
}

const step = fc.oneof(
  { weight: 6, arbitrary: stepOf('ask', 'answer', 'exchange', 'exchange') },
  { weight: 3, arbitrary: stepOf('seal', 'interrupt', 'end', 'delete') },
  { weight: 4, arbitrary: stepOf('rewind') },
  { weight: 2, arbitrary: stepOf('fork') },
  { weight: 1, arbitrary: stepOf('settle') },
);
const turns: fc.Arbitrary<Turn[]> = fc.array(fc.record({ by: fc.nat(1), isAwaited: fc.boolean(), step }), {
  minLength: 4,
  maxLength: 28,
});

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-follow-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sessions are of one user; the odd ones belong to a project. */
async function openSession(palimpsest: Palimpsest, number: number): Promise<OpenSession> {
  const user = palimpsest.user('u1');
  return (number % 2 === 1 ? user.project('acme') : user).session(`s${number}`);
}

async function allEvents(session: OpenSession): Promise<readonly Event[]> {
  return (await session.read({ limit: 1000 })).items;
}

/**
 * What is live, told without folding coverage: after a rewind stands what stood before the event that it goes back to,
 * and the rewind itself.
 */
function liveSeqs(events: readonly Event[]): ReadonlySet<number> {
  const stood = new Map<number, ReadonlySet<number>>([[0, new Set()]]);
  const last = events.at(-1)?.seq ?? 0;
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  for (let seq = 1; seq <= last; seq++) {
    const rewind = bySeq.get(seq)?.actions.rewind;
    stood.set(seq, new Set([...(stood.get(rewind === undefined ? seq - 1 : rewind.fromSeq - 1) ?? []), seq]));
  }
  return stood.get(last) ?? new Set();
}

const textOfEvent = (event: Event) => event.content?.parts.map(({ text }) => text ?? '').join('') ?? '';

/** What memory must hold of the sessions there are: text by text, with where each came from. */
async function expected(palimpsest: Palimpsest): Promise<string[]> {
  const due: string[] = [];
  for (const { key, incarnation, forkedFrom, projectId } of (await palimpsest.user('u1').sessions()).items) {
    const events = (await palimpsest.sessions.read(key, { limit: 1000 })).items;
    const live = liveSeqs(events);
    for (const event of events) {
      const isSpoken = event.author === 'user' || (event.author === 'assistant' && event.interrupted !== true);
      if (!live.has(event.seq) || event.seq <= (forkedFrom?.atSeq ?? 0)) continue;
      if (!isSpoken || event.content === undefined || event.isolationScope !== undefined) continue;
      due.push(JSON.stringify([key.sessionId, incarnation, event.seq, projectId ?? null, textOfEvent(event)]));
    }
  }
  return due.sort();
}

async function remembered(palimpsest: Palimpsest): Promise<string[]> {
  const { items } = await palimpsest.user('u1').project('acme').memories({ limit: 1000 });
  return items
    .map(({ provenance: [source], sessionId, projectId, text }) =>
      source?.kind === 'event'
        ? JSON.stringify([sessionId, source.incarnation, source.seq, projectId ?? null, text])
        : 'no event',
    )
    .sort();
}

// INVALID_ARGUMENT: a fork of a session without a project stands under the id that the steps open within one.
const refusals = ['SESSION_NOT_FOUND', 'FORK_REFUSED', 'SESSION_EXISTS', 'INVALID_REWIND', 'INVALID_ARGUMENT'] as const;

async function take(palimpsest: Palimpsest, step: Step, no: number): Promise<void> {
  if (step.does === 'settle') return palimpsest.settled();
  const open = await openSession(palimpsest, step.session);
  switch (step.does) {
    case 'ask':
      return void (await open.append([{ author: 'user', content: `问 ${no}` }]));
    case 'answer':
      return void (await open.append([{ author: 'assistant', content: `Answer ${no}` }]));
    case 'exchange':
      return void (await open.append([
        { author: 'user', content: `Question ${no}` },
        { author: 'assistant', content: `答 ${no}` },
      ]));
    case 'seal':
      return void (await open.append([{ author: 'user', content: `sealed ${no}`, isolationScope: 'x' }]));
    case 'interrupt':
      return void (await open.append([{ author: 'assistant', content: `half ${no}`, interrupted: true }]));
    case 'end':
      return void (await open.end());
    case 'delete':
      return void (await open.delete());
    case 'rewind': {
      const events = await allEvents(open);
      const target = events[step.where % Math.max(1, events.length)];
      if (target) await open.rewind({ beforeInvocationId: target.invocationId });
      return;
    }
    case 'fork':
      return void (await open.fork({ atSeq: step.where % (open.version + 1), sessionId: `s${(no + step.where) % 4}` }));
  }
}

/** Does the steps, some at once, and returns what memory should hold and holds when all is read. */
async function follow(openTwo: () => Promise<readonly Palimpsest[]>, list: readonly Turn[]): Promise<void> {
  const opened = await openTwo();
  const running: Promise<void>[] = [];
  for (const [no, { by, isAwaited, step }] of list.entries()) {
    const palimpsest = opened[by % opened.length];
    if (palimpsest === undefined) continue;
    const work = take(palimpsest, step, no).catch((error: unknown) => {
      const isRefusal = step.does !== 'settle' && refusals.some((code) => isPalimpsestError(error, code));
      if (!isRefusal) throw error;
    });
    running.push(work);
    if (isAwaited) await work;
  }
  await Promise.all(running);
  for (const palimpsest of opened) await palimpsest.settled();
}

/** Lets memory read what no answer has closed yet. */
async function readRest(palimpsest: Palimpsest): Promise<void> {
  for (const { key, projectId } of (await palimpsest.user('u1').sessions()).items) {
    const user = palimpsest.user('u1');
    await (await (projectId === undefined ? user : user.project(projectId)).session(key.sessionId)).end();
  }
  await palimpsest.settled();
}

describe('memory holds the live final events of the sessions there are, each once', () => {
  it('in one Palimpsest in memory', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (list) => {
        await using palimpsest = await openPalimpsest({ sweepSeconds: 0 });
        await follow(async () => [palimpsest], list);
        await readRest(palimpsest);
        expect(await remembered(palimpsest)).toEqual(await expected(palimpsest));
      }),
      { numRuns: 120 },
    );
  });

  it('in two on one file, after a third has opened it', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(turns, async (list) => {
        const file = join(folder, `${number++}.db`);
        const opened: Palimpsest[] = [];
        await follow(async () => {
          for (let i = 0; i < 2; i++) opened.push(await openPalimpsest({ file, sweepSeconds: 0 }));
          return opened;
        }, list);
        for (const palimpsest of opened) await palimpsest.close();
        // Catching up reads what is left, also what no answer has closed.
        await using third = await openPalimpsest({ file, sweepSeconds: 0 });
        await third.settled();
        expect(await remembered(third)).toEqual(await expected(third));
      }),
      { numRuns: 25 },
    );
  });
});
