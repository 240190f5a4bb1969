import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PalimpsestError } from '../../../errors/index.ts';
import { figuresOf, headFigures, type RetrievalReport, type RetrievalScores } from '../../../evaluation/index.ts';
import { tableLines } from '../display/index.ts';
import type { Terminal } from '../terminal.ts';

/** Options of `palimpsest eval`. */
export interface EvaluateOptions {
  readonly data?: string;
  /** Files, relative to where the command was called. */
  readonly out?: string;
  readonly compare?: string;
  readonly html?: string;
}

const defaultFolder = 'data';

/** Asks the questions of a data set of a memory that has learnt it, and tells how much of the evidence was found. */
export async function evaluateMemory(terminal: Terminal, dataset: string, options: EvaluateOptions): Promise<void> {
  const { io } = terminal;
  const { evaluateRetrieval, findSet, reportPage } = await import('../../../evaluation/index.ts');
  const folder = resolve(io.cwd, options.data ?? (io.env.PALIMPSEST_EVAL_DATA || defaultFolder));
  const named = /\.jsonl?$/.test(dataset) ? resolve(io.cwd, dataset) : dataset;
  const before = options.compare === undefined ? undefined : await readReport(resolve(io.cwd, options.compare));
  const set = await findSet(named, folder);
  const report = await evaluateRetrieval(set, {
    signal: io.signal,
    onProgress: (done, of) => terminal.note(`${set.name}: ${done} of ${of} memories asked`),
  }).catch((error: unknown) => {
    throw io.signal.aborted ? new PalimpsestError('ABORTED', { what: 'The evaluation' }) : error;
  });
  if (options.out !== undefined) await writeFile(resolve(io.cwd, options.out), `${JSON.stringify(report)}\n`);
  if (options.html !== undefined) await writeFile(resolve(io.cwd, options.html), reportPage(report));
  if (terminal.options.json) terminal.json({ figures: headFigures(report), ...report });
  else printReport(terminal, report, before);
}

async function readReport(path: string): Promise<RetrievalReport> {
  try {
    const report: Partial<RetrievalReport> = JSON.parse(await readFile(path, 'utf8'));
    if (report.sessions !== undefined && report.byCategory !== undefined) return report as RetrievalReport;
  } catch (cause) {
    throw unreadable(path, cause);
  }
  throw unreadable(path, undefined);
}

function unreadable(path: string, cause: unknown): PalimpsestError {
  const reason = `must be a report that --out has written; ${path} is none`;
  return new PalimpsestError('INVALID_ARGUMENT', { argument: '--compare', reason }, { cause });
}

function printReport(terminal: Terminal, report: RetrievalReport, before: RetrievalReport | undefined): void {
  const { paint } = terminal;
  const { set, questions, sha256, license, leftOut, searchMs, byCategory } = report;
  terminal.print(`${paint.bold(set)}  ${paint.dim(`${questions} questions · ${license}`)}`);
  for (const one of sha256) terminal.print(paint.dim(`sha256 ${one}`));
  printScores(terminal, report, before);
  for (const [name, scores] of Object.entries(byCategory)) {
    terminal.print('');
    terminal.print(`${paint.bold(name)}  ${paint.dim(`${scores.questions} questions`)}`);
    printScores(terminal, scores, before?.byCategory[name]);
  }
  terminal.print('');
  const [p50, p95, p99] = [searchMs.p50, searchMs.p95, searchMs.p99].map((ms) => ms.toFixed(2));
  terminal.print(`A search took ${p50} ms (median), ${p95} ms (95 %), ${p99} ms (99 %).`);
  if (leftOut.length > 0) terminal.print(`Left out: ${leftOut.length}`);
  for (const { id, why } of leftOut) terminal.print(paint.dim(`  ${id}: ${why}`));
}

function printScores(terminal: Terminal, scores: RetrievalScores, before: RetrievalScores | undefined): void {
  const { paint, width } = terminal;
  const earlier = new Map(before && figuresOf(before).map(({ name, percent }) => [name, percent]));
  const rows = new Map<string, string[]>();
  for (const { name, percent } of figuresOf(scores)) {
    const [, measure = ''] = name.split(' ');
    const was = earlier.get(name);
    const change = was === undefined ? '' : ` (${percent >= was ? '+' : ''}${(percent - was).toFixed(2)})`;
    rows.set(measure, [...(rows.get(measure) ?? [measure]), `${percent.toFixed(2)}${change}`]);
  }
  const shown = scores.documents === undefined ? ['SESSION %'] : ['TURN %', 'SESSION %'];
  const columns = [{ title: '' }, ...shown.map((title) => ({ title, align: 'right' as const }))];
  for (const line of tableLines({ width, paintTitle: paint.dim, columns, rows: [...rows.values()] }))
    terminal.print(line);
}
