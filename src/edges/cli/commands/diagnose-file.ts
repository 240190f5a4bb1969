import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { SqliteFile } from '../../../backends/sqlite/index.ts';
import { isPalimpsestError } from '../../../errors/index.ts';
import { bytesText, countText, printable } from '../display/index.ts';
import { exitCodes } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';
import { checkLaws } from './check-laws.ts';
import { checkLogs } from './check-logs.ts';

/** What one check of the doctor found out. */
export interface DoctorFinding {
  /** What was looked at, with figures. */
  readonly what: string;
  /** Nothing for a sound file. */
  readonly problems: readonly string[];
}

/** A check that may write: it is given a scratch copy of the file and the apps in it. */
export type ScratchCheck = (copy: {
  readonly file: string;
  readonly apps: readonly string[];
}) => Promise<DoctorFinding>;

const scratchChecks: readonly ScratchCheck[] = [checkLogs, checkLaws];

/** Checks a file without changing it: what could change something is tried on a scratch copy, removed afterwards. */
export async function diagnoseFile(terminal: Terminal, named: string | undefined): Promise<number> {
  const file = named === undefined ? terminal.file : resolve(terminal.io.cwd, named);
  const findings = await examine(file);
  const isSound = findings.every(({ problems }) => problems.length === 0);
  if (terminal.options.json) terminal.json({ file, sound: isSound, findings });
  else await printFindings(terminal, file, findings);
  return isSound ? exitCodes.done : exitCodes.failed;
}

async function examine(file: string): Promise<DoctorFinding[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'palimpsest-doctor-'));
  try {
    const copy = join(scratch, 'copy.db');
    const { integrity, apps } = await copyReadOnly(file, copy);
    const findings = [integrity];
    // A copy of pages that are damaged would only repeat what is known.
    if (integrity.problems.length === 0)
      for (const check of scratchChecks) findings.push(await check({ file: copy, apps }));
    return findings;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function copyReadOnly(file: string, copy: string): Promise<{ integrity: DoctorFinding; apps: string[] }> {
  const store = await SqliteFile.open({ file, readOnly: true });
  try {
    const problems = integrityProblems(store);
    const integrity = { what: 'Pages and indexes', problems };
    if (problems.length > 0) return { integrity, apps: [] };
    store.backup(copy);
    const apps = store.all('SELECT DISTINCT app FROM sessions ORDER BY app').map(({ app }) => String(app));
    return { integrity, apps };
  } finally {
    store.close();
  }
}

/** A file may be too damaged for the check itself. */
function integrityProblems(store: SqliteFile): string[] {
  try {
    return store.integrityProblems();
  } catch (error) {
    if (!isPalimpsestError(error, 'STORE_CORRUPT')) throw error;
    return [error.details.reason];
  }
}

async function printFindings(terminal: Terminal, file: string, findings: readonly DoctorFinding[]): Promise<void> {
  const { paint, print } = terminal;
  const { size } = await stat(file);
  print(`${paint.bold(relative(terminal.io.cwd, file) || file)}  ${paint.dim(bytesText(size))}`);
  for (const { what, problems } of findings) {
    print(`  ${problems.length === 0 ? paint.green('ok') : paint.red('fault')}  ${printable(what)}`);
    for (const problem of problems) print(`         ${printable(problem)}`);
  }
  const faults = findings.reduce((sum, { problems }) => sum + problems.length, 0);
  print(faults === 0 ? 'The file is sound.' : `${countText(faults, 'fault')} found. Restore a backup.`);
}
