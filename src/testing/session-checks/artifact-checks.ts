import assert from 'node:assert/strict';
import type { EventInput, SessionKey } from '../../index.ts';
import type { Checks, Proof } from '../conformance.ts';
import { readAll, refused, same, stepsOf, unchanged, upTo } from '../expectations.ts';
import { answers, says } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

const limit = 64 * 1024;

function picture(bytes: Uint8Array, more: Partial<EventInput> = {}): EventInput {
  const inlineData = { mimeType: 'image/png', data: bytes, displayName: 'a picture' };
  return { author: 'user', content: { parts: [{ text: 'look' }, { inlineData }] }, ...more };
}

function bytesOf(length: number, seed = 7): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * seed) & 0xff);
}

/** Without artifacts, nothing of them is kept, and an event that needs them is not stored at all. */
const refuses: Proof<SessionSubject> = async (subject) => {
  const key = await begin(subject);
  await subject.first.append(key, [says('a')]);
  await unchanged(subject.second, key, async () => {
    await refused(subject.first.artifacts.put(key, 'a.txt', bytesOf(3), 'text/plain'), 'NOT_SUPPORTED');
    await refused(subject.first.append(key, [says('b'), picture(bytesOf(limit + 1))]), 'NOT_SUPPORTED');
  });
};

const needsArtifacts = (
  holds: Proof<SessionSubject>,
): { holds: Proof<SessionSubject>; refuses: Proof<SessionSubject> } => ({
  holds,
  refuses,
});

/** Saves bytes under a name and records that in an event. */
function saverIn(subject: SessionSubject, key: SessionKey) {
  return async (name: string, length: number, invocationId = 'i1') => {
    const version = await subject.first.artifacts.put(key, name, bytesOf(length), 'text/plain');
    const actions = { artifactDelta: { [name]: version } };
    await subject.first.append(key, [answers('saved', { invocationId, actions })]);
  };
}

/** What artifacts there are, in words: name, version and size. */
async function versionsIn(subject: SessionSubject, key: SessionKey): Promise<readonly string[]> {
  const found = await subject.second.artifacts.list(key);
  return found.map(({ name, version, size }) =>
    name.startsWith('inline/') ? 'inline' : `${name} ${version} (${size})`,
  );
}

