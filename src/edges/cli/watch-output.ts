import { CommandFailure } from './command-failure.ts';
import type { CliIo } from './terminal.ts';

/**
 * Hears of failing writes, which streams tell only later. Returns what waits until all is written and gives the failure;
 * a reader of a pipe who leaves early, as `head` does, is none.
 */
export function watchOutput({ stdout, stderr }: CliIo): () => Promise<CommandFailure | undefined> {
  let failure: CommandFailure | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= new CommandFailure(error);
  });
  // Where not even an error can be told, the exit code is all that is left.
  stderr.on('error', () => undefined);
  return async () => {
    await new Promise((written) => stdout.write('', written));
    return failure;
  };
}
