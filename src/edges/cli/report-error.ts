import { CommanderError } from 'commander';
import { isPalimpsestError } from '../../errors/index.ts';
import { printable } from './display/index.ts';
import type { CliIo } from './terminal.ts';

/** What the process ends with. */
export const exitCodes = { done: 0, failed: 1, wrongUsage: 2, interrupted: 130 } as const;

/** Tells a failure on stderr, in the words of the error, and returns the exit code for it. */
export function reportError(
  error: unknown,
  io: CliIo,
  options: { readonly json: boolean; readonly verbose: boolean; readonly storeFile: string },
): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
  const known = isPalimpsestError(error) ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (options.json) {
    const body = known === undefined ? { message } : { code: known.code, message, details: known.details };
    io.stderr.write(`${JSON.stringify({ error: body })}\n`);
  } else {
    io.stderr.write(`error: ${printable(message)}\n`);
    if (isPalimpsestError(error, 'FILE_NOT_FOUND') && error.details.file === options.storeFile) {
      io.stderr.write('Name the store with --file, or begin one: palimpsest import <file>\n');
    }
    if (known === undefined && !options.verbose) io.stderr.write('Run again with --verbose to see where it failed.\n');
  }
  if (options.verbose && error instanceof Error) io.stderr.write(`${stackOf(error)}\n`);
  if (known?.code === 'ABORTED') return exitCodes.interrupted;
  return known?.code === 'INVALID_ARGUMENT' || known?.code === 'INVALID_ID' ? exitCodes.wrongUsage : exitCodes.failed;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return (error.stack ?? error.message) + cause;
}
