import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/durability/scratch-folder.ts';
import { createSessionService, type Removal } from '../../sessions/index.ts';
import { SqliteFile } from './sqlite-file.ts';
import { createSqliteSessionStore } from './sqlite-session-store.ts';

const user = { appName: 'a', userId: '用户' };
const key = { ...user, sessionId: 's' };
const v1 = join(import.meta.dirname, '../../../test/fixtures/v1.db');

/** A file with a session, and two versions of an artifact in it that quote the same. */
async function openQuoting() {
  const file = await SqliteFile.open({ file: join(scratchFolder(), 'quotes.db') });
  const store = createSqliteSessionStore(file);
  await createSessionService({ store }).create(key);
  const write = { scope: key, name: 'q', mimeType: 'text/plain', bytes: Buffer.from('引'), sources: ['源', 'b'] };
  await store.commit({ artifacts: [0, 1].map((version) => ({ ...write, version })) });
  const head = (await store.head(key)) ?? expect.unreachable();
  const rowsIn = (table: string) => Number(file.get(`SELECT count(*) AS n FROM ${table}`)?.n);
  return { file, store, write, head, rowsIn };
}

const both = [0, 1].map((version) => ({ name: 'q', version }));

/** Every way to remove an artifact. */
const removals: Readonly<Record<string, (head: Awaited<ReturnType<typeof openQuoting>>['head']) => Removal>> = {
  'with its session': ({ incarnation }) => ({ what: 'session', key, incarnation, quoting: [] }),
  'with events': (head) => ({
    what: 'events',
    key,
    ranges: [[1, 1]],
    artifacts: both,
    quoting: [],
    commit: { expectedStamp: head.stamp, head: { ...head, stamp: head.stamp + 1 } },
  }),
  'by name': () => ({ what: 'artifacts', scope: key, name: 'q' }),
  'by scope': () => ({ what: 'artifacts', scope: key }),
  'by what it quotes': () => ({ what: 'quotes', ...user, quoting: ['源'], gone: [] }),
};

describe('what an artifact quotes', () => {
  test.each(Object.entries(removals))('goes with it when it is removed %s', async (_how, removal) => {
    const { file, store, head, rowsIn } = await openQuoting();
    expect([rowsIn('artifacts'), rowsIn('artifact_sources')]).toEqual([2, 4]);
    await store.remove(removal(head));
    expect([rowsIn('artifacts'), rowsIn('artifact_sources')]).toEqual([0, 0]);
    file.close();
  });

  test('goes with its bytes where an empty version stays', async () => {
    const { file, store, head, rowsIn } = await openQuoting();
    const artifacts = both.map((version) => ({ ...version, leaves: 'text/empty' }));
    const commit = { expectedStamp: head.stamp, head: { ...head, stamp: head.stamp + 1 } };
    await store.remove({ what: 'events', key, ranges: [], artifacts, quoting: [], commit });
    expect([rowsIn('artifacts'), rowsIn('artifact_sources')]).toEqual([2, 0]);
    file.close();
  });

  test('is remembered where it is gone for good, also for other connections and without any session', async () => {
    const { file, store, write, rowsIn } = await openQuoting();
    await store.remove({ what: 'quotes', ...user, quoting: ['源'], gone: ['b', '另'] });
    expect([rowsIn('artifacts'), rowsIn('gone_sources')]).toEqual([0, 2]);
    const other = await SqliteFile.open({ file: file.file });
    const late = createSqliteSessionStore(other);
    await late.commit({ artifacts: [{ ...write, version: 0 }] });
    await late.commit({ artifacts: [{ ...write, version: 1, sources: ['源'] }] });
    expect((await store.artifacts({ scope: key })).map(({ version }) => version)).toEqual([1]);
    other.close();
    file.close();
  });

  test('is remembered once it is gone, for the newest ten thousand', async () => {
    const { file, store, write, head, rowsIn } = await openQuoting();
    const many = Array.from({ length: 10_000 }, (_, index) => `gone ${index}`);
    const quoting = ['forgotten', ...many];
    await store.remove({ what: 'session', key, incarnation: head.incarnation, quoting });
    expect(rowsIn('gone_sources')).toBe(10_000);
    await createSessionService({ store }).create(key);
    const saved = async (name: string, source: string) => {
      await store.commit({ artifacts: [{ ...write, name, version: 0, sources: ['c', source] }] });
      return (await store.artifacts({ scope: key, name })).length === 1;
    };
    expect([await saved('1', 'forgotten'), await saved('2', 'gone 0'), await saved('3', 'gone 9999')]).toEqual([
      true,
      false,
      false,
    ]);
    file.close();
  });
});

test('artifacts of a file that is only read, and is of the first schema, are read', async () => {
  const file = join(scratchFolder(), 'old.db');
  copyFileSync(v1, file);
  const old = await SqliteFile.open({ file, readOnly: true });
  const sessions = createSessionService({ store: createSqliteSessionStore(old) });
  const talk = { appName: 'teahouse', userId: '小明', sessionId: 'talk' };
  expect((await sessions.artifacts.get(talk, 'menu.bin', 0))?.size).toBe(300);
  expect(await sessions.readText(talk, '0'.repeat(64))).toBeUndefined();
  old.close();
});
