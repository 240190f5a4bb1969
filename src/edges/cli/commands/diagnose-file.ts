import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { SqliteFile } from '../../../backends/sqlite/index.ts';
import { isPalimpsestError } from '../../../errors/index.ts';
import { copyStore, namingOriginal, refuseUnreadable } from '../copy-store.ts';
import { bytesText, countText, oneLine, wrapHanging } from '../display/index.ts';
import { mayGoOn } from '../may-go-on.ts';
import { exitCodes } from '../report-error.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import type { Terminal } from '../terminal.ts';
import { checkLaws } from './check-laws.ts';
import { checkLogs } from './check-logs.ts';

const problemsShown = 20;

/** What one check of the doctor found out. */
export interface DoctorFinding {
  /** What was looked at, with figures. */
  readonly what: string;
  /** Nothing for a sound file. */
  readonly problems: readonly string[];
  /** How many events could be read, where that was looked at. */
  readonly eventsRead?: number;
}

/** What a check may write to: a scratch copy of the file, with the apps in it. */
export interface ScratchCopy {
  readonly file: string;
  readonly apps: readonly string[];
  /** To be awaited between two pieces of work; throws ABORTED after a signal. */
  mayGoOn(): Promise<void>;
}

/** Checks a file without changing it: everything is tried on a scratch copy, removed afterwards. */
export async function diagnoseFile(terminal: Terminal, named: string | undefined): Promise<number> {
  const file = named === undefined ? terminal.file : resolve(terminal.io.cwd, named);
  await refuseUnreadable(file);
  const findings = await withScratchFolder((folder) => examine(file, folder, () => mayGoOn(terminal.io.signal)));
  const isSound = findings.every(({ problems }) => problems.length === 0);
  if (terminal.options.json) terminal.json({ file, sound: isSound, findings });
  else await printFindings(terminal, file, findings);
  return isSound ? exitCodes.done : exitCodes.failed;
}

async function examine(file: string, folder: string, goOn: () => Promise<void>): Promise<DoctorFinding[]> {
  const copy = join(folder, 'copy.db');
  await goOn();
  const { damage, apps } = await copyToCheck(file, copy);
  const findings: DoctorFinding[] = [{ what: 'Pages and indexes', problems: damage }];
  const scratch: ScratchCopy = { file: copy, apps, mayGoOn: goOn };
  await goOn();
  if (damage.length === 0 || apps.length > 0) findings.push(await checkLogs(scratch));
  await goOn();
  // On damaged pages laws would only repeat what is known.
  if (damage.length === 0) findings.push(await checkLaws(scratch));
  return findings;
}

interface CheckedCopy {
  readonly damage: readonly string[];
  /** None in a file too damaged to tell. */
  readonly apps: readonly string[];
}

async function copyToCheck(file: string, copy: string): Promise<CheckedCopy> {
  try {
    const how = await copyStore(file, copy);
    return await namingOriginal({ copy, file }, () => checkPages(how === 'bytes' ? copy : file));
  } catch (error) {
    if (!isPalimpsestError(error, 'STORE_CORRUPT')) throw error;
    return { damage: [error.details.reason], apps: [] };
  }
}

async function checkPages(file: string): Promise<CheckedCopy> {
  const store = await SqliteFile.open({ file, readOnly: true });
  try {
    const damage = whatIsDamaged(() => store.integrityProblems());
    let apps: string[] = [];
    const noApps = whatIsDamaged(() => {
      apps = store.all('SELECT DISTINCT app FROM sessions ORDER BY app').map(({ app }) => String(app));
      return [];
    });
    return { damage: damage.length > 0 ? damage : noApps, apps };
  } finally {
    store.close();
  }
}

/** A file may be too damaged for the check itself. */
function whatIsDamaged(check: () => readonly string[]): readonly string[] {
  try {
    return check();
  } catch (error) {
    if (!isPalimpsestError(error, 'STORE_CORRUPT')) throw error;
    return [error.details.reason];
  }
}

async function printFindings(terminal: Terminal, file: string, findings: readonly DoctorFinding[]): Promise<void> {
  const { paint, print } = terminal;
  const say = (line: string) => wrapHanging(line, terminal.width).forEach(print);
  const { size } = await stat(file);
  print(`${paint.bold(relative(terminal.io.cwd, file) || file)}  ${paint.dim(bytesText(size))}`);
  for (const { what, problems } of findings) {
    print(`  ${problems.length === 0 ? paint.green('ok') : paint.red('fault')}  ${what}`);
    const more = problems.length - problemsShown;
    const told = more > 0 ? [...problems.slice(0, problemsShown), `and ${more} more; --json lists all`] : problems;
    for (const problem of told) say(`         ${oneLine(problem)}`);
  }
  const faults = findings.reduce((sum, { problems }) => sum + problems.length, 0);
  say(faults === 0 ? 'The file is sound.' : `${countText(faults, 'fault')} found. ${remedyFor(findings)}`);
}

function remedyFor(findings: readonly DoctorFinding[]): string {
  const [pages] = findings;
  if (pages?.problems.length === 0) return 'Restore a backup.';
  const isSomethingLeft = findings.some(({ eventsRead = 0 }) => eventsRead > 0);
  if (!isSomethingLeft) return 'Restore a backup: no event in this file can be read any more.';
  return "Restore a backup. What was read of the logs, 'palimpsest show' still shows.";
}
