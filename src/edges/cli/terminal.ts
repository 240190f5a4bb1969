import { resolve } from 'node:path';
import picocolors from 'picocolors';
import { printable, printableJson, printableWithColours, wrapHanging } from './display/index.ts';

/** The store's file, where nothing names another. */
export const defaultFile = 'palimpsest.db';

/** The application, where `--app` names none. */
export const defaultApp = 'default';

/** A stream that results or notes are written to. */
export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** A stream that messages are read from. */
export type InputStream = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** The outside of the command: streams, environment, and a signal that aborts at Ctrl-C, SIGTERM or SIGHUP. */
export interface CliIo {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Options that every command takes. */
export interface GlobalOptions {
  readonly file?: string;
  readonly app: string;
  readonly json?: boolean;
  readonly color: boolean;
  readonly verbose?: boolean;
}

/** Colours, or nothing where they are not wanted. */
export type Paint = ReturnType<typeof picocolors.createColors>;

/** What a command writes with: results to stdout, everything else to stderr. */
export interface Terminal {
  readonly io: CliIo;
  readonly options: GlobalOptions;
  /** The store's file, as an absolute path. */
  readonly file: string;
  readonly paint: Paint;
  /** Columns of the terminal as it is now, which may be resized; without bound where the output is piped. */
  readonly width: number;
  print(line: string): void;
  /** Text that is no whole line yet. */
  write(text: string): void;
  /** For the person at the terminal, not part of the result; nothing under --json. */
  note(line: string): void;
  json(value: unknown): void;
  /** The same on one line. */
  jsonLine(value: unknown): void;
}

/** The terminal for one command. */
export function createTerminal(io: CliIo, options: GlobalOptions): Terminal {
  const { env, stdout, stderr } = io;
  const wantsColor =
    options.color && !env.NO_COLOR && (stdout.isTTY === true || !['', '0', undefined].includes(env.FORCE_COLOR));
  const paint = picocolors.createColors(wantsColor && env.TERM !== 'dumb');
  const show = paint.isColorSupported ? printableWithColours : printable;
  return {
    io,
    options,
    file: resolve(io.cwd, options.file ?? (env.PALIMPSEST_FILE || defaultFile)),
    paint,
    get width() {
      return stdout.isTTY === true ? Math.max(40, stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
    },
    print: (line) => void stdout.write(`${show(line)}\n`),
    write: (text) => void stdout.write(show(text)),
    note: (line) => {
      if (options.json !== true) writeNote(stderr, line);
    },
    json: (value) => void stdout.write(`${printableJson(JSON.stringify(value, undefined, 2))}\n`),
    jsonLine: (value) => void stdout.write(`${printableJson(JSON.stringify(value))}\n`),
  };
}

/** Writes a line for a person, broken between words where the stream is a terminal. */
export function writeNote(stream: OutputStream, text: string): void {
  const columns = stream.isTTY === true ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY;
  stream.write(`${wrapHanging(printable(text), columns).join('\n')}\n`);
}
