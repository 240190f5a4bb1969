import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Palimpsest } from '../../../engine/index.ts';
import { bytesText } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';

/** Writes a consistent copy of the store while others go on working with it. */
export async function backupStore(terminal: Terminal, to: string): Promise<void> {
  const work = async (palimpsest: Palimpsest) => {
    const file = resolve(terminal.io.cwd, to);
    await palimpsest.backup(file);
    const { size } = await stat(file);
    if (terminal.options.json) terminal.json({ from: terminal.file, to: file, bytes: size });
    else terminal.print(`Wrote ${to} (${bytesText(size)}).`);
  };
  await withStore(terminal, work, { access: 'read' });
}
