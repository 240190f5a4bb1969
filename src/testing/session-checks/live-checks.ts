import assert from 'node:assert/strict';
import { assemble, type Event, type EventInput, type SessionKey, type SessionService, type View } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, seqsOf } from '../expectations.ts';
import { answers, calls, compacts, pins, returns, says, trims, unpins } from '../sample-events.ts';
import { begin, type SessionSubject } from '../session-subject.ts';

const plain: View = { agentName: 'assistant', history: 'full', provider: 'anthropic' };
const views: readonly View[] = [
  plain,
  { ...plain, provider: 'gemini', history: 'invocation' },
  { ...plain, provider: 'openai', history: { window: { invocations: 1 } } },
  { ...plain, branch: 'root' },
  { ...plain, branch: 'root.a', agentName: 'other' },
  { ...plain, isolationScope: 'task' },
];

/** Fails unless the window of every view assembles to what the whole log assembles to. */
async function sameRequests(service: SessionService, key: SessionKey): Promise<void> {
  const log = await readAll(service, key);
  for (const view of views) {
    const { events, version } = await service.readLive(key, view);
    same(version, log.at(-1)?.seq ?? 0, 'the version is that of the log');
    const [partial, whole] = [assemble(events, view), assemble(log, view)];
    same(partial.contents, whole.contents, `the request of ${JSON.stringify(view)}`);
    for (const { seq } of events) same(partial.placement(seq), whole.placement(seq), `the placement of ${seq}`);
  }
}

/** The events of a window that are no bookkeeping. */
async function said(service: SessionService, key: SessionKey, view: View = plain): Promise<readonly Event[]> {
  const { events } = await service.readLive(key, view);
  return events.filter(({ author }) => author !== 'system');
}

const task: Partial<EventInput> = { isolationScope: 'task' };

