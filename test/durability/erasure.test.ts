import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteFile } from '../../src/backends/sqlite/index.ts';
import { type EraseReceipt, type EventInput, openPalimpsest, type Palimpsest } from '../../src/index.ts';
import { scratchFolder } from './scratch-folder.ts';
import { workerPool } from './start-worker.ts';

const pool = workerPool();
const canary = 'canary金丝雀"\n7f3a';
const filler = 'tell me about tea and mountains 山水 ';

/** The forms in which a text may stand in a file. */
const traces: Readonly<Record<string, Buffer>> = {
  plain: Buffer.from('canary'),
  chinese: Buffer.from('金丝'),
  escaped: Buffer.from(JSON.stringify(canary).slice(1, -1)),
  'escaped twice': Buffer.from(JSON.stringify(JSON.stringify(canary)).slice(3, -3)),
  'to ASCII': Buffer.from('\\u91d1\\u4e1d'),
  base64: Buffer.from(Buffer.from(canary).toString('base64').slice(0, 16)),
};

/** Which traces stand in which of the files that SQLite keeps. */
function tracesIn(file: string): string[] {
  return ['', '-wal', '-shm', '-journal'].flatMap((ending) => {
    if (!existsSync(file + ending)) return [];
    const bytes = readFileSync(file + ending);
    return Object.entries(traces).flatMap(([name, trace]) =>
      bytes.includes(trace) ? [`${name} in ${ending || 'file'}`] : [],
    );
  });
}

function secretEvent(size: number): EventInput {
  const text = `${canary} ${filler.repeat(size)}${canary}`;
  return {
    author: 'user',
    content: {
      parts: [
        { text },
        { inlineData: { mimeType: 'text/plain', data: Buffer.from(text) } },
        { functionResponse: { id: `call ${canary.slice(0, 9)}`, name: 'look_up', response: { [canary]: text } } },
      ],
    },
    actions: { stateDelta: { secret: text, [canary]: 1 } },
  };
}

const plainEvent = (size: number): EventInput => ({ author: 'user', content: filler.repeat(size) });

interface Turn {
  readonly secret: boolean;
  readonly size: number;
}

/** Two conversations that take turns, one of them with the canary in every place that keeps text. */
async function converse(palimpsest: Palimpsest, turns: readonly Turn[]): Promise<void> {
  const user = palimpsest.user('u1');
  const secret = await user.session('canary-session', { state: { first: canary }, metadata: { title: canary } });
  const plain = await user.session('plain');
  for (const turn of turns) {
    await (turn.secret ? secret.append([secretEvent(turn.size)]) : plain.append([plainEvent(turn.size)]));
  }
  const bytes = Buffer.from(canary.repeat(5_000));
  await palimpsest.artifacts.put(secret.key, `${canary.slice(0, 9)}.txt`, bytes, 'text/plain');
  await palimpsest.settled();
}

const openFile = (file: string) => openPalimpsest({ file, sweepSeconds: 0 });

interface Story {
  readonly before: readonly Turn[];
  readonly after: readonly Turn[];
  /** A file that was closed has its rows in the pages themselves, not in the log before them. */
  readonly reopen: boolean;
}

/** Lives through a story, deletes the session with the canary, and leaves the file open. */
async function liveAndDelete({ before, after, reopen }: Story): Promise<{ file: string; palimpsest: Palimpsest }> {
  const file = join(scratchFolder(), 'erase.db');
  let palimpsest = await openFile(file);
  await converse(palimpsest, [{ secret: true, size: 1 }, ...before]);
  if (reopen) {
    await palimpsest.close();
    palimpsest = await openFile(file);
  }
  await converse(palimpsest, after);
  expect(tracesIn(file).join()).toMatch(/plain .*base64/);
  const { version } = await palimpsest.user('u1').session('plain');
  const receipt = await (await palimpsest.user('u1').session('canary-session')).delete();
  expect(receipt.events).toBeGreaterThan(0);
  expect((await palimpsest.user('u1').session('plain')).version).toBe(version);
  return { file, palimpsest };
}

test('nothing of a deleted session stands in any file', async () => {
  const after = [
    { secret: true, size: 2 },
    { secret: false, size: 2 },
  ];
  for (const reopen of [false, true]) {
    const { file, palimpsest } = await liveAndDelete({ before: [], after, reopen });
    expect(tracesIn(file)).toEqual([]);
    await palimpsest.close();
    expect(tracesIn(file)).toEqual([]);
  }
});

test('nothing of an artifact stands there that a rewind in a fork had put back', async () => {
  const file = join(scratchFolder(), 'restored.db');
  const palimpsest = await openFile(file);
  const user = palimpsest.user('u1');
  const source = await user.session('source');
  const save = async (key: typeof source.key, text: string, invocationId: string) => {
    const version = await palimpsest.artifacts.put(key, 'doc', Buffer.from(text), 'text/plain');
    const event: EventInput = { author: 'agent', content: 'saved', actions: { artifactDelta: { doc: version } } };
    await palimpsest.sessions.append(key, [{ ...event, invocationId }]);
  };
  await save(source.key, canary.repeat(5_000), 'i1');
  const { key } = await palimpsest.sessions.fork(source.key, { atSeq: source.version + 1, sessionId: 'fork' });
  await save(key, 'draft', 'i2');
  await palimpsest.sessions.rewind(key, { beforeInvocationId: 'i2' });
  expect((await palimpsest.artifacts.get(key, 'doc'))?.bytes.length).toBeGreaterThan(50_000);
  expect(tracesIn(file)).not.toEqual([]);
  await palimpsest.sessions.delete(source.key);
  expect(await palimpsest.artifacts.get(key, 'doc')).toMatchObject({ version: 2, size: 0, bytes: new Uint8Array() });
  expect(tracesIn(file)).toEqual([]);
  await palimpsest.close();
  expect(tracesIn(file)).toEqual([]);
});

