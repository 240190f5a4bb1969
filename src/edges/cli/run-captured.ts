import { Writable } from 'node:stream';
import { run } from './program.ts';

/** How the command is run in a test. */
export interface RunOptions {
  readonly env?: Record<string, string>;
  /** Columns of a terminal; a pipe if left out. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
}

class Capture extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number;

  constructor(isTTY: boolean, columns: number) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

/** For tests: runs the command in this process and returns its exit code with what it wrote. */
export async function runCaptured(
  args: readonly string[],
  { cwd, env, columns, signal = new AbortController().signal }: RunOptions & { readonly cwd: string },
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const isTTY = columns !== undefined;
  const stdout = new Capture(isTTY, columns ?? 80);
  const stderr = new Capture(isTTY, columns ?? 80);
  const code = await run(args, { stdout, stderr, env: { NO_COLOR: '1', ...env }, cwd, signal });
  return { code, out: stdout.text, err: stderr.text };
}
