import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/backends/sqlite/index.ts';
import { createInMemoryMemoryStore, createMemoryService } from '../../src/index.ts';
import { type MemorySubject, memoryChecks, memoryLaws, runLaws } from '../../src/testing/index.ts';

async function inMemory(): Promise<MemorySubject> {
  const store = createInMemoryMemoryStore();
  return {
    memory: createMemoryService({ store }),
    second: createMemoryService({ store }),
    capabilities: new Set(),
    dispose: async () => undefined,
  };
}

async function onSqlite(): Promise<MemorySubject> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-memory-'));
  const file = join(folder, 'memory.db');
  const handles = [await openSqlite({ file }), await openSqlite({ file })];
  const [memory, second] = handles.map((handle) => createMemoryService({ store: handle.memory }));
  if (!memory || !second) throw new TypeError('two handles make two services');
  const dispose = async () => {
    for (const handle of handles) handle.file.close();
    rmSync(folder, { recursive: true });
  };
  return { memory, second, capabilities: new Set(), dispose };
}

describe.each([
  ['in memory', inMemory],
  ['on SQLite', onSqlite],
] as const)('memory laws %s', (_name, create) => {
  test.each(Object.keys(memoryLaws))('%s', async (law) => {
    const [report] = await runLaws({ laws: memoryLaws, checks: memoryChecks, create, only: [law] });
    expect(report?.outcome, report?.why).toBe('kept');
  });
});
