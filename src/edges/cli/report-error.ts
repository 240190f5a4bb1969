import { CommanderError } from 'commander';
import { isPalimpsestError } from '../../errors/index.ts';
import { CommandFailure } from './command-failure.ts';
import { oneLine, printable, printableJson } from './display/index.ts';
import { type CliIo, writeNote } from './terminal.ts';

/** What the process ends with. */
export const exitCodes = { done: 0, failed: 1, wrongUsage: 2, interrupted: 130 } as const;

/** How a failure is told. */
export interface ErrorReporting {
  readonly json: boolean;
  readonly verbose: boolean;
  readonly storeFile: string;
}

/** Tells a failure on stderr, in the words of the error or as one JSON object, and returns the exit code for it. */
export function reportError(error: unknown, io: CliIo, options: ErrorReporting): number {
  if (error instanceof CommandFailure) return tell(error.cause, error, { io, options });
  return tell(error, { facts: {}, hint: undefined }, { io, options });
}

function tell(
  error: unknown,
  about: Pick<CommandFailure, 'facts' | 'hint'>,
  { io, options }: { readonly io: CliIo; readonly options: ErrorReporting },
): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  const { json, verbose, storeFile } = options;
  const stack = verbose && error instanceof Error ? stackOf(error) : undefined;
  if (json) {
    const body = { ...bodyOf(error), ...about.facts, ...(stack === undefined ? {} : { stack }) };
    io.stderr.write(`${printableJson(JSON.stringify({ error: body }))}\n`);
    return exitCodeOf(error);
  }
  // Wrong usage of commander's kind has been told by itself, with the help that belongs to it.
  if (!(error instanceof CommanderError)) {
    writeNote(io.stderr, `error: ${messageOf(error)}`);
    const hint = about.hint ?? hintFor(error, { verbose, storeFile });
    if (hint !== undefined) writeNote(io.stderr, hint);
  }
  if (stack !== undefined) io.stderr.write(`${printable(stack)}\n`);
  return exitCodeOf(error);
}

/** What a failure says in the command line, where sessions are looked up rather than created, and nothing is set in code. */
export function messageOf(error: unknown): string {
  if (isPalimpsestError(error, 'SESSION_NOT_FOUND')) {
    return `There is no session ${JSON.stringify(error.details.sessionId)}. 'palimpsest sessions' lists them.`;
  }
  if (isPalimpsestError(error, 'SESSION_BUSY')) {
    const { sessionId, freeAt } = error.details;
    return `Another program answers in session ${JSON.stringify(sessionId)}; if it has died, the session is free at ${freeAt}.`;
  }
  return error instanceof Error ? error.message : String(error);
}

function bodyOf(error: unknown): Record<string, unknown> {
  if (error instanceof CommanderError) {
    // Without a command commander's message is the name of an event of its own.
    const said = error.code === 'commander.help' ? 'no command is given' : error.message.replace(/^error: /, '');
    const end = /[.?)]$/.test(said) ? '' : '.';
    return {
      code: 'INVALID_ARGUMENT',
      message: `${oneLine(said)}${end} 'palimpsest --help' lists commands and options.`,
    };
  }
  const message = messageOf(error);
  if (isPalimpsestError(error)) return { code: error.code, message, details: error.details };
  return { code: systemCodeOf(error) ?? 'UNEXPECTED', message };
}

function hintFor(error: unknown, { verbose, storeFile }: { readonly verbose: boolean; readonly storeFile: string }) {
  if (isPalimpsestError(error, 'FILE_NOT_FOUND') && error.details.file === storeFile) {
    return 'Name the store with --file, or begin one: palimpsest chat, or palimpsest import <file>';
  }
  if (isPalimpsestError(error, 'SESSION_BUSY')) {
    return 'Wait until it is done and ask again, or choose another session with --session.';
  }
  const isUnexpected = !isPalimpsestError(error) && systemCodeOf(error) === undefined;
  return isUnexpected && !verbose ? 'Run again with --verbose to see where it failed.' : undefined;
}

/** What the operating system calls a failure, such as ENOSPC. */
function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return exitCodes.wrongUsage;
  if (isPalimpsestError(error, 'ABORTED')) return exitCodes.interrupted;
  const isUsage = isPalimpsestError(error, 'INVALID_ARGUMENT') || isPalimpsestError(error, 'INVALID_ID');
  return isUsage ? exitCodes.wrongUsage : exitCodes.failed;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return (error.stack ?? error.message) + cause;
}
