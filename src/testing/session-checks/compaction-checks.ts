import assert from 'node:assert/strict';
import type { EventInput, SessionKey } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, seqsOf, textsOf, unchanged } from '../expectations.ts';
import { answers, calls, compacts, overflows, pins, returns, says, sets, trims, unpins } from '../sample-events.ts';
import { begin, type SessionSubject } from '../session-subject.ts';

/** Two invocations with a branch, a sealed scope and a summary: what compactions are refused or taken in. */
async function beginFolded(subject: SessionSubject): Promise<SessionKey> {
  const key = await begin(subject);
  await subject.first.append(key, [
    says('a', { invocationId: 'i1' }),
    answers('b'),
    answers('on a branch', { branch: 'root.agent_1' }),
    compacts([[1, 2]]),
    says('c', { invocationId: 'i2' }),
    answers('sealed', { isolationScope: 'task' }),
    answers('on its peer', { branch: 'root.agent_10' }),
  ]);
  return key;
}

async function refusedCompaction(subject: SessionSubject, key: SessionKey, event: EventInput): Promise<void> {
  await unchanged(subject.second, key, () =>
    refused(subject.first.append(key, [sets({ half: 'done' }), event]), 'INVALID_COMPACTION'),
  );
}

/** Checks of which summaries, pins and trims are taken in. */
export const compactionChecks = {
  'compaction.stored': async (subject) => {
    const key = await beginFolded(subject);
    const events = await readAll(subject.second, key);
    same(textsOf(events).slice(0, 3), ['a', 'b', 'on a branch'], 'covered events stay readable');
    const { compaction } = events[3]?.actions ?? {};
    same(compaction?.covers, [[1, 2]]);
    same(compaction?.content, { role: 'model', parts: [{ text: 'They talked.' }] });
    same(await subject.second.readBookkeeping(key), [events[3]]);
  },
  'compaction.only-below-itself': async (subject) => {
    const key = await beginFolded(subject);
    await refusedCompaction(subject, key, compacts([[5, 30]]));
    await refusedCompaction(subject, key, compacts([[9, 9]]));
    await subject.first.append(key, [says('d'), compacts([[8, 8]])]);
  },
  'compaction.own-branch': async (subject) => {
    const key = await beginFolded(subject);
    await refusedCompaction(subject, key, compacts([[3, 3]]));
    await refusedCompaction(subject, key, compacts([[5, 5]], { branch: 'root.agent_1' }));
    await refusedCompaction(subject, key, compacts([[3, 3]], { branch: 'root' }));
    await refusedCompaction(subject, key, compacts([[7, 7]], { branch: 'root.agent_1' }));
    await subject.first.append(key, [compacts([[3, 3]], { branch: 'root.agent_1' })]);
    await subject.first.append(key, [compacts([[7, 7]], { branch: 'root.agent_10' })]);
    const wider: [number, number][] = [
      [3, 3],
      [5, 5],
    ];
    await refusedCompaction(subject, key, compacts(wider, { supersedes: [8] }));
  },
  'compaction.own-scope': async (subject) => {
    const key = await beginFolded(subject);
    await refusedCompaction(subject, key, compacts([[6, 6]]));
    await refusedCompaction(subject, key, compacts([[5, 5]], { isolationScope: 'task' }));
    await refusedCompaction(subject, key, compacts([[6, 6]], { isolationScope: 'other' }));
    await subject.first.append(key, [compacts([[6, 6]], { isolationScope: 'task' })]);
  },
  'compaction.covered-once': async (subject) => {
    const key = await beginFolded(subject);
    await refusedCompaction(subject, key, compacts([[2, 2]]));
    await refusedCompaction(
      subject,
      key,
      compacts([
        [1, 2],
        [5, 5],
      ]),
    );
    await refused(subject.first.append(key, [compacts([[5, 5]]), compacts([[5, 5]])]), 'INVALID_COMPACTION');
  },
  'compaction.supersedes-whole': async (subject) => {
    const key = await beginFolded(subject);
    await refusedCompaction(subject, key, compacts([[2, 2]], { supersedes: [4] }));
    await refusedCompaction(subject, key, compacts([[5, 5]], { supersedes: [4] }));
    await subject.first.append(key, [compacts([[1, 2]], { supersedes: [4] })]);
    const wider = compacts(
      [
        [1, 2],
        [5, 5],
      ],
      { supersedes: [8] },
    );
    await subject.first.append(key, [wider]);
    same((await readAll(subject.second, key)).at(-1)?.actions.compaction?.supersedes, [8]);
  },
  'compaction.supersedes-summaries-only': async (subject) => {
    const key = await beginFolded(subject);
    await refusedCompaction(subject, key, compacts([[5, 5]], { supersedes: [3] }));
    await refusedCompaction(subject, key, compacts([[5, 5]], { supersedes: [99] }));
    await subject.first.append(key, [compacts([[1, 2]], { supersedes: [4] })]);
    await refusedCompaction(subject, key, compacts([[1, 2]], { supersedes: [4] }));
  },
  'compaction.live-events-only': async (subject) => {
    const key = await beginFolded(subject);
    await subject.second.rewind(key, { beforeInvocationId: 'i2' });
    await refusedCompaction(subject, key, compacts([[5, 5]]));
  },
  'compaction.hidden-one-frees': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [
      says('a', { invocationId: 'i1' }),
      answers('b'),
      says('c', { invocationId: 'i2' }),
    ]);
    await subject.first.append(key, [compacts([[1, 3]])]);
    await refusedCompaction(subject, key, compacts([[1, 2]]));
    await subject.second.rewind(key, { beforeInvocationId: 'i2' });
    await refusedCompaction(subject, key, compacts([[1, 2]], { supersedes: [4] }));
    await subject.first.append(key, [compacts([[1, 2]])]);
    same(seqsOf(await subject.second.readBookkeeping(key)), [4, 5, 6]);
  },
  'compaction.malformed': async (subject) => {
    const key = await beginFolded(subject);
    const covers: readonly unknown[] = [
      [],
      [[2, 1]],
      [[0, 1]],
      [[1, 1.5]],
      [
        [5, 5],
        [1, 1],
      ],
      [
        [1, 1],
        [2, 2],
      ],
      'all',
    ];
    for (const bad of covers) {
      const error = await refused(subject.first.append(key, [compacts(bad as [])]), 'INVALID_EVENT');
      assert.match(error.details.field, /covers/);
    }
    const content = { role: 'model' as const, parts: [{ text: '  ' }] };
    const empty = {
      author: 'system',
      actions: { compaction: { covers: [[5, 5]] as const, content, trigger: 't', sourceHash: 'h' } },
    };
    await refused(subject.first.append(key, [empty]), 'INVALID_EVENT');
    const calling = { ...content, parts: [{ functionCall: { name: 'f' } }] };
    const call = { ...empty, actions: { compaction: { ...empty.actions.compaction, content: calling } } };
    await refused(subject.first.append(key, [call]), 'INVALID_EVENT');
    assert.equal((await subject.second.open(key))?.version, 7);
  },
  'compaction.outline': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('q'), calls('c1'), returns('c1'), answers('a'), calls('open'), says('r')]);
    const outline = { asked: 99, ended: 98, unpaired: [[1, 1]] as const };
    const claimed = compacts([[1, 6]]);
    const { compaction } = claimed.actions ?? {};
    if (compaction === undefined) return assert.fail('is no compaction');
    const input = { ...claimed, id: 'claimed', actions: { compaction: { ...compaction, outline } } };
    const { events } = await subject.first.append(key, [input]);
    same(events[0]?.actions.compaction?.outline, { asked: 6, unpaired: [[5, 5]] });
    same((await subject.second.append(key, [input])).events, events, 'the same event again');
    await subject.first.append(key, [answers('b', { branch: 'root.a' }), compacts([[8, 8]], { branch: 'root.a' })]);
    await subject.first.append(key, [
      returns('open'),
      answers('c'),
      compacts(
        [
          [1, 6],
          [10, 11],
        ],
        { supersedes: [7] },
      ),
    ]);
    const outlines = (await subject.second.readBookkeeping(key)).map(({ actions }) => actions.compaction?.outline);
    same(outlines.slice(1), [
      { answered: 8 },
      {
        answered: 11,
        unpaired: [
          [5, 5],
          [10, 10],
        ],
      },
    ]);
  },
  'marks.stored': async (subject) => {
    const key = await beginFolded(subject);
    const blocked = { why: 'blocked', agentName: '助手', by: [2, 5] } as const;
    const shortened = { why: 'ceiling', agentName: 'assistant', tokens: 9001, limit: 9000, leftOut: 4 } as const;
    await subject.first.append(key, [pins(1, 5), unpins(5), trims(2), overflows(blocked), overflows(shortened)]);
    const marks = (await subject.second.readBookkeeping(key)).slice(1).map((event) => event.actions);
    same(marks, [
      { pin: { seqs: [1, 5] } },
      { unpin: { seqs: [5] } },
      { trim: { seqs: [2], keepChars: 10 } },
      { overflow: blocked },
      { overflow: shortened },
    ]);
    same(seqsOf(await subject.first.readBookkeeping(key)), [4, 8, 9, 10, 11, 12]);
    same(seqsOf((await subject.second.readEffective(key)).items), [1, 2, 3, 5, 6, 7]);
  },
  'marks.name-events-that-exist': async (subject) => {
    const key = await beginFolded(subject);
    await unchanged(subject.second, key, async () => {
      for (const mark of [pins(8), pins(1, 99), unpins(50), trims(12)]) {
        await refused(subject.first.append(key, [mark]), 'INVALID_PIN');
      }
      await refused(subject.first.append(key, [pins(0)]), 'INVALID_EVENT');
      await refused(subject.first.append(key, [pins()]), 'INVALID_EVENT');
    });
  },
} satisfies Checks<SessionSubject>;
