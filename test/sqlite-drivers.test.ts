import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openPalimpsest } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-drivers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tells without loading it: a binary made for another release of Node.js ends the process. */
function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
}

const drivers = [
  { driver: 'node:sqlite', there: isBuiltin('node:sqlite') },
  { driver: '@photostructure/sqlite', there: isInstalled('@photostructure/sqlite') },
  // Node.js 24 of the CI run has it beside the project; an application may install it.
  { driver: 'better-sqlite3', there: isInstalled('better-sqlite3') },
] as const;

it('has at least one driver here', () => {
  expect(drivers.filter(({ there }) => there)).not.toEqual([]);
});

describe.each(drivers.filter(({ there }) => there))('through $driver', ({ driver }) => {
  it('a file keeps a log, artifacts and memories, the empty and the Chinese too', async () => {
    const file = join(folder, `${driver.replaceAll(/\W/g, '-')}.db`);
    const first = await openPalimpsest({ file, driver, appName: 'a' });
    const session = await first.user('u').session('s');
    await session.append([
      { author: 'user', content: '以后请用摄氏度\u0000' },
      { author: 'assistant', content: '好的。' },
    ]);
    await first.artifacts.put(session.key, 'empty', new Uint8Array(), 'text/plain');
    await first.artifacts.put(session.key, 'bytes', new Uint8Array([0, 255]), 'text/plain');
    await first.settled();
    await first.close();

    const again = await openPalimpsest({ file, driver, appName: 'a', mustExist: true });
    const { items } = await again.sessions.read(session.key);
    expect(items[0]?.content?.parts[0]?.text).toBe('以后请用摄氏度\u0000');
    expect((await again.artifacts.get(session.key, 'empty'))?.bytes).toHaveLength(0);
    expect([...((await again.artifacts.get(session.key, 'bytes'))?.bytes ?? [])]).toEqual([0, 255]);
    expect((await again.user('u').recall('摄氏度')).memories[0]?.text).toContain('摄氏度');
    await again.close();
  });
});

describe.each(drivers.filter(({ there }) => !there))('without $driver', ({ driver }) => {
  it('a file that asks for it is refused, with what to install', async () => {
    await expect(openPalimpsest({ file: join(folder, 'none.db'), driver })).rejects.toMatchObject({
      code: 'MISSING_PACKAGE',
      details: { package: driver },
    });
  });
});
