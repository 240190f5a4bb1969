import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SqliteFile } from '../src/backends/sqlite/index.ts';
import { openStory, readStory, tellStory } from '../test/durability/fixture-story.ts';

/**
 * Writes test/fixtures/v<schema version>.db with today's code, and beside it what a reader finds in it. Run once for
 * each schema version, before it is released: npx tsx scripts/make-fixture.ts
 */
const fixtures = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-fixture-'));
try {
  const scratch = join(folder, 'story.db');
  const teller = await openStory(scratch);
  await tellStory(teller.palimpsest, teller.clock);
  await teller.palimpsest.close();
  const reader = await openStory(scratch);
  const story = await readStory(reader.palimpsest);
  await reader.palimpsest.close();

  const file = await SqliteFile.open({ file: scratch });
  const version = Number(file.get('PRAGMA user_version')?.user_version);
  // Small pages in the copy, since most tables hold a few rows.
  file.all('PRAGMA page_size = 512');
  const target = join(fixtures, `v${version}.db`);
  rmSync(target, { force: true });
  file.backup(target);
  file.close();
  writeFileSync(join(fixtures, `v${version}.json`), `${JSON.stringify(story, undefined, 1)}\n`);
  console.log(`test/fixtures/v${version}.db: ${statSync(target).size} bytes`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
