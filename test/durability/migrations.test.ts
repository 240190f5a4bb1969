import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SqliteFile } from '../../src/backends/sqlite/index.ts';
import { eraseTalk, openStory, readStory, tellRequest } from './fixture-story.ts';
import { scratchFolder } from './scratch-folder.ts';

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
const versions = readdirSync(fixtures).flatMap((name) => /^v(\d+)\.db$/.exec(name)?.[1] ?? []);

async function newestVersion(): Promise<number> {
  const file = await SqliteFile.open({ file: join(scratchFolder(), 'new.db') });
  const version = Number(file.get('PRAGMA user_version')?.user_version);
  file.close();
  return version;
}

function copyOf(version: string): string {
  const file = join(scratchFolder(), 'old.db');
  copyFileSync(join(fixtures, `v${version}.db`), file);
  return file;
}

test('there is a fixture for every schema version, and each is small', async () => {
  const wanted = Array.from({ length: await newestVersion() }, (_, index) => String(index + 1));
  expect(versions).toEqual(wanted);
  for (const version of versions) expect(statSync(join(fixtures, `v${version}.db`)).size).toBeLessThan(60_000);
});

test.each(versions)('a file of schema version %s is read like on the day it was written', async (version) => {
  const file = copyOf(version);
  const written: object = JSON.parse(readFileSync(join(fixtures, `v${version}.json`), 'utf8'));
  for (let time = 0; time < 2; time++) {
    const { palimpsest } = await openStory(file);
    // A later release may tell more, never anything else.
    expect(await readStory(palimpsest)).toMatchObject(written);
    await palimpsest.close();
  }
  const opened = await SqliteFile.open({ file });
  expect(opened.get('PRAGMA user_version')).toEqual({ user_version: await newestVersion() });
  expect(opened.integrityProblems()).toEqual([]);
  opened.close();
});

test.each(versions)('texts of requests in a file of schema version %s go with what they quote', async (version) => {
  const written = await openStory(copyOf(version));
  // Files of version 1 have no texts, until now.
  expect(await eraseTalk(written.palimpsest)).toBe(version === '1' ? 0 : 1);
  await written.palimpsest.close();
  const { palimpsest } = await openStory(copyOf(version));
  await tellRequest(palimpsest, 'another');
  expect(await eraseTalk(palimpsest)).toBe(1);
  await palimpsest.close();
});

test.each(versions)('a file of schema version %s goes on being written', async (version) => {
  const { palimpsest } = await openStory(copyOf(version), Date.UTC(2026, 0, 1, 12));
  const session = await palimpsest.user('小明').session('talk');
  const before = session.version;
  await session.append([
    {
      author: 'user',
      content: 'Do I still live in Lyon? 还是里昂吗？',
      actions: { stateDelta: { 'user:notes': ['new'] } },
    },
    { author: 'assistant', content: 'You told me so.' },
  ]);
  await palimpsest.settled();
  expect(session.version).toBe(before + 2);
  expect(session.state['user:notes']).toEqual(['first', 'second', 'new']);
  const { memories } = await palimpsest.user('小明').recall('里昂');
  expect(memories[0]?.text).toBe('Do I still live in Lyon? 还是里昂吗？');
  await palimpsest.user('小明').erase();
  expect(await palimpsest.sessions.open(session.key)).toBeUndefined();
  await palimpsest.close();
});
