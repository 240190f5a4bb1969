import type { Palimpsest } from '../../engine/index.ts';
import type { Terminal } from './terminal.ts';

/** Opens the file that the options name, does the work, and closes it whatever happens. */
export async function withStore<T>(
  terminal: Terminal,
  work: (palimpsest: Palimpsest) => Promise<T>,
  options: { readonly mayCreate?: boolean } = {},
): Promise<T> {
  // Loaded late, so that --help and wrong usage answer at once.
  const { openPalimpsest } = await import('../../engine/index.ts');
  const palimpsest = await openPalimpsest({
    file: terminal.file,
    appName: terminal.options.app,
    mustExist: options.mayCreate !== true,
    // A command has nothing else to do meanwhile.
    scrubUpToBytes: Number.MAX_SAFE_INTEGER,
  });
  try {
    return await work(palimpsest);
  } finally {
    await palimpsest.close();
  }
}
