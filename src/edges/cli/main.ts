#!/usr/bin/env node
import process from 'node:process';
import { run } from './program.ts';
import { exitCodes } from './report-error.ts';

const interrupt = new AbortController();

quietSqliteWarning();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    interrupt.abort();
  });
}

const exitCode = await run(process.argv.slice(2), {
  // Touched by the commands that read from it only.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interrupt.signal,
});
// Work that a signal left behind must not keep the process.
if (interrupt.signal.aborted) process.exit(exitCode);
process.exitCode = exitCode;

/** Node 22 announces at each start that its SQLite module is experimental: of no use to who runs a command. */
function quietSqliteWarning(): void {
  const emit = process.emitWarning.bind(process);
  const quiet: typeof process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).startsWith('SQLite is an experimental feature')) return;
    Reflect.apply(emit, process, [warning, ...rest]);
  };
  process.emitWarning = quiet;
}
