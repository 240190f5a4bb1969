import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/backends/sqlite/index.ts';
import { createInMemoryMemoryStore, createMemoryService } from '../../src/index.ts';
import type { MemorySubject } from '../../src/testing/index.ts';

/** Two memory services on one store in memory. */
export async function inMemoryMemory(): Promise<MemorySubject> {
  const store = createInMemoryMemoryStore();
  return {
    memory: createMemoryService({ store }),
    second: createMemoryService({ store }),
    capabilities: new Set(),
    dispose: async () => undefined,
  };
}

/** Two memory services that each opened one SQLite file for themselves. */
export async function sqliteMemory(): Promise<MemorySubject> {
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
