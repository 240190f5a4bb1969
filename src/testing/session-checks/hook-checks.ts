import assert from 'node:assert/strict';
import { type BeforeAppend, type EventInput, PalimpsestError, type SeqRange } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, stateOf, unchanged } from '../expectations.ts';
import { compacts, says, sets } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

const minute = 60_000;

/** Blanks a secret wherever it stands in an event. */
const redact: BeforeAppend = (input) => JSON.parse(JSON.stringify(input).replaceAll('s3cret', '[blank]'));

/** What an event is about, in a word. */
function kindOf({ content, actions = {} }: EventInput): string {
  return typeof content === 'string' ? content : (Object.keys(actions)[0] ?? 'nothing');
}

/** Checks of the hooks that a service is opened with. */
export const hookChecks = {
  'hooks.every-append': async (subject) => {
    const { first, second, clock, hooks } = subject;
    const seen: string[] = [];
    hooks.onAppend = async (input, { sessionId }) => {
      seen.push(`${sessionId}: ${kindOf(input)}`);
      return redact(input, keyIn(subject, sessionId));
    };
    const key = await begin(subject, { state: { token: 's3cret', 'user:token': 's3cret' } });
    await first.append(key, [says('mine is s3cret', { invocationId: 'i1' }), sets({ 'app:token': 's3cret' })]);
    const imported = { id: 'old', timestamp: '2020-01-01T00:00:00Z', extensions: { adk: { raw: 's3cret' } } };
    await second.append(key, [says('imported s3cret', imported), compacts([[2, 2]])]);
    await second.append(key, [says('two', { invocationId: 'i2' })]);
    await first.rewind(key, { beforeInvocationId: 'i2' });
    await second.end(key);
    const idle = await begin(subject, { sessionId: 'idle' });
    await second.append(idle, [says('late')]);
    clock.advance(minute);
    await first.endIdle({ appName: key.appName, idleSince: new Date(clock.now() - 1).toISOString() });
    const own = [
      'stateDelta',
      'mine is s3cret',
      'stateDelta',
      'imported s3cret',
      'compaction',
      'two',
      'rewind',
      'sessionEnd',
    ];
    const byIdle = ['late', 'sessionEnd'];
    same(seen, [
      ...own.map((kind) => `${key.sessionId}: ${kind}`),
      ...byIdle.map((kind) => `${idle.sessionId}: ${kind}`),
    ]);
    const stored = JSON.stringify([await readAll(second, key), await stateOf(second, key)]);
    assert.ok(!stored.includes('s3cret'), 'the secret is in the log or in state');
    assert.equal(stored.split('[blank]').length - 1, 9, 'blanked in six places of the log and three of state');
  },
  'hooks.append-refused': async (subject) => {
    const { first, second, hooks } = subject;
    const key = await begin(subject, { state: { k: 1 } });
    await unchanged(second, key, async () => {
      hooks.onAppend = async (input) => {
        if (kindOf(input) !== 'good') throw new PalimpsestError('ABORTED', { what: 'The redaction' });
        return input;
      };
      await refused(first.append(key, [says('good'), says('bad')]), 'ABORTED');
      await refused(first.rewind(key, { beforeInvocationId: 'i1' }), 'ABORTED');
      await refused(first.end(key), 'ABORTED');
      await refused(first.create({ ...keyIn(subject, 's2'), state: { k: 1 } }), 'ABORTED');
      hooks.onAppend = () => ({ author: '' });
      await refused(first.append(key, [says('good')]), 'INVALID_ID');
    });
    assert.equal(await second.open(keyIn(subject, 's2')), undefined);
  },
  'hooks.every-removal': async (subject) => {
    const { first, second, clock, hooks } = subject;
    const key = await begin(subject);
    await first.append(key, [says('a'), says('b'), says('c')]);
    await first.fork(key, { atSeq: 2, sessionId: 'fork' });
    const told: [sessionId: string, seqs: readonly SeqRange[] | 'all', left: number][] = [];
    hooks.onErase = async ({ key: one }, seqs) => {
      const left = (await second.open(one)) === undefined ? 0 : (await readAll(second, one)).length;
      told.push([one.sessionId, seqs, left]);
      return 10;
    };
    const receipt = await first.delete(key);
    const forked: SeqRange[] = [[1, 2]];
    same(told, [
      [key.sessionId, 'all', 3],
      ['fork', forked, 2],
      ['fork', forked, 0],
      [key.sessionId, 'all', 0],
    ]);
    assert.equal(receipt.memories, 40);
    for (const removal of ['swept', 'created over', 'forked over']) {
      told.length = 0;
      const source = await begin(subject, { sessionId: `${removal} by` });
      const expired = await begin(subject, { sessionId: removal, ttlSeconds: 60 });
      clock.advance(minute);
      if (removal === 'swept') await first.sweepExpired(new Date(clock.now()).toISOString());
      else if (removal === 'created over') await first.create(expired);
      else await first.fork(source, { atSeq: 0, sessionId: removal });
      same(
        told.map(([sessionId, seqs]) => [sessionId, seqs]),
        [
          [removal, 'all'],
          [removal, 'all'],
        ],
      );
    }
  },
  'hooks.removal-refused': async (subject) => {
    const { first, second, hooks } = subject;
    const key = await begin(subject, { state: { k: 1 } });
    await first.append(key, [says('a')]);
    const fork = await first.fork(key, { atSeq: 2, sessionId: 'fork' });
    const alone = await begin(subject, { sessionId: 'alone' });
    hooks.onErase = async () => {
      throw new PalimpsestError('ABORTED', { what: 'The forgetting' });
    };
    await unchanged(second, key, () => unchanged(second, fork.key, () => refused(first.delete(key), 'ABORTED')));
    await unchanged(second, alone, () => refused(first.delete(alone), 'ABORTED'));
    hooks.onErase = async ({ key: { sessionId } }) => {
      if (sessionId === 'fork') throw new PalimpsestError('ABORTED', { what: 'The forgetting' });
      return 0;
    };
    await unchanged(second, key, () => unchanged(second, fork.key, () => refused(first.delete(key), 'ABORTED')));
    hooks.onErase = async () => 0;
    await first.delete(key);
    same(await readAll(second, fork.key), [], 'a deletion that was cut short can be made again');
  },
} satisfies Checks<SessionSubject>;
