import { describe, expect, it } from 'vitest';
import { answersRequest, ManualClock, requestText } from '../testing/index.ts';
import { openPalimpsest, type Palimpsest } from './index.ts';

const exchange = (question: string, answer = 'Noted.') => [
  { author: 'user', content: question },
  { author: 'assistant', content: answer },
];
const bytes = new Uint8Array([1, 2, 3]);

/** Everything that can be found about a user, as one text. */
async function everything(palimpsest: Palimpsest, userId: string): Promise<string> {
  const user = palimpsest.user(userId);
  const scope = { appName: palimpsest.appName, userId };
  const found: unknown[] = [await palimpsest.artifacts.list(scope)];
  for (const one of [user, user.project('acme')]) {
    found.push((await one.memories({ limit: 1000 })).items, (await one.recall('secret tea')).memories);
  }
  for (const { key } of (await user.sessions()).items) {
    found.push(await palimpsest.sessions.read(key), await palimpsest.artifacts.list(key));
  }
  for (const key of ['unit', 'drink']) found.push(await palimpsest.sessions.stateHistory(scope, key));
  return JSON.stringify(found);
}

async function populate(palimpsest: Palimpsest, userId: string): Promise<void> {
  const user = palimpsest.user(userId);
  const scope = { appName: palimpsest.appName, userId };
  const session = await user.session('s1', {
    state: { note: 'secret', 'user:drink': 'secret tea', 'app:plan': 'all' },
  });
  await session.append(exchange('My secret is tea.'));
  await session.append([{ author: 'assistant', actions: { stateDelta: { 'user:drink': 'secret coffee' } } }]);
  const fork = await session.fork({ atSeq: 3, sessionId: 's2' });
  await fork.append(exchange('The secret again.'));
  const planning = await user.project('acme').session('s3');
  await planning.append(exchange('A secret project.'));
  const life = { kind: 'event', sessionId: 's1', incarnation: session.info.incarnation } as const;
  const texts = [
    await requestText('You said: my secret is tea.', { ...life, seq: 2, eventId: 'e2' }),
    await requestText('说中文。'),
  ];
  await planning.append([answersRequest(texts)], { texts });
  await user.remember('Keeps a secret.');
  await user.project('acme').remember('Keeps a secret of acme.');
  await palimpsest.artifacts.put(session.key, 'secret.png', bytes, 'image/png');
  await palimpsest.artifacts.put(scope, 'user:secret.png', bytes, 'image/png');
  await palimpsest.settled();
}

describe('erasing a session', () => {
  it('removes it with its memories and its copies in forks, counted in the receipt', async () => {
    await using palimpsest = await openPalimpsest();
    await populate(palimpsest, 'u1');
    const user = palimpsest.user('u1');
    const key = { appName: 'default', userId: 'u1', sessionId: 's1' };
    const receipt = await palimpsest.eraseSession(key);
    // Four events of its own and three copies; its state key and the fork's; secret.png; a text in s3; two turns.
    expect(receipt).toMatchObject({ events: 7, stateKeys: 2, artifacts: 1, requestTexts: 1, memories: 2 });
    expect(receipt.sessions.map(({ sessionId, seqs }) => [sessionId, seqs])).toEqual([
      ['s1', undefined],
      ['s2', [[1, 3]]],
    ]);
    expect(receipt.left).not.toEqual([]);
    expect(await everything(palimpsest, 'u1')).not.toContain('My secret is tea.');
    const fork = await user.session('s2');
    expect((await fork.read()).items.map(({ seq }) => seq)).toEqual([4, 5]);
    expect(fork.state).not.toHaveProperty('note');
    expect((await user.recall('secret')).memories.map(({ sessionId }) => sessionId)).toEqual(
      expect.arrayContaining(['s2', undefined]),
    );
    await expect(palimpsest.eraseSession(key)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(palimpsest.eraseSession(undefined as never)).rejects.toMatchObject({ code: 'INVALID_ID' });
  });
});

describe('erasing a user', () => {
  it('leaves nothing of this user, and all of others and of the app', async () => {
    await using palimpsest = await openPalimpsest();
    await populate(palimpsest, 'u1');
    await populate(palimpsest, 'u2');
    const others = await everything(palimpsest, 'u2');
    const receipt = await palimpsest.user('u1').erase();
    // s1: 4 events; s2: 3 copies and 2; s3: 3. Memories: 7 turns, two statements. State: note, its copy, user:drink.
    expect(receipt).toMatchObject({ events: 12, stateKeys: 3, memories: 9, artifacts: 2, requestTexts: 2 });
    expect(new Set(receipt.sessions.map(({ sessionId }) => sessionId))).toEqual(new Set(['s1', 's2', 's3']));
    const left = await everything(palimpsest, 'u1');
    expect(left).not.toContain('secret');
    expect(JSON.parse(left).flat()).toEqual([]);
    expect(await everything(palimpsest, 'u2')).toBe(others);
    const fresh = await palimpsest.user('u1').session('s1');
    expect(fresh.state).toEqual({ 'app:plan': 'all' });
    expect(fresh.version).toBe(0);
  });

  it('reaches sessions that have expired and are not swept yet', async () => {
    const clock = new ManualClock();
    await using palimpsest = await openPalimpsest({ clock, sweepSeconds: 0 });
    const user = palimpsest.user('u1');
    const session = await user.session('s1', { ttlSeconds: 10 });
    await session.append(exchange('My secret is tea.'));
    await palimpsest.settled();
    clock.advance(20_000);
    await user.erase();
    clock.advance(-20_000); // were it still there, it would be alive at this hour
    expect(await palimpsest.sessions.open(session.key)).toBeUndefined();
    expect(await everything(palimpsest, 'u1')).not.toContain('secret');
  });

  it('may be done by two at once, while the user is being heard, and to nobody', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    for (let i = 0; i < 5; i++) await (await user.session(`s${i}`)).append(exchange(`Secret ${i}`));
    await Promise.all([user.erase(), user.erase()]);
    await palimpsest.settled();
    expect(await everything(palimpsest, 'u1')).not.toContain('Secret');
    expect(await palimpsest.user('nobody').erase()).toMatchObject({
      sessions: [],
      events: 0,
      memories: 0,
      artifacts: 0,
    });
  });
});
