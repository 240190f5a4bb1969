import assert from 'node:assert/strict';
import type { ListOptions, SessionKey, SessionService } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { everyPage, readAll, refused, same, seqsOf, textsOf, upTo } from '../expectations.ts';
import { answers, compacts, pins, says, sets } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

async function beginTen(subject: SessionSubject): Promise<SessionKey> {
  const key = await begin(subject);
  await subject.first.append(
    key,
    upTo(10).map((n) => says(`m${n}`, { invocationId: `i${n % 3}` })),
  );
  return key;
}

async function listAll(
  subject: SessionSubject,
  options: Omit<ListOptions, 'appName'> = {},
): Promise<readonly string[]> {
  const { appName } = keyIn(subject);
  const items = await everyPage((cursor) =>
    subject.second.list({ appName, ...options, ...(cursor === undefined ? {} : { cursor }) }),
  );
  return items.map((info) => info.key.sessionId);
}

/** Checks of reading logs and listing sessions. */
export const readChecks = {
  'read.bounds': async (subject) => {
    const key = await beginTen(subject);
    const seqs = async (options: object) => seqsOf(await readAll(subject.second, key, options));
    same(await seqs({ fromSeq: 4 }), [4, 5, 6, 7, 8, 9, 10]);
    same(await seqs({ toSeq: 3 }), [1, 2, 3]);
    same(await seqs({ fromSeq: 3, toSeq: 5 }), [3, 4, 5]);
    same(await seqs({ fromSeq: 3, toSeq: 5, newestFirst: true }), [5, 4, 3]);
    same(await seqs({ fromSeq: 5, toSeq: 5 }), [5]);
    same(await seqs({ fromSeq: 11 }), []);
    same(await seqs({ fromSeq: 5, toSeq: 4 }), []);
  },
  'read.pages': async (subject) => {
    const key = await beginTen(subject);
    for (const newestFirst of [false, true]) {
      for (const limit of [1, 3, 9, 10, 11]) {
        const first = await subject.first.read(key, { newestFirst, limit });
        same(first.items.length, Math.min(limit, 10));
        if (limit !== 10)
          same(first.nextCursor === undefined, limit > 10, `limit ${limit}: a cursor where more follows`);
        const all = seqsOf(await readAll(subject.second, key, { newestFirst, limit }));
        same(all, newestFirst ? upTo(10).toReversed() : upTo(10));
      }
    }
    const window = { fromSeq: 2, toSeq: 8, limit: 3, newestFirst: true };
    same(seqsOf(await readAll(subject.second, key, window)), [8, 7, 6, 5, 4, 3, 2]);
  },
  'read.pages-stay-put': async (subject) => {
    const key = await beginTen(subject);
    const page = await subject.first.read(key, { newestFirst: true, limit: 4 });
    await subject.second.append(key, [says('late'), says('later')]);
    const next = await subject.first.read(key, { newestFirst: true, limit: 4, ...cursorOf(page) });
    same([...seqsOf(page.items), ...seqsOf(next.items)], [10, 9, 8, 7, 6, 5, 4, 3]);
    const forward = await subject.first.read(key, { limit: 10 });
    same(seqsOf(forward.items), upTo(10));
    same(seqsOf((await subject.second.read(key, { limit: 10, ...cursorOf(forward) })).items), [11, 12]);
  },
  'read.invocation': async (subject) => {
    const key = await beginTen(subject);
    same(seqsOf(await readAll(subject.second, key, { invocationId: 'i1' })), [1, 4, 7, 10]);
    same(
      seqsOf(await readAll(subject.second, key, { invocationId: 'i1', newestFirst: true, limit: 2 })),
      [10, 7, 4, 1],
    );
    same(seqsOf(await readAll(subject.second, key, { invocationId: 'i2', fromSeq: 3, toSeq: 7 })), [5]);
    same(await readAll(subject.second, key, { invocationId: 'none' }), []);
    await subject.first.append(key, [answers('x'), answers('y')]);
    same(seqsOf(await readAll(subject.second, key, { invocationId: 'i1' })), [1, 4, 7, 10, 11, 12]);
  },
  'read.limits': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(
      key,
      upTo(150).map((n) => says(`m${n}`)),
    );
    same((await subject.second.read(key)).items.length, 100);
    same((await subject.second.read(key, { limit: 1000 })).items.length, 150);
    for (const limit of [0, -1, 1.5, 1001, Number.NaN]) {
      await refused(subject.first.read(key, { limit }), 'INVALID_ARGUMENT', { argument: 'limit' });
      await refused(subject.first.list({ appName: key.appName, limit }), 'INVALID_ARGUMENT', { argument: 'limit' });
    }
    await refused(subject.first.read(key, { fromSeq: -1 }), 'INVALID_ARGUMENT');
    await refused(subject.first.read(key, { toSeq: 1.5 }), 'INVALID_ARGUMENT');
  },
  'read.bad-cursor': async (subject) => {
    const key = await begin(subject);
    for (const cursor of ['', 'nonsense', 'WyJ4Il0', '💥']) {
      await refused(subject.first.read(key, { cursor }), 'INVALID_ARGUMENT', { argument: 'cursor' });
      await refused(subject.first.list({ appName: key.appName, cursor }), 'INVALID_ARGUMENT', { argument: 'cursor' });
    }
  },
  'read.missing-session': async (subject) => {
    const key = keyIn(subject, 'never');
    assert.equal(await subject.first.open(key), undefined);
    const calls: readonly ((service: SessionService) => Promise<unknown>)[] = [
      (service) => service.read(key),
      (service) => service.readEffective(key),
      (service) => service.readBookkeeping(key),
      (service) => service.readText(key, 'a'.repeat(64)),
      (service) => service.readLive(key, { agentName: 'a', history: 'full', provider: 'gemini' }),
      (service) => service.rewind(key, { beforeInvocationId: 'i1' }),
      (service) => service.fork(key, { atSeq: 1 }),
      (service) => service.end(key),
      (service) => service.delete(key),
      (service) => service.acquireLease(key, 'run'),
    ];
    for (const call of calls) await refused(call(subject.first), 'SESSION_NOT_FOUND', { sessionId: 'never' });
  },
  'read.effective': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a', { invocationId: 'i1' }), answers('b'), pins(1)]);
    await subject.first.append(key, [says('c', { invocationId: 'i2' }), answers('d'), compacts([[2, 2]])]);
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    await subject.first.append(key, [says('e'), answers('f')]);
    await subject.first.end(key);
    for (const limit of [1, 2, 3, 100]) {
      for (const newestFirst of [false, true]) {
        const events = await everyPage((cursor) =>
          subject.second.readEffective(key, { limit, newestFirst, ...(cursor === undefined ? {} : { cursor }) }),
        );
        same(textsOf(events), newestFirst ? ['f', 'e', 'b', 'a'] : ['a', 'b', 'e', 'f'], `limit ${limit}`);
      }
    }
  },
  'read.bookkeeping': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a', { invocationId: 'i1' }), pins(1), answers('b'), compacts([[3, 3]])]);
    await subject.first.rewind(key, { beforeInvocationId: 'i1' });
    await subject.first.end(key);
    const all = await readAll(subject.first, key);
    same(
      await subject.second.readBookkeeping(key),
      all.filter((event) => [2, 4, 5, 6].includes(event.seq)),
    );
  },
  'list.pages': async (subject) => {
    const ids = upTo(12).map((n) => `s${n}`);
    for (const sessionId of ids) {
      await begin(subject, { sessionId });
      if (sessionId !== 's5') subject.clock.advance(sessionId === 's6' ? 1 : 1000);
    }
    for (const limit of [1, 5, 12, 50]) {
      const oldest = await listAll(subject, { limit, order: 'oldestFirst' });
      same([...oldest].sort(), [...ids].sort(), 'every session once');
      same(oldest, ids);
      same(await listAll(subject, { limit }), ids.toReversed());
      const page = await subject.second.list({ appName: keyIn(subject).appName, limit });
      same(page.items.length, Math.min(limit, ids.length));
    }
  },
  'list.by-activity': async (subject) => {
    for (const sessionId of ['a', 'b', 'c']) await begin(subject, { sessionId });
    subject.clock.advance(2000);
    await subject.first.append(keyIn(subject, 'b'), [says('x')]);
    subject.clock.advance(2000);
    await subject.first.append(keyIn(subject, 'a'), [says('x')]);
    same(await listAll(subject), ['a', 'b', 'c']);
    same(await listAll(subject, { order: 'oldestFirst' }), ['c', 'b', 'a']);
  },
  'list.filters': async (subject) => {
    await begin(subject, { sessionId: 'a', userId: 'u1', projectId: 'p1' });
    await begin(subject, { sessionId: 'b', userId: 'u1', projectId: 'p2' });
    await begin(subject, { sessionId: 'c', userId: 'u2', projectId: 'p1' });
    await begin(subject, { sessionId: 'd', userId: 'u2' });
    const ids = async (options: Omit<ListOptions, 'appName'>) => [...(await listAll(subject, options))].sort();
    same(await ids({}), ['a', 'b', 'c', 'd']);
    same(await ids({ userId: 'u1' }), ['a', 'b']);
    same(await ids({ projectId: 'p1' }), ['a', 'c']);
    same(await ids({ userId: 'u2', projectId: 'p1', limit: 1 }), ['c']);
    same(await ids({ userId: 'u3' }), []);
    same((await subject.second.list({ appName: `${keyIn(subject).appName}-b` })).items, []);
  },
  'list.no-state': async (subject) => {
    const key = await begin(subject, {
      state: { k: 1, 'app:k': 1 },
      metadata: { title: '标题' },
      projectId: 'p',
      ttlSeconds: 60,
    });
    await subject.first.append(key, [says('a'), sets({ k: 2 })]);
    const [info] = (await subject.second.list({ appName: key.appName })).items;
    assert.ok(info && !('state' in info) && !('events' in info), 'a list carries more than facts');
    const { state: _, ...opened } = (await subject.second.open(key)) ?? assert.fail('is gone');
    same(info, opened);
    same(info.metadata, { title: '标题' });
  },
} satisfies Checks<SessionSubject>;

function cursorOf(page: { readonly nextCursor?: string }): { cursor?: string } {
  return page.nextCursor === undefined ? {} : { cursor: page.nextCursor };
}
