import { describe, expect, it } from 'vitest';
import type { Compaction, EventInput, SeqRange } from '../events/index.ts';
import { checkCompaction, checkMarks, resolveRewind } from './check-bookkeeping.ts';
import { createSessionService } from './create-session-service.ts';
import { createInMemorySessionStore } from './in-memory-session-store.ts';
import { LogView } from './log-view.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };
const content = { role: 'model', parts: [{ text: 'They spoke.' }] } as const;

function summary(covers: readonly SeqRange[], more: Partial<Compaction> = {}): Compaction {
  return { covers, content, trigger: 'window', sourceHash: 'x', ...more };
}

/** A log: 1 state, 2–3 i1, 4–5 i2, 6 on a branch, 7 sealed, then whatever is given. */
async function logWith(...more: readonly EventInput[]): Promise<LogView> {
  const store = createInMemorySessionStore();
  const sessions = createSessionService({ store });
  await sessions.create({ ...key, state: { unit: 'C' } });
  await sessions.append(key, [
    { author: 'user', content: 'one', invocationId: 'i1' },
    { author: 'assistant', content: 'first', invocationId: 'i1' },
    { author: 'user', content: 'two', invocationId: 'i2' },
    { author: 'assistant', content: 'second', invocationId: 'i2' },
    { author: 'critic', content: 'aside', invocationId: 'i2', branch: 'root.critic' },
    { author: 'critic', content: 'sealed', invocationId: 'i2', isolationScope: 'x' },
  ]);
  for (const event of more) await sessions.append(key, [event]);
  return new LogView(store, key);
}

const rewindTo = (beforeInvocationId: string, invocationId = 'r'): EventInput => ({
  author: 'system',
  invocationId,
  actions: { rewind: { beforeInvocationId } },
});
const compacted = (compaction: Compaction): EventInput => ({ author: 'system', actions: { compaction } });

describe('checkCompaction', () => {
  it.each<[string, Compaction, number]>([
    ['one range', summary([[2, 5]]), 5],
    [
      'with holes',
      summary([
        [2, 2],
        [4, 5],
      ]),
      5,
    ],
    ['a branch of its own', summary([[6, 6]], { branch: 'root.critic' }), 6],
    ['an isolation scope of its own', summary([[7, 7]], { isolationScope: 'x' }), 7],
  ])('lets pass and outlines: %s', async (_, compaction, answered) => {
    await expect(checkCompaction(await logWith(), 8, compaction)).resolves.toEqual({ answered });
  });

  it.each<[string, Compaction, object]>([
    ['itself', summary([[2, 8]]), { seq: 8 }],
    ['what is not there yet', summary([[9, 9]]), { seq: 9 }],
    ['another branch', summary([[2, 6]]), { seq: 6 }],
    ['an event above its own branch', summary([[5, 6]], { branch: 'root.critic' }), { seq: 5 }],
    ['another isolation scope', summary([[7, 7]]), { seq: 7 }],
    ['a summary to supersede that is none', summary([[2, 3]], { supersedes: [2] }), {}],
  ])('refuses one that names %s', async (_, compaction, details) => {
    const checking = checkCompaction(await logWith(), 8, compaction);
    await expect(checking).rejects.toMatchObject({ code: 'INVALID_COMPACTION', details });
  });

  it('refuses what another summary names, unless it supersedes that one whole', async () => {
    const log = await logWith(compacted(summary([[2, 3]])));
    const overlap = { code: 'INVALID_COMPACTION', details: { seq: 3, by: 8 } };
    await expect(checkCompaction(log, 9, summary([[3, 5]]))).rejects.toMatchObject(overlap);
    await expect(checkCompaction(log, 9, summary([[4, 5]]))).resolves.toEqual({ answered: 5 });
    await expect(checkCompaction(log, 9, summary([[2, 5]], { supersedes: [8] }))).resolves.toEqual({ answered: 5 });
    const partly = checkCompaction(log, 9, summary([[3, 5]], { supersedes: [8] }));
    await expect(partly).rejects.toMatchObject({ code: 'INVALID_COMPACTION', details: { seq: 2, by: 8 } });
  });

  it('refuses to supersede a summary of another branch, and reads no event that a superseded one names', async () => {
    const log = await logWith(compacted(summary([[6, 6]], { branch: 'root.critic' })), compacted(summary([[2, 3]])));
    const both = summary([[2, 6]], { supersedes: [8, 9] });
    await expect(checkCompaction(log, 10, both)).rejects.toMatchObject({ details: { seq: 6 } });
    const read: SeqRange[] = [];
    const events = log.events.bind(log);
    log.events = (ranges) => {
      read.push(...ranges);
      return events(ranges);
    };
    await checkCompaction(log, 10, summary([[2, 5]], { supersedes: [9] }));
    expect(read).toEqual([[4, 5]]);
  });

  it('refuses what a rewind hides, and lets it pass again once that is rewound', async () => {
    const hidden = await logWith(rewindTo('i2'));
    const checking = checkCompaction(hidden, 9, summary([[2, 5]]));
    await expect(checking).rejects.toMatchObject({ code: 'INVALID_COMPACTION', details: { seq: 4 } });
    await expect(checkCompaction(hidden, 9, summary([[2, 3]]))).resolves.toEqual({ answered: 3 });
    const back = await logWith(rewindTo('i2'), rewindTo('r', 'r2'));
    await expect(checkCompaction(back, 10, summary([[2, 5]]))).resolves.toEqual({ answered: 5 });
  });

  it('refuses one that names bookkeeping alone, and passes over bookkeeping among what it names', async () => {
    const log = await logWith(
      { author: 'system', actions: { pin: { seqs: [2] } } },
      { author: 'user', content: 'three' },
    );
    await expect(checkCompaction(log, 10, summary([[8, 8]]))).rejects.toMatchObject({ code: 'INVALID_COMPACTION' });
    await expect(checkCompaction(log, 10, summary([[8, 9]]))).resolves.toEqual({ asked: 9 });
  });
});

describe('resolveRewind', () => {
  it('finds the first event of the invocation, of a rewind too', async () => {
    const log = await logWith(rewindTo('i2'));
    expect(await resolveRewind(log, { beforeInvocationId: 'i2', fromSeq: 99 })).toMatchObject({ fromSeq: 4 });
    expect(await resolveRewind(log, { beforeInvocationId: 'r', fromSeq: 0, shared: true })).toEqual({
      beforeInvocationId: 'r',
      fromSeq: 8,
      shared: true,
    });
  });

  it('refuses an invocation that is not there and the initial state', async () => {
    const log = await logWith();
    const details = { invocationId: 'i9' };
    const unknown = resolveRewind(log, { beforeInvocationId: 'i9', fromSeq: 0 });
    await expect(unknown).rejects.toMatchObject({ code: 'INVALID_REWIND', details });
    const [initial] = await log.stateEvents();
    const beforeAll = resolveRewind(log, { beforeInvocationId: initial?.invocationId ?? '', fromSeq: 0 });
    await expect(beforeAll).rejects.toMatchObject({ code: 'INVALID_REWIND' });
  });
});

describe('checkMarks', () => {
  it('lets live events of the conversation pass, in any order and named twice', async () => {
    await expect(checkMarks(await logWith(), [5, 2, 5])).resolves.toBeUndefined();
  });

  it('refuses what is not there, bookkeeping, and what is hidden', async () => {
    const log = await logWith(rewindTo('i2'));
    for (const seq of [5, 8, 9]) {
      await expect(checkMarks(log, [2, seq])).rejects.toMatchObject({ code: 'INVALID_PIN', details: { seq } });
    }
  });
});
