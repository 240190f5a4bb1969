import { AssertionError } from 'node:assert';
import { PassThrough, Readable, Writable } from 'node:stream';
import { run } from './program.ts';

const patienceMs = 20_000;
/** What tells a terminal where to write. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: such sequences are what is to go
const steering = /\u001b\[[?0-9;]*[A-Za-z]|\r/g;

/** How the command is run in a test. */
export interface RunOptions {
  readonly env?: Record<string, string>;
  /** Columns of a terminal; a pipe if left out. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** What stands in the pipe to it. */
  readonly input?: string;
}

/** What a command left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command that a person is typing to. */
export interface Typing {
  /** Both streams, as they stand on the terminal. */
  shown(): string;
  type(keys: string): void;
  /** Waits until something stands on the terminal that was not there at the call before. */
  sees(text: string | RegExp): Promise<void>;
  readonly ended: Promise<Ran>;
}

class Capture extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number;
  readonly #also: ((text: string) => void) | undefined;

  constructor({ columns, also }: { readonly columns?: number | undefined; readonly also?: (text: string) => void }) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    this.columns = columns ?? 80;
    this.#also = also;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    this.#also?.(String(chunk));
    done();
  }
}

/** For tests: runs the command in this process and returns its exit code with what it wrote. */
export async function runCaptured(
  args: readonly string[],
  { cwd, env, columns, input = '', signal = new AbortController().signal }: RunOptions & { readonly cwd: string },
): Promise<Ran> {
  const stdout = new Capture({ columns });
  const stderr = new Capture({ columns });
  const stdin = Readable.from([input]);
  const code = await run(args, { stdin, stdout, stderr, env: { NO_COLOR: '1', ...env }, cwd, signal });
  return { code, out: stdout.text, err: stderr.text };
}

/** For tests: runs the command as at a terminal, where keys are typed while it runs. */
export function runTyping(
  args: readonly string[],
  { cwd, env, columns = 80, signal = new AbortController().signal }: RunOptions & { readonly cwd: string },
): Typing {
  let shown = '';
  let seen = 0;
  let look: () => void = () => undefined;
  const also = (text: string) => {
    shown += text.replace(steering, '');
    look();
  };
  const stdout = new Capture({ columns, also });
  const stderr = new Capture({ columns, also });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const running = run(args, { stdin, stdout, stderr, env: { NO_COLOR: '1', ...env }, cwd, signal });
  return {
    shown: () => shown,
    type: (keys) => void stdin.write(keys),
    sees: (text) =>
      new Promise((resolve, reject) => {
        const impatience = setTimeout(() => {
          reject(new AssertionError({ message: `waits for ${text}, sees ${JSON.stringify(shown.slice(seen))}` }));
        }, patienceMs);
        look = () => {
          const found = typeof text === 'string' ? shown.indexOf(text, seen) : shown.slice(seen).search(text);
          if (found === -1) return;
          clearTimeout(impatience);
          seen = shown.length;
          look = () => undefined;
          resolve();
        };
        look();
      }),
    ended: running.then((code) => ({ code, out: stdout.text, err: stderr.text })),
  };
}