/** Checks of reading what the next request is made of. */
export const liveChecks = {
  'live.same-request': async (subject) => {
    const key = await begin(subject, { state: { unit: 'Celsius' } });
    const steps: readonly (readonly EventInput[])[] = [
      [says('今天天气怎么样？', { invocationId: 'i1' }), calls('c1'), returns('c1'), answers('Warm.')],
      [says('in the task', { ...task, invocationId: 'i2' }), answers('done', task)],
      [{ author: 'other', content: 'on a branch', branch: 'root.a.b' }, compacts([[2, 5]])],
      [compacts([[6, 7]], { isolationScope: 'task' }), says('and tomorrow?', { invocationId: 'i3' }), calls('c2')],
      [pins(2, 4), trims(4), compacts([[11, 12]]), { ...returns('c2'), author: 'user' }],
      [
        compacts(
          [
            [2, 5],
            [11, 12],
          ],
          { supersedes: [9, 15] },
        ),
        unpins(4),
      ],
      [says('again', { invocationId: 'i4' }), answers('yes'), compacts([[19, 20]])],
    ];
    for (const events of steps) {
      await subject.first.append(key, events);
      await sameRequests(subject.first, key);
      await sameRequests(subject.second, key);
    }
    for (const beforeInvocationId of ['i4', 'i3']) {
      await subject.second.rewind(key, { beforeInvocationId });
      await sameRequests(subject.first, key);
    }
  },
  'live.covered-left-out': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('q'), calls('c1'), returns('c1'), answers('a'), says('r'), answers('b')]);
    await subject.first.append(key, [compacts([[1, 4]])]);
    same(seqsOf(await said(subject.second, key)), [5, 6]);
    await subject.first.append(key, [compacts([[1, 6]], { supersedes: [7] }), says('s')]);
    const { events, coverage } = await subject.second.readLive(key, plain);
    same(seqsOf(events), [8, 9], 'neither what is covered nor a superseded summary');
    same(coverage.coveredBy(2), 8);
    await sameRequests(subject.second, key);
  },
  'live.rewound-left-out': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('q', { invocationId: 'i1' }), answers('a')]);
    await subject.first.append(key, [says('r', { invocationId: 'i2' }), answers('b'), compacts([[1, 4]])]);
    same(seqsOf(await said(subject.first, key)), []);
    await subject.second.rewind(key, { beforeInvocationId: 'i2' });
    same(seqsOf(await said(subject.first, key)), [1, 2], 'raw again, since the summary is hidden');
    await sameRequests(subject.first, key);
  },
  'live.calls-of-late-responses': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('q'), calls('late'), calls('c1'), returns('c1'), answers('wait')]);
    await subject.first.append(key, [compacts([[1, 5]]), returns('late')]);
    same(seqsOf(await said(subject.second, key)), [2, 7]);
    await sameRequests(subject.second, key);
    const unnamed = (part: 'functionCall' | 'functionResponse'): EventInput => ({
      author: 'assistant',
      content: { parts: [{ [part]: { name: 'look_up' } }] },
    });
    await subject.first.append(key, [unnamed('functionCall'), answers('moment'), compacts([[8, 9]])]);
    await subject.first.append(key, [unnamed('functionResponse')]);
    await sameRequests(subject.second, key);
    assert.ok(seqsOf(await said(subject.second, key)).includes(8), 'a response without an id finds its call');
  },
  'live.pins': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('q'), calls('c1'), returns('c1', '长'.repeat(40)), answers('a'), says('r')]);
    await subject.first.append(key, [trims(3), compacts([[1, 4]]), pins(2)]);
    same(seqsOf(await said(subject.second, key)), [2, 3, 5], 'a pinned call brings its response');
    await sameRequests(subject.second, key);
    await subject.first.append(key, [unpins(2), pins(1)]);
    same(seqsOf(await said(subject.second, key)), [1, 5]);
    await sameRequests(subject.second, key);
  },
  'live.question': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('q'), calls('c1'), returns('c1'), compacts([[1, 3]])]);
    same(seqsOf(await said(subject.second, key)), [1], 'a question that waits for its answer');
    await sameRequests(subject.second, key);
    await subject.first.append(key, [answers('a'), compacts([[5, 5]])]);
    same(seqsOf(await said(subject.second, key)), []);
    await sameRequests(subject.second, key);
  },
  'live.ended-branches': async (subject) => {
    const key = await begin(subject);
    const below = { branch: 'root.a' };
    await subject.first.append(key, [says('q'), answers('found it', below)]);
    await subject.first.append(key, [{ author: 'assistant', ...below, actions: { endOfAgent: true } }]);
    await subject.first.append(key, [compacts([[2, 3]], below), answers('and more', below)]);
    const onRoot: View = { ...plain, branch: 'root' };
    const { events } = await subject.second.readLive(key, onRoot);
    assert.match(JSON.stringify(assemble(events, onRoot).contents), /and more/);
    await sameRequests(subject.second, key);
  },
  'live.one-moment': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('q'), answers('a')]);
    const reads = Promise.all(Array.from({ length: 5 }, () => subject.second.readLive(key, plain)));
    await subject.first.append(key, [compacts([[1, 2]]), says('r')]);
    for (const { events, coverage, version } of [...(await reads), await subject.second.readLive(key, plain)]) {
      same(version, version >= 3 ? 4 : 2, 'a batch is seen whole or not at all');
      same(seqsOf(events), version === 2 ? [1, 2] : [3, 4]);
      same(coverage.coveredBy(1), version === 2 ? undefined : 3);
      assert.ok(Object.isFrozen(events), 'the list of events is not frozen');
    }
  },
  'live.bad-view': async (subject) => {
    const key = await begin(subject);
    for (const bad of [undefined, null, 'full', []]) {
      const view = bad as object as View;
      await refused(subject.first.readLive(key, view), 'INVALID_ARGUMENT', { argument: 'view' });
    }
    await refused(subject.first.readLive(key, { ...plain, branch: '' }), 'INVALID_ID', { field: 'view.branch' });
    const scoped = { ...plain, isolationScope: ' task' };
    await refused(subject.first.readLive(key, scoped), 'INVALID_ID', { field: 'view.isolationScope' });
  },
} satisfies Checks<SessionSubject>;