// SQLite moves rows from page to page as tables grow and leaves the bytes where they were: secure_delete covers what is
// deleted, not what was moved. So a deletion ends with a rewrite of the file.
test('a deletion leaves nothing of rows that SQLite had moved', async () => {
  const file = join(scratchFolder(), 'moved.db');
  expect(await deleteMovedRows(file, {})).toMatchObject({ left: [expect.stringContaining('own words')] });
  expect(tracesIn(file)).toEqual([]);
});

test('a file too large to rewrite at once keeps some, and the receipt says so', async () => {
  const file = join(scratchFolder(), 'large.db');
  const receipt = await deleteMovedRows(file, { scrubUpToBytes: 1000 });
  expect(receipt.left).toHaveLength(2);
  expect(receipt.left[1]).toContain('scrubUpToBytes');
  expect(tracesIn(file)).not.toEqual([]);
});

async function deleteMovedRows(file: string, options: { readonly scrubUpToBytes?: number }): Promise<EraseReceipt> {
  const palimpsest = await openPalimpsest({ file, sweepSeconds: 0, ingest: 'never', ...options });
  onTestFinished(() => palimpsest.close());
  const sessions = await Promise.all(['a', 'b', 'c'].map((sessionId) => palimpsest.user('u').session(sessionId)));
  const lengths = [20, 200, 900, 50];
  for (let number = 0; number < 300; number++) {
    const value = (number % 3 === 1 ? 'canary' : 'harmless') + 'z'.repeat(lengths[number % 4] ?? 0);
    await sessions[number % 3]?.append([{ author: 'user', actions: { stateDelta: { [`k${number}`]: value } } }]);
  }
  return (await sessions[1]?.delete()) ?? expect.unreachable();
}

const size = fc.oneof(fc.nat(3), fc.nat(40), fc.constant(300));
const turns = fc.array(fc.record({ secret: fc.boolean(), size }), { minLength: 1, maxLength: 40 });
test('nothing of it stands there after a VACUUM, wherever its rows lay before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record({ before: turns, after: turns, reopen: fc.boolean() }), async (story) => {
      const { file, palimpsest } = await liveAndDelete(story);
      await palimpsest.close();
      const opened = await SqliteFile.open({ file });
      opened.run('VACUUM');
      opened.close();
      expect(tracesIn(file)).toEqual([]);
    }),
    { numRuns: Number(process.env.RUNS ?? 6) },
  );
});

test('nothing of an erased user stands in any file', async () => {
  const file = join(scratchFolder(), 'erase.db');
  const palimpsest = await openFile(file);
  const user = palimpsest.user('canary-user');
  await user.remember(`likes ${canary}`);
  const session = await user.project('canary-project').session('s1');
  await session.append([
    secretEvent(30),
    { author: 'user', content: canary, actions: { stateDelta: { 'user:x': canary } } },
  ]);
  const scope = { appName: palimpsest.appName, userId: user.userId };
  await palimpsest.artifacts.put(scope, 'canary.txt', Buffer.from(canary), 'text/plain');
  await palimpsest.user('other').remember('likes tea');
  await palimpsest.settled();
  expect(tracesIn(file)).not.toEqual([]);
  await user.erase();
  expect(tracesIn(file)).toEqual([]);
  expect((await palimpsest.user('other').memories()).items).toHaveLength(1);
  await palimpsest.close();
});

test('a forgotten memory stands in no file', async () => {
  const file = join(scratchFolder(), 'forget.db');
  const palimpsest = await openFile(file);
  const user = palimpsest.user('u1');
  const { id } = await user.remember(`likes ${canary}`);
  await user.remember('likes tea');
  await user.forget({ id });
  expect(tracesIn(file)).toEqual([]);
  await palimpsest.close();
});

test('a deletion while other processes write leaves nothing either', async () => {
  const file = join(scratchFolder(), 'busy.db');
  const palimpsest = await openFile(file);
  // In a table that the others leave alone, so that none of its rows is moved.
  const { key } = await palimpsest.user('u1').session('s1');
  await palimpsest.artifacts.put(key, 'canary.txt', Buffer.from(canary.repeat(1_000)), 'text/plain');
  expect(tracesIn(file)).not.toEqual([]);
  const talkers = await Promise.all(
    ['a', 'b'].map((sessionId) => pool.start({ do: 'talk', file, userId: 'u2', sessionId })),
  );
  for (const talker of talkers) talker.start();
  await Promise.all(talkers.map((talker) => talker.printed(5)));
  await palimpsest.eraseSession(key);
  expect(tracesIn(file)).toEqual([]);
  const lines = talkers.map((talker) => talker.lines().length);
  await Promise.all(talkers.map((talker, index) => talker.printed((lines[index] ?? 0) + 5)));
  for (const talker of talkers) talker.kill();
  await Promise.all(talkers.map(({ ended }) => ended));
  await palimpsest.close();
});

test('a deletion while another connection reads leaves nothing once it has read', async () => {
  const file = join(scratchFolder(), 'read.db');
  const palimpsest = await openFile(file);
  await converse(palimpsest, [{ secret: true, size: 20 }]);
  const reader = await SqliteFile.open({ file, readOnly: true });
  reader.run('BEGIN');
  reader.all('SELECT count(*) FROM events');
  const deletion = (await palimpsest.user('u1').session('canary-session')).delete();
  await sleep(150);
  reader.run('COMMIT');
  await deletion;
  expect(tracesIn(file)).toEqual([]);
  reader.close();
  await palimpsest.close();
});
