import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import { answersRequest, requestText } from '../testing/index.ts';
import { openPalimpsest, type User } from './index.ts';

const texts = async (user: User) => (await user.memories()).items.map(({ text }) => text);

describe('a user', () => {
  it('opens no session of another project, in which what is said would be remembered', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    await user.session('bare');
    await user.project('acme').session('s1');
    const details = { argument: 'projectId' };
    await expect(user.project('other').session('s1')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details });
    await expect(user.project('acme').session('bare')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details });
    expect((await user.session('s1')).info.projectId).toBe('acme');
  });

  it('remembers, recalls with provenance, lists and forgets one entry', async () => {
    await using palimpsest = await openPalimpsest({ appName: 'weather' });
    const user = palimpsest.user('u1');
    const entry = await user.remember('Prefers Celsius', { labels: ['unit'] });
    expect(entry).toMatchObject({ text: 'Prefers Celsius', labels: ['unit'], kind: 'fact', author: 'user' });
    await user.remember('喜欢喝乌龙茶');
    expect((await user.recall('celsius?')).memories).toMatchObject([{ id: entry.id, matchedTerms: ['celsius'] }]);
    expect((await user.recall('乌龙茶')).memories.map(({ text }) => text)).toEqual(['喜欢喝乌龙茶']);
    expect(entry.provenance).toMatchObject([{ kind: 'direct' }]);
    expect(await user.forget({ id: entry.id })).toBe(1);
    expect(await user.forget({ id: entry.id })).toBe(0);
    expect(await texts(user)).toEqual(['喜欢喝乌龙茶']);
  });

  it('forgets what came from a session, only that, and does not learn it again', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    await user.remember('Prefers Celsius');
    const session = await user.session('s1');
    await session.append([
      { author: 'user', content: 'I live in Oslo.' },
      { author: 'assistant', content: 'Noted.' },
    ]);
    await palimpsest.settled();
    expect(await user.forget({ sessionId: 's1' })).toBe(2);
    await session.append([
      { author: 'user', content: 'And I ski.' },
      { author: 'assistant', content: 'Nice.' },
    ]);
    await palimpsest.settled();
    expect((await texts(user)).sort()).toEqual(['And I ski.', 'Nice.', 'Prefers Celsius']);
  });

  it('forgets the texts of requests that may quote what is forgotten, and no others', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const [direct, other] = [await user.remember('喜欢喝乌龙茶'), await user.remember('Prefers Celsius')];
    const told = await user.session('told');
    await told.append([
      { author: 'user', content: 'I live in 奥斯陆.' },
      { author: 'assistant', content: 'Noted.' },
    ]);
    await palimpsest.settled();
    const { memories } = await user.recall('奥斯陆', { limit: 1 });
    const texts = await Promise.all(
      [direct, other, ...memories].map(({ text, provenance }) => requestText(text, ...provenance)),
    );
    const asked = await user.session('asked');
    await palimpsest.sessions.append(asked.key, [answersRequest(texts)], { texts });
    const kept = async () => {
      const read = await Promise.all(texts.map(({ hash }) => palimpsest.sessions.readText(asked.key, hash)));
      return read.map((json) => json !== undefined);
    };
    expect(await kept()).toEqual([true, true, true]);
    expect(await user.forget({ id: direct.id })).toBe(1);
    expect(await kept()).toEqual([false, true, true]);
    expect(await user.forget({ sessionId: 'told' })).toBe(2);
    expect(await kept()).toEqual([false, true, false]);
    expect(await user.forget({ sessionId: 'told' })).toBe(0);
    expect(await user.forget({ id: 'nothing' })).toBe(0);
    expect(await kept()).toEqual([false, true, false]);
  });

  it('forgets the texts that quote what is found only from a session', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const scope = { appName: 'default', userId: 'u1', sessionId: 'gone' };
    const [entry] = await palimpsest.memory.add(scope, [{ text: '只在这里' }]);
    const text = await requestText('只在这里', ...(entry?.provenance ?? []));
    const { key } = await user.session('asked');
    await palimpsest.sessions.append(key, [answersRequest([text])], { texts: [text] });
    expect(await user.forget({ sessionId: 'gone' })).toBe(1);
    expect(await palimpsest.sessions.readText(key, text.hash)).toBeUndefined();
  });

  it('pages through memories and sessions', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    for (let i = 0; i < 7; i++) {
      await user.remember(`statement ${i}`);
      await user.session(`s${i}`);
    }
    const pagesOf = async (read: (cursor?: string) => Promise<{ items: readonly unknown[]; nextCursor?: string }>) => {
      const sizes: number[] = [];
      for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
        const page = await read(cursor);
        sizes.push(page.items.length);
        cursor = page.nextCursor;
      }
      return sizes;
    };
    const from = (cursor?: string) => ({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
    expect(await pagesOf((cursor) => user.memories(from(cursor)))).toEqual([3, 3, 1]);
    expect(await pagesOf((cursor) => user.sessions(from(cursor)))).toEqual([3, 3, 1]);
  });

  it('cuts a recall to its limit and to its token budget', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    for (let i = 0; i < 12; i++) await user.remember(`The meeting number ${i} is about budgets and plans.`);
    expect((await user.recall('meeting budgets')).memories).toHaveLength(10);
    expect((await user.recall('meeting budgets', { limit: 2 })).memories).toHaveLength(2);
    expect((await user.recall('meeting budgets', { limit: 0 })).memories).toHaveLength(0);
    const cut = await user.recall('meeting budgets', { tokenBudget: 30 });
    expect(cut.truncated).toBe(true);
    expect(cut.memories.length).toBeGreaterThan(0);
    expect(cut.memories.length).toBeLessThan(4);
  });

  it('makes one session when many callers open it at once', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const opened = await Promise.all(Array.from({ length: 8 }, () => user.session('s1', { state: { a: 1 } })));
    expect(new Set(opened.map(({ info }) => info.incarnation)).size).toBe(1);
    expect(opened.map(({ version }) => version)).toEqual(opened.map(() => 1));
  });
});

