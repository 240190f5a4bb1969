import { basename, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { ImportResult, Palimpsest } from '../../../engine/index.ts';
import { countText } from '../display/index.ts';
import type { ReadSession } from '../import/index.ts';
import type { ImportFormat } from '../import-formats.ts';
import { withStore } from '../open-store.ts';
import { exitCodes } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';

/** Options of `palimpsest import`. */
export interface ImportOptions {
  readonly format: ImportFormat | 'auto';
  readonly user?: string;
}

/** Adds the sessions of a foreign file. Stops between sessions at Ctrl-C; importing again does the rest. */
export async function importFile(terminal: Terminal, path: string, options: ImportOptions): Promise<number> {
  const { detectFormat, openSource, readerOf, refuseOtherFormat } = await import('../import/index.ts');
  const source = await openSource(resolve(terminal.io.cwd, path));
  const format = options.format === 'auto' ? detectFormat(source) : options.format;
  refuseOtherFormat(source, format);
  const sessions = readerOf(format)(source, options.user === undefined ? {} : { userId: options.user });
  const iterator = sessions[Symbol.asyncIterator]();
  // The first session is read before the store is opened: a broken file makes no store.
  const first = await iterator.next();
  const work = (palimpsest: Palimpsest) =>
    importSessions({ palimpsest, terminal, format, label: basename(path), first, iterator });
  return withStore(terminal, work, { mayCreate: true });
}

interface ImportRun {
  readonly palimpsest: Palimpsest;
  readonly terminal: Terminal;
  readonly format: ImportFormat;
  readonly label: string;
  readonly first: IteratorResult<ReadSession>;
  readonly iterator: AsyncIterator<ReadSession>;
}

async function importSessions(run: ImportRun): Promise<number> {
  const { palimpsest, terminal, format, iterator } = run;
  const { signal } = terminal.io;
  const progress = startProgress(run);
  let total: ImportResult = { sessions: 0, added: 0, unchanged: 0 };
  try {
    for (let next = run.first; next.done !== true && !signal.aborted; next = await iterator.next()) {
      const result = await palimpsest.import(next.value.session, { from: format });
      total = sum(total, result);
      progress.update(next.value.progress, total);
      // Lets Ctrl-C be heard between two sessions.
      await new Promise((continueWith) => setImmediate(continueWith));
    }
    if (!signal.aborted) await palimpsest.settled();
  } catch (error) {
    progress.stop();
    terminal.note(`${summary(total)} before this:`);
    throw error;
  }
  progress.stop();
  return finish(run, total, signal.aborted);
}

function finish({ terminal, format, label }: ImportRun, total: ImportResult, interrupted: boolean): number {
  if (terminal.options.json) terminal.json({ format, ...total, interrupted });
  else if (!interrupted) terminal.print(`${summary(total)} from ${label} (${format}).`);
  if (!interrupted) return exitCodes.done;
  terminal.note(`Stopped. ${summary(total)}; import ${label} again to finish, what is there already is skipped.`);
  return exitCodes.interrupted;
}

function summary({ sessions, added, unchanged }: ImportResult): string {
  const known = unchanged === 0 ? '' : `, ${countText(unchanged, 'event')} there already`;
  return `Imported ${countText(sessions, 'session')}: ${countText(added, 'new event')}${known}`;
}

function sum(a: ImportResult, b: ImportResult): ImportResult {
  return { sessions: a.sessions + b.sessions, added: a.added + b.added, unchanged: a.unchanged + b.unchanged };
}

/** A bar while a person watches; nothing where stderr is a file or a pipe. */
function startProgress({ terminal, label }: ImportRun) {
  const { stderr } = terminal.io;
  if (stderr.isTTY !== true) return { update: () => undefined, stop: () => undefined };
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
