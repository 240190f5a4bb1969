import { openPalimpsest, type Palimpsest, type SessionKey } from '../../src/index.ts';
import { answersRequest, ManualClock, requestText } from '../../src/testing/index.ts';

const appName = 'teahouse';
const ming = { appName, userId: '小明' };
const talk: SessionKey = { ...ming, sessionId: 'talk' };
const asked: SessionKey = { ...ming, sessionId: 'asked' };
const image = Uint8Array.from({ length: 300 }, (_, index) => (index * 37) % 256);

/** Opens a fixture, or makes one, at a time of its own, so that nothing in it expires. */
export async function openStory(
  file: string,
  millis?: number,
): Promise<{ palimpsest: Palimpsest; clock: ManualClock }> {
  const clock = new ManualClock(millis);
  const state = { 'user:notes': 'append', tags: 'union' } as const;
  const palimpsest = await openPalimpsest({ file, appName, clock, state, sweepSeconds: 0 });
  // Memory reads what an earlier process left unread.
  await palimpsest.settled();
  return { palimpsest, clock };
}

/** Writes a bit of everything that a file can hold. Every id that a caller may give is given. */
export async function tellStory(palimpsest: Palimpsest, clock: ManualClock): Promise<void> {
  await tellTalk(palimpsest, clock);
  const { sessions } = palimpsest;
  await sessions.fork(talk, { atSeq: 6, sessionId: 'fork' });
  await palimpsest.artifacts.put(talk, 'menu.bin', image, 'application/octet-stream');
  await palimpsest.artifacts.put(talk, 'menu.bin', image.subarray(1), 'application/octet-stream');
  await palimpsest.artifacts.put(ming, '签名.txt', Buffer.from('小明'), 'text/plain');
  const project = palimpsest.user('u2').project('acme');
  const planning = await project.session('planning', { ttlSeconds: 86_400, timeZone: 'Asia/Shanghai' });
  await planning.append([
    { id: 'p1', invocationId: 'pi1', author: 'user', content: 'The launch is in May.' },
    { id: 'p2', invocationId: 'pi1', author: 'assistant', content: 'Noted: launch in May.' },
  ]);
  await planning.end();
  await project.remember('The budget of acme is 5,000.', { labels: ['money'] });
  await palimpsest.user('小明').remember('喜欢喝绿茶，不加糖。');
  await sessions.create({ appName, userId: 'u2', sessionId: 'empty', metadata: { title: 'Nothing yet', tags: ['a'] } });
  await tellRequest(palimpsest);
  await palimpsest.settled();
}

/** A request with a text of its own, and with one that quotes the talk. */
export async function tellRequest(palimpsest: Palimpsest, id = 'a1'): Promise<void> {
  const { sessions } = palimpsest;
  const incarnation = (await sessions.open(talk))?.incarnation ?? '';
  const quoted = { kind: 'event', sessionId: talk.sessionId, incarnation, seq: 2, eventId: 'e2' } as const;
  const texts = [await requestText('请用中文回答。'), await requestText('小明 asked for 绿茶 🍵', quoted)];
  if (!(await sessions.open(asked))) await sessions.create(asked);
  await sessions.append(asked, [answersRequest(texts, { id, invocationId: 'ai1' })], { texts });
}

/** How many texts are erased with the talk that they quote. */
export async function eraseTalk(palimpsest: Palimpsest): Promise<number> {
  return (await palimpsest.eraseSession(talk)).requestTexts;
}

async function tellTalk(palimpsest: Palimpsest, clock: ManualClock): Promise<void> {
  const { sessions } = palimpsest;
  await sessions.create({ ...talk, state: { lang: 'zh', 'user:notes': ['first'], 'app:open': true } });
  const call = { id: 'c1', name: 'brew', args: { tea: '绿茶', degrees: 80 } };
  const turns = [
    [{ id: 'e2', invocationId: 'i1', author: 'user', content: '请泡一壶绿茶 at 80 °C 🍵' }],
    [
      { id: 'e3', invocationId: 'i1', author: 'assistant', content: { parts: [{ functionCall: call }] } },
      {
        id: 'e4',
        invocationId: 'i1',
        author: 'assistant',
        content: {
          parts: [{ functionResponse: { id: 'c1', name: 'brew', response: { minutes: 3, 'null\0key': null } } }],
        },
      },
      {
        id: 'e5',
        invocationId: 'i1',
        author: 'assistant',
        content: '三分钟就好。',
        actions: { stateDelta: { pots: 1, tags: ['tea'], 'user:notes': ['second'] } },
        customMetadata: { 'x.trace': [1, 2.5, 'é'] },
      },
    ],
    [{ id: 'e6', invocationId: 'i2', author: 'user', content: 'And I live in Lyon.' }],
    [{ id: 'e7', invocationId: 'i2', author: 'assistant', content: 'Lyon it is.', branch: 'assistant' }],
    [{ id: 'e8', author: 'system', actions: { pin: { seqs: [2] } } }],
    [
      {
        id: 'e9',
        author: 'system',
        actions: {
          compaction: {
            covers: [[2, 5]],
            content: { role: 'model', parts: [{ text: 'Tea was brewed. 泡了茶。' }] },
            trigger: 'manual',
            sourceHash: '0'.repeat(64),
          },
        },
      },
    ],
    [{ id: 'e10', invocationId: 'i3', author: 'user', content: 'Forget this one.' }],
    [{ id: 'e11', invocationId: 'i3', author: 'assistant', content: 'Gone.', actions: { stateRemoved: ['pots'] } }],
  ] as const;
  for (const events of turns) {
    clock.advance(1_000);
    await sessions.append(talk, [...events]);
  }
  await sessions.rewind(talk, { beforeInvocationId: 'i3' });
}

/** The texts that the journals of a session name. */
async function textsOf({ sessions }: Palimpsest, key: SessionKey): Promise<readonly (string | undefined)[]> {
  const { items } = await sessions.read(key);
  const hashes = items.flatMap(({ request }) => request?.blocks.map(({ hash }) => hash) ?? []);
  return Promise.all(hashes.map((hash) => sessions.readText(key, hash)));
}

/** All that a reader can find in the file, as JSON. */
export async function readStory(palimpsest: Palimpsest): Promise<unknown> {
  const { sessions, memory } = palimpsest;
  const { items: infos } = await sessions.list({ appName });
  const told = infos.map(async ({ key }) => ({
    session: await sessions.open(key),
    events: (await sessions.read(key)).items,
    effective: (await sessions.readEffective(key)).items.map(({ seq }) => seq),
    invocation: (await sessions.read(key, { invocationId: 'i1' })).items.map(({ seq }) => seq),
    artifacts: await palimpsest.artifacts.list(key),
    texts: await textsOf(palimpsest, key),
    request: (await palimpsest.context(key, { recall: false })).contents,
  }));
  const menu = await palimpsest.artifacts.get(talk, 'menu.bin', 0);
  const read = {
    sessions: await Promise.all(told),
    notes: await sessions.stateHistory(ming, 'notes'),
    menu: menu && Buffer.from(menu.bytes).toString('base64'),
    ownArtifacts: await palimpsest.artifacts.list(ming),
    memories: [
      ...(await memory.list(ming)).items,
      ...(await memory.list({ appName, userId: 'u2', projectId: 'acme' })).items,
    ],
    recalled: (await palimpsest.user('小明').recall('绿茶 Lyon')).memories.map(({ text }) => text),
  };
  return JSON.parse(JSON.stringify(read));
}
