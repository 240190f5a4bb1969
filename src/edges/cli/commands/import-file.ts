import { basename, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { ImportResult, Palimpsest } from '../../../engine/index.ts';
import { isPalimpsestError, type PalimpsestError } from '../../../errors/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { countText, oneLine } from '../display/index.ts';
import type { ReadSession, RefusedRecord } from '../import/index.ts';
import type { ImportFormat } from '../import-formats.ts';
import { withStore } from '../open-store.ts';
import { exitCodes } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';

/** Options of `palimpsest import`. */
export interface ImportOptions {
  readonly format: ImportFormat | 'auto';
  readonly user?: string;
}

const mostListed = 20;

/**
 * Adds the sessions of a foreign file, or of standard input for `-`. A conversation that cannot be imported is left out
 * and told at the end. Stops between sessions at Ctrl-C; importing again does the rest.
 */
export async function importFile(terminal: Terminal, path: string, options: ImportOptions): Promise<number> {
  const { detectFormat, openSource, readerOf, refuseOtherFormat } = await import('../import/index.ts');
  const { cwd, signal } = terminal.io;
  const source = await openSource(path === '-' ? path : resolve(cwd, path), { signal });
  const format = options.format === 'auto' ? detectFormat(source) : options.format;
  refuseOtherFormat(source, format);
  const read = readerOf(format)(source, options.user === undefined ? {} : { userId: options.user });
  const run = new ImportRun(terminal, { format, label: oneLine(basename(source.file)) });
  const iterator = read[Symbol.asyncIterator]();
  // Read up to the first session before the store is opened: a broken file makes no store.
  const first = await run.skipRefused(iterator);
  if (first !== undefined) {
    const work = (palimpsest: Palimpsest) => run.importAll(palimpsest, first, iterator);
    await withStore(terminal, work, { access: 'create', learn: true });
  }
  return run.finish();
}

type Reads = AsyncIterator<ReadSession | RefusedRecord>;

class ImportRun {
  readonly #terminal: Terminal;
  readonly #format: ImportFormat;
  readonly #label: string;
  readonly #leftOut: PalimpsestError<'INVALID_IMPORT'>[] = [];
  #total: ImportResult = { sessions: 0, added: 0, unchanged: 0 };

  constructor(terminal: Terminal, { format, label }: { readonly format: ImportFormat; readonly label: string }) {
    this.#terminal = terminal;
    this.#format = format;
    this.#label = label;
  }

  /** The next session, past what cannot be read. */
  async skipRefused(reads: Reads): Promise<ReadSession | undefined> {
    for (let next = await reads.next(); next.done !== true; next = await reads.next()) {
      if (!('refused' in next.value)) return next.value;
      this.#leftOut.push(next.value.refused);
    }
    return undefined;
  }

  async importAll(palimpsest: Palimpsest, first: ReadSession, reads: Reads): Promise<void> {
    const { signal } = this.#terminal.io;
    const progress = startProgress(this.#terminal, this.#label);
    try {
      let next: ReadSession | undefined = first;
      while (next !== undefined && !signal.aborted) {
        await this.#importOne(palimpsest, next);
        progress.update(next.progress, this.#total);
        // Lets Ctrl-C be heard between two sessions.
        await new Promise((continueWith) => setImmediate(continueWith));
        next = await this.skipRefused(reads);
      }
      if (!signal.aborted) await palimpsest.settled();
    } catch (error) {
      progress.stop();
      this.#terminal.note(`${summary(this.#total)} before this:`);
      throw new CommandFailure(error, { imported: this.#total, leftOut: this.#leftOut.map(leftOutJson) });
    }
    progress.stop();
  }

  async #importOne(palimpsest: Palimpsest, read: ReadSession): Promise<void> {
    const { importFailure } = await import('../import/index.ts');
    try {
      this.#total = sum(this.#total, await palimpsest.import(read.session, { from: this.#format }));
    } catch (error) {
      const failure = importFailure(error, read);
      if (failure === undefined) throw error;
      this.#leftOut.push(failure);
    }
  }

  /** Tells what was done. If all that the file holds is one thing that cannot be imported, that is the failure. */
  finish(): number {
    const terminal = this.#terminal;
    const interrupted = terminal.io.signal.aborted;
    const [failure, ...others] = this.#leftOut;
    if (failure !== undefined && others.length === 0 && this.#total.sessions === 0 && !interrupted) throw failure;
    if (terminal.options.json) {
      const leftOut = this.#leftOut.map(leftOutJson);
      terminal.json({ format: this.#format, ...this.#total, leftOut, interrupted });
    } else if (!interrupted) terminal.print(`${summary(this.#total)} from ${this.#label} (${this.#format}).`);
    this.#noteLeftOut();
    if (!interrupted) return failure === undefined ? exitCodes.done : exitCodes.failed;
    terminal.note(
      `Stopped. ${summary(this.#total)}; import ${this.#label} again to finish, what is there already is skipped.`,
    );
    return exitCodes.interrupted;
  }

  #noteLeftOut(): void {
    const count = this.#leftOut.length;
    if (count === 0) return;
    this.#terminal.note(`Left out, ${countText(count, 'fault')}:`);
    for (const { message } of this.#leftOut.slice(0, mostListed)) this.#terminal.note(`  ${message}`);
    if (count > mostListed) this.#terminal.note(`  … and ${count - mostListed} more; --json lists all.`);
  }
}

/** `code` says why, where the store refused what the file holds. */
function leftOutJson({ details, cause, code }: PalimpsestError<'INVALID_IMPORT'>): Record<string, unknown> {
  return { code: isPalimpsestError(cause) ? cause.code : code, ...details };
}

function summary({ sessions, added, unchanged }: ImportResult): string {
  const known = unchanged === 0 ? '' : `, ${countText(unchanged, 'event')} there already`;
  return `Imported ${countText(sessions, 'session')}: ${countText(added, 'new event')}${known}`;
}

function sum(a: ImportResult, b: ImportResult): ImportResult {
  return { sessions: a.sessions + b.sessions, added: a.added + b.added, unchanged: a.unchanged + b.unchanged };
}

/** A bar while a person watches; nothing where stderr is a file or a pipe. */
function startProgress({ io: { stderr }, options }: Terminal, label: string) {
  if (stderr.isTTY !== true || options.json) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    format: `${label} {bar} {percentage}%  {sessions} sessions`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    stream: stderr,
  });
  bar.start(1000, 0, { sessions: 0 });
  return {
    update: (progress: number, total: ImportResult) =>
      bar.update(Math.floor(progress * 1000), { sessions: total.sessions }),
    stop: () => bar.stop(),
  };
}
