import assert from 'node:assert/strict';
import type { EventInput } from '../../index.ts';
import type { Checks, Proof } from '../conformance.ts';
import { readAll, refused, same, unchanged } from '../expectations.ts';
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
    assert.equal(await subject.second.artifacts.get(key, 'a'), undefined, 'they go with their session');
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
} satisfies Checks<SessionSubject>;
