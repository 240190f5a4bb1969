import { PalimpsestError } from '../errors/index.ts';
import { createInMemoryJobStore, type JobStore } from '../jobs/index.ts';
import { createInMemoryMemoryStore, type MemoryStore } from '../memory/service/index.ts';
import { createInMemorySessionStore, type SessionStore } from '../sessions/index.ts';
import type { OpenOptions } from './open-options.ts';

/** What a Palimpsest keeps its data in. */
export interface Stores {
  readonly sessions: SessionStore;
  readonly memory: MemoryStore;
  readonly jobs: JobStore;
  backup(to: string): void;
  /** Has nothing left of what was removed; `false` if it could not. */
  scrub(): Promise<boolean>;
  close(): void;
}

const defaultScrubBytes = 256 * 1024 * 1024;

/** Opens the file that the options name, or stores in memory. Throws what opening a file throws. */
export async function openStores(options: OpenOptions): Promise<Stores> {
  return options.file === undefined ? memoryStores() : fileStores(options.file, options);
}

function memoryStores(): Stores {
  return {
    sessions: createInMemorySessionStore(),
    memory: createInMemoryMemoryStore(),
    jobs: createInMemoryJobStore(),
    backup: () => {
      throw new PalimpsestError('NOT_SUPPORTED', {
        capability: 'A backup of memory',
        instead: 'Open a file to have one.',
      });
    },
    scrub: async () => true,
    close: () => undefined,
  };
}

async function fileStores(file: string, options: OpenOptions): Promise<Stores> {
  const { driver, durability, mustExist, scrubUpToBytes = defaultScrubBytes } = options;
  const { openSqlite } = await import('../backends/sqlite/index.ts');
  const opened = await openSqlite({
    file,
    ...(driver ? { driver } : {}),
    ...(durability ? { durability } : {}),
    ...(mustExist ? { mustExist } : {}),
  });
  return {
    sessions: opened.sessions,
    memory: opened.memory,
    jobs: opened.jobs,
    backup: (to) => opened.file.backup(to),
    scrub: async () => opened.file.size <= scrubUpToBytes && opened.file.scrub(),
    close: () => opened.file.close(),
  };
}