/** Checks of bytes that stand beside the log. */
export const artifactChecks = {
  'artifacts.versions': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const put = (n: number) => subject.first.artifacts.put(key, '报告.txt', bytesOf(n), 'text/plain');
    same([await put(1), await put(2), await put(3)], [0, 1, 2]);
    const { artifacts } = subject.second;
    assert.deepEqual((await artifacts.get(key, '报告.txt'))?.bytes, bytesOf(3));
    assert.deepEqual((await artifacts.get(key, '报告.txt', 0))?.bytes, bytesOf(1));
    assert.equal(await artifacts.get(key, '报告.txt', 9), undefined);
    assert.equal(await artifacts.get(key, 'none'), undefined);
    same(
      (await artifacts.list(key)).map(({ name, version, size, mimeType }) => [name, version, size, mimeType]),
      [0, 1, 2].map((version) => ['报告.txt', version, version + 1, 'text/plain']),
    );
    assert.equal(await artifacts.delete(key, '报告.txt'), 3);
    same(await artifacts.list(key), []);
  }),
  'artifacts.scopes': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const other = await begin(subject, { sessionId: 's2' });
    const user = { appName: key.appName, userId: key.userId };
    const { artifacts } = subject.first;
    await artifacts.put(key, 'a', bytesOf(1), 'text/plain');
    await artifacts.put(user, 'a', bytesOf(2), 'text/plain');
    assert.equal((await subject.second.artifacts.get(key, 'a'))?.size, 1);
    assert.equal((await subject.second.artifacts.get(user, 'a'))?.size, 2);
    assert.equal(await subject.second.artifacts.get(other, 'a'), undefined);
    assert.equal((await subject.first.delete(key)).artifacts, 1);
    await refused(subject.second.artifacts.get(key, 'a'), 'SESSION_NOT_FOUND');
    await subject.first.create(key);
    same(await subject.second.artifacts.list(key), [], 'they go with their session');
    assert.equal((await subject.second.artifacts.get(user, 'a'))?.size, 2);
    assert.equal((await subject.first.deleteUserData(user)).artifacts, 1);
    assert.equal(await subject.second.artifacts.get(user, 'a'), undefined);
  }),
  'artifacts.not-aliased': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const bytes = bytesOf(4);
    await subject.first.artifacts.put(key, 'a', bytes, 'text/plain');
    bytes.fill(0);
    const read = await subject.first.artifacts.get(key, 'a');
    assert.deepEqual(read?.bytes, bytesOf(4));
    read?.bytes.fill(0);
    assert.deepEqual((await subject.first.artifacts.get(key, 'a'))?.bytes, bytesOf(4));
  }),
  'artifacts.inline-moves': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const bytes = bytesOf(limit + 1000);
    await subject.first.append(key, [picture(bytes)]);
    const [event] = await readAll(subject.second, key);
    const [text, file] = event?.content?.parts ?? [];
    same(text, { text: 'look' });
    same(
      [file?.inlineData, file?.fileData?.mimeType, file?.fileData?.displayName],
      [undefined, 'image/png', 'a picture'],
    );
    assert.match(file?.fileData?.fileUri ?? '', /^artifact:./);
    const name = (file?.fileData?.fileUri ?? '').slice('artifact:'.length);
    assert.deepEqual((await subject.second.artifacts.get(key, name))?.bytes, bytes);
  }),
  'artifacts.inline-boundary': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    for (const length of [0, 1, limit - 2, limit - 1, limit]) {
      const { events } = await subject.first.append(key, [picture(bytesOf(length))]);
      const data = events[0]?.content?.parts[1]?.inlineData?.data;
      assert.ok(data === Buffer.from(bytesOf(length)).toString('base64'), `${length} bytes did not stay in the event`);
    }
    for (const length of [limit + 1, limit + 2, limit + 3]) {
      const { events } = await subject.first.append(key, [picture(bytesOf(length))]);
      assert.ok(events[0]?.content?.parts[1]?.fileData, `${length} bytes did not move out of the event`);
    }
  }),
  'artifacts.inline-again': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const event = picture(bytesOf(limit * 2), { id: 'e1' });
    const once = await subject.first.append(key, [event]);
    const again = await subject.second.append(key, [event]);
    same(again.events, once.events);
    await subject.second.append(key, [picture(bytesOf(limit * 2), { id: 'e2' })]);
    const versions = (await subject.first.artifacts.list(key)).length;
    assert.ok(versions === 1, `the same bytes are kept ${versions} times`);
  }),
  'artifacts.missing-session': needsArtifacts(async (subject) => {
    const put = subject.first.artifacts.put(keyIn(subject, 'never'), 'a', bytesOf(1), 'text/plain');
    await refused(put, 'SESSION_NOT_FOUND');
    await refused(subject.first.artifacts.put(await begin(subject), '', bytesOf(1), 'text/plain'), 'INVALID_ARGUMENT');
    same(await subject.second.artifacts.list(keyIn(subject)), []);
  }),
  'artifacts.bad-input': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const { artifacts } = subject.first;
    for (const name of ['a', 'b']) await artifacts.put(key, name, bytesOf(1), 'text/plain');
    const bad = (argument: string, call: unknown) => refused(Promise.resolve(call), 'INVALID_ARGUMENT', { argument });
    for (const name of [undefined, null, '', {}, 7, 'a\0b', '\ud800', 'x'.repeat(1025)]) {
      // Callers without types may hand over anything.
      const given = name as string;
      await bad('name', artifacts.put(key, given, bytesOf(1), 'text/plain'));
      await bad('name', artifacts.get(key, given));
      await bad('name', artifacts.delete(key, given));
    }
    for (const version of [-1, 1.5, Number.NaN, null, 'newest']) {
      await bad('version', artifacts.get(key, 'a', version as number));
    }
    for (const mimeType of ['', 'a/b\0c', 'a/b\r\nx: y', '\ud800/b', undefined, 'x'.repeat(1025)]) {
      await bad('mimeType', artifacts.put(key, 'c', bytesOf(1), mimeType as string));
    }
    const numbers: Uint8Array = JSON.parse('[1, 2]');
    await bad('bytes', artifacts.put(key, 'c', numbers, 'text/plain'));
    same(
      (await subject.second.artifacts.list(key)).map(({ name }) => name),
      ['a', 'b'],
    );
  }),
  'artifacts.gone-when-over': needsArtifacts(async (subject) => {
    const key = await begin(subject, { ttlSeconds: 60 });
    await subject.first.artifacts.put(key, 'a', bytesOf(1), 'text/plain');
    subject.clock.advance(60_000);
    for (const { artifacts } of [subject.first, subject.second]) {
      await refused(artifacts.get(key, 'a'), 'SESSION_NOT_FOUND');
      await refused(artifacts.list(key), 'SESSION_NOT_FOUND');
      await refused(artifacts.put(key, 'a', bytesOf(1), 'text/plain'), 'SESSION_NOT_FOUND');
      await refused(artifacts.delete(key, 'a'), 'SESSION_NOT_FOUND');
    }
    await subject.second.create(key);
    same(await subject.first.artifacts.list(key), [], 'nothing is left of the life before');
  }),
  'artifacts.rewound': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const save = async (name: string, length: number, invocationId: string) => {
      const version = await subject.first.artifacts.put(key, name, bytesOf(length), 'text/plain');
      await subject.first.append(key, [
        answers('saved', { invocationId, actions: { artifactDelta: { [name]: version } } }),
      ]);
    };
    await save('plan', 1, 'i1');
    await save('plan', 2, 'i2');
    await save('fresh', 3, 'i2');
    await save('user:mine', 4, 'i2');
    const event = await subject.second.rewind(key, { beforeInvocationId: 'i2' });
    same(event.actions.artifactDelta, { fresh: 1, plan: 2 });
    const { artifacts } = subject.second;
    assert.deepEqual((await artifacts.get(key, 'plan'))?.bytes, bytesOf(1), 'the bytes are those of before');
    assert.deepEqual((await artifacts.get(key, 'plan', 1))?.bytes, bytesOf(2), 'no version is lost');
    assert.equal((await artifacts.get(key, 'fresh'))?.size, 0);
    assert.equal((await artifacts.get(key, 'user:mine'))?.size, 4);
  }),
  'artifacts.follow-a-fork': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const bytes = bytesOf(limit * 2);
    const { version } = await subject.first.append(key, [picture(bytes)]);
    const fork = await subject.first.fork(key, { atSeq: version, sessionId: 'fork' });
    const [event] = await readAll(subject.second, fork.key);
    const name = (event?.content?.parts[1]?.fileData?.fileUri ?? '').slice('artifact:'.length);
    assert.deepEqual((await subject.second.artifacts.get(fork.key, name))?.bytes, bytes);
  }),
  'artifacts.fork-as-of': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const save = saverIn(subject, key);
    await save('文档', 1);
    await save('rewound', 2, 'i2');
    await subject.first.artifacts.put(key, 'never named', bytesOf(3), 'text/plain');
    const { seq } = await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    await save('文档', 4);
    await save('later', 5);
    const fork = await subject.second.fork(key, { atSeq: seq, sessionId: 'fork' });
    same(await versionsIn(subject, fork.key), ['rewound 0 (2)', 'rewound 1 (0)', '文档 0 (1)']);
    assert.deepEqual((await subject.second.artifacts.get(fork.key, '文档'))?.bytes, bytesOf(1));
  }),
  'artifacts.put-and-delete': needsArtifacts(async (subject) => {
    for (const round of upTo(30)) {
      const key = await begin(subject, { sessionId: `s${round}` });
      const deleting = subject.second.delete(key);
      await stepsOf(round);
      const putting = subject.first.artifacts.put(key, 'a', bytesOf(1), 'text/plain');
      await Promise.allSettled([putting, deleting]);
      await subject.second.create(key);
      same(await subject.first.artifacts.list(key), []);
    }
  }),
  'artifacts.copies-go': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const save = saverIn(subject, key);
    for (const name of ['doc', 'kept', 'dropped', 'restored']) await save(name, 1);
    await subject.first.append(key, [picture(bytesOf(limit * 2)), picture(bytesOf(limit * 2, 5))]);
    const fork = await subject.first.fork(key, { atSeq: 6, sessionId: 'fork' });
    const own = saverIn(subject, fork.key);
    await own('doc', 2);
    await own('mine', 3);
    await own('restored', 4, 'again');
    await subject.second.rewind(fork.key, { beforeInvocationId: 'again' });
    await subject.first.artifacts.put(fork.key, 'unnamed', bytesOf(5), 'text/plain');
    assert.equal(await subject.first.artifacts.delete(fork.key, 'dropped'), 1);
    await own('dropped', 6);
    const quotes = { artifactDelta: { kept: 0 } };
    await subject.first.append(fork.key, [picture(bytesOf(limit * 2)), answers('quotes', { actions: quotes })]);
    const grandchild = await subject.second.fork(fork.key, { atSeq: 13, sessionId: 'grandchild' });
    const left = [
      'doc 1 (2)',
      'dropped 1 (6)',
      'inline',
      'kept 0 (1)',
      'mine 0 (3)',
      'restored 1 (4)',
      'restored 2 (0)',
    ];
    const receipt = await subject.second.delete(key);
    same(await versionsIn(subject, fork.key), [...left, 'unnamed 0 (5)'], 'what is its own or quoted in it stays');
    same(await versionsIn(subject, grandchild.key), left);
    assert.equal(receipt.artifacts, 6 + 4 + 4);
  }),
  'artifacts.restored-copies-go': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    for (const name of ['own', 'again', 'quoted']) await saverIn(subject, key)(name, 1);
    const fork = await subject.first.fork(key, { atSeq: 3, sessionId: 'fork' });
    const save = saverIn(subject, fork.key);
    await save('own', 1, 'equal bytes');
    for (const name of ['own', 'again', 'quoted']) await save(name, 2, 'draft');
    await subject.second.rewind(fork.key, { beforeInvocationId: 'draft' });
    await save('again', 3, 'second draft');
    await subject.second.rewind(fork.key, { beforeInvocationId: 'second draft' });
    await subject.first.append(fork.key, [answers('quotes', { actions: { artifactDelta: { quoted: 2 } } })]);
    const grandchild = await subject.second.fork(fork.key, { atSeq: 11, sessionId: 'grandchild' });
    await subject.second.delete(key);
    const { artifacts } = subject.first;
    for (const one of [fork.key, grandchild.key]) {
      const emptied = await artifacts.get(one, 'again');
      same([emptied?.version, emptied?.mimeType], [4, 'application/octet-stream'], 'no draft counts again');
      assert.deepEqual(emptied?.bytes, bytesOf(0));
      same(await versionsIn(subject, one), [
        ...['again 1 (2)', 'again 2 (0)', 'again 3 (3)', 'again 4 (0)'],
        ...['own 1 (1)', 'own 2 (2)', 'own 3 (1)', 'quoted 1 (2)', 'quoted 2 (1)'],
      ]);
    }
    assert.equal(await artifacts.put(fork.key, 'again', bytesOf(5), 'text/plain'), 5);
  }),
  'artifacts.uris-mean-the-same': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const save = saverIn(subject, key);
    await save('r', 1);
    await save('r', 2);
    const fork = await subject.first.fork(key, { atSeq: 2, sessionId: 'fork' });
    const fileData = { fileUri: 'artifact:r', mimeType: 'text/plain' };
    await subject.first.append(fork.key, [says('own'), { author: 'user', content: { parts: [{ fileData }] } }]);
    await saverIn(subject, fork.key)('r', 3);
    await subject.second.delete(key);
    same(await versionsIn(subject, fork.key), ['r 1 (2)', 'r 2 (3)'], 'the version that was newest then');
  }),
  'artifacts.numbers-of-copies': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const save = saverIn(subject, key);
    await save('a', 1);
    await save('a', 2, 'i2');
    const fork = await subject.first.fork(key, { atSeq: 2, sessionId: 'fork' });
    assert.equal(await subject.first.artifacts.delete(fork.key, 'a'), 2);
    const { actions } = await subject.second.rewind(fork.key, { beforeInvocationId: 'i2' });
    same(actions.artifactDelta, { a: 2 });
    assert.equal(await subject.first.artifacts.put(fork.key, 'a', bytesOf(4), 'text/plain'), 3);
  }),
} satisfies Checks<SessionSubject>;