describe('scopes', () => {
  it('keep users, apps and projects apart; what is global is seen inside a project', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const acme = user.project('acme');
    const other = user.project('other');
    await user.remember('Speaks Norwegian.');
    await acme.remember('The acme server speaks SMTP.');
    const session = await acme.session('s1');
    await session.append([
      { author: 'user', content: 'Nobody outside speaks of the merger.' },
      { author: 'assistant', content: 'Nobody speaks.' },
    ]);
    await palimpsest.settled();
    expect(session.info.projectId).toBe('acme');
    const recalled = async (who: User) => (await who.recall('speaks')).memories.map(({ text }) => text).sort();
    const ofProject = ['Nobody outside speaks of the merger.', 'Nobody speaks.', 'The acme server speaks SMTP.'];
    const inside = [...ofProject, 'Speaks Norwegian.'].sort();
    expect(await recalled(acme)).toEqual(inside);
    expect(await recalled(user)).toEqual(['Speaks Norwegian.']);
    expect(await recalled(other)).toEqual(['Speaks Norwegian.']);
    expect(await recalled(palimpsest.user('u2'))).toEqual([]);
    expect(await texts(palimpsest.user('u2').project('acme'))).toEqual([]);
    expect((await other.sessions()).items).toEqual([]);
    expect((await acme.sessions()).items).toHaveLength(1);
  });

  it('cannot be widened by options that name another scope', async () => {
    await using palimpsest = await openPalimpsest();
    const victim = palimpsest.user('victim');
    await victim.remember('The secret is tea.');
    await victim.session('s1');
    const user = palimpsest.user('u1');
    const scope = { appName: 'default', userId: 'victim' };
    const body: object = { ...scope, scope, query: 'secret' };
    await expect(user.recall('secret', body)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect((await user.sessions(body)).items).toEqual([]);
    expect((await user.memories(body)).items).toEqual([]);
    const session = await user.session('own', body);
    expect(session.key).toEqual({ appName: 'default', userId: 'u1', sessionId: 'own' });
    await session.append([{ author: 'user', content: 'What is the secret?' }]);
    const context = palimpsest.context(session.key, { recall: body });
    await expect(context).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('are values, so that no id can be mistaken for a path', async () => {
    await using palimpsest = await openPalimpsest({ appName: 'a' });
    for (const [userId, projectId] of [
      ['b/c', 'd'],
      ['b', 'c/d'],
      ['__proto__', 'constructor'],
      ['用户 🙂', '项目:1'],
    ] as const) {
      await palimpsest.user(userId).project(projectId).remember(`only ${userId} in ${projectId}`);
      expect(await texts(palimpsest.user(userId).project(projectId))).toEqual([`only ${userId} in ${projectId}`]);
      expect(await texts(palimpsest.user(userId))).toEqual([]);
    }
  });
});

describe('bad input', () => {
  const calls: readonly (readonly [string, (user: User) => unknown, string])[] = [
    ['an empty session id', (user) => user.session(''), 'sessionId'],
    ['no session id', (user) => user.session(undefined as never), 'sessionId'],
    ['a project that is missing', (user) => user.project(undefined as never), 'projectId'],
    ['a project with white space at its end', (user) => user.project('acme '), 'projectId'],
    ['a blank statement', (user) => user.remember('  '), 'memories[0].text'],
    ['a number as a statement', (user) => user.remember(5 as never), 'memories[0].text'],
    ['a label for labels', (user) => user.remember('x', { labels: 'a' as never }), 'memories[0].labels'],
    ['no query', (user) => user.recall(undefined as never), 'query'],
    ['a negative limit', (user) => user.recall('x', { limit: -1 }), 'limit'],
    ['half a limit', (user) => user.recall('x', { limit: 1.5 }), 'limit'],
    ['a negative budget', (user) => user.recall('x', { tokenBudget: -1 }), 'tokenBudget'],
    ['a page of nothing', (user) => user.memories({ limit: 0 }), 'limit'],
    ['null for a page of memories', (user) => user.memories(null as never), 'page'],
    ['a foreign cursor', (user) => user.memories({ cursor: 'x' }), 'cursor'],
    ['a foreign session cursor', (user) => user.sessions({ cursor: 'x' }), 'cursor'],
    ['a selector that selects nothing', (user) => user.forget({} as never), 'selector'],
    ['no selector', (user) => user.forget(undefined as never), 'selector'],
    ['an empty id to forget', (user) => user.forget({ id: '' }), 'selector.id'],
    ['a time to live of no length', (user) => user.session('t', { ttlSeconds: 0 }), 'ttlSeconds'],
    ['an unknown time zone', (user) => user.session('t', { timeZone: 'Mars/Base' }), 'timeZone'],
    ['state that is no object', (user) => user.session('t', { state: 'x' as never }), 'state'],
    ['state that is no JSON', (user) => user.session('t', { state: { a: [() => 1] } }), 'state.a[0]'],
  ];
  it.each(calls)('is refused by name: %s', async (_, call, field) => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const error: unknown = await (async () => call(user))().then(
      () => 'no error',
      (thrown: unknown) => thrown,
    );
    expect(isPalimpsestError(error) ? Object.values(error.details) : error).toContain(field);
    expect((await user.sessions()).items).toEqual([]);
    expect(await texts(user)).toEqual([]);
  });

  it.each(['', ' u', 'u\n', 5, undefined, '\ud800', 'x'.repeat(257)])('is refused as a user id: %j', async (userId) => {
    await using palimpsest = await openPalimpsest();
    const open = () => palimpsest.user(userId as string);
    expect(open).toThrow(
      expect.objectContaining({ code: 'INVALID_ID', details: expect.objectContaining({ field: 'userId' }) }),
    );
  });
});
