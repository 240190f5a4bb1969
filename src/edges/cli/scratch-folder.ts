import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const folders = new Set<string>();

/** Gives the work a folder that is gone afterwards, also where the process is told to end in the middle of it. */
export async function withScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  if (folders.size === 0) process.on('exit', removeAll);
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  folders.add(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    folders.delete(folder);
    if (folders.size === 0) process.off('exit', removeAll);
  }
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
