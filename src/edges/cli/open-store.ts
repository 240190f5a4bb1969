import { join } from 'node:path';
import type { Palimpsest } from '../../engine/index.ts';
import { PalimpsestError } from '../../errors/index.ts';
import { copyStore, isWritable, namingOriginal, refuseUnreadable } from './copy-store.ts';
import { messageOf } from './report-error.ts';
import { withScratchFolder } from './scratch-folder.ts';
import type { Terminal } from './terminal.ts';

/** What a command does with the store. */
export interface StoreUse {
  /** `read`: a store that may not be written is read from a copy. `create`: makes the store if there is none. */
  readonly access: 'read' | 'write' | 'create';
  /** Memory first reads what it has not read of the logs; settled() waits for that. */
  readonly learn?: boolean;
}

/** Opens the file that the options name, does the work, and closes it whatever happens. */
export async function withStore<T>(
  terminal: Terminal,
  work: (palimpsest: Palimpsest) => Promise<T>,
  use: StoreUse,
): Promise<T> {
  const { file } = terminal;
  if (use.access !== 'create') await refuseUnreadable(file);
  if (await isWritable(file)) return inStore(terminal, { file, use, work });
  if (use.access !== 'read') {
    const reason = 'there is no permission to write to it and its folder; change that, or work on a copy';
    throw new PalimpsestError('STORE_FAILED', { file, reason });
  }
  return withScratchFolder(async (folder) => {
    const copy = join(folder, 'copy.db');
    return namingOriginal({ copy, file }, async () => {
      await copyStore(file, copy);
      return inStore(terminal, { file: copy, use, work });
    });
  });
}

interface OpenWork<T> {
  readonly file: string;
  readonly use: StoreUse;
  readonly work: (palimpsest: Palimpsest) => Promise<T>;
}

async function inStore<T>(terminal: Terminal, { file, use, work }: OpenWork<T>): Promise<T> {
  // Loaded late, so that --help and wrong usage answer at once.
  const { openPalimpsest } = await import('../../engine/index.ts');
  const others = new Set<string>();
  const palimpsest = await openPalimpsest({
    file,
    appName: terminal.options.app,
    mustExist: use.access !== 'create',
    ingest: use.learn === true ? 'afterInvocation' : 'never',
    sweepSeconds: 0,
    // A command has nothing else to do meanwhile.
    scrubUpToBytes: Number.MAX_SAFE_INTEGER,
    onBackgroundFailure: (error) => void others.add(messageOf(error)),
  });
  try {
    const result = await work(palimpsest);
    await palimpsest.close();
    return result;
  } catch (error) {
    // What failed first is what the command failed of; settled() and close() throw what failed in the background.
    await palimpsest.close().catch((failure: unknown) => others.add(messageOf(failure)));
    others.delete(messageOf(error));
    for (const other of others) terminal.note(`warning: ${other}`);
    throw error;
  }
}
