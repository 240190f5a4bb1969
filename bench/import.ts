import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PalimpsestError } from '../src/index.ts';
import { median, round } from './figures.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const entry = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const processes = 9;

/** How long `await import('palimpsest')` takes inside a fresh process: by name, on the built package. */
export async function benchImport(print: (line: string) => void): Promise<Record<string, number>> {
  if (!existsSync(entry)) throw new PalimpsestError('FILE_NOT_FOUND', { file: `${entry} (run: npm run build)` });
  const program = `const started = performance.now(); await import('palimpsest'); console.log(performance.now() - started);`;
  const words = ['--input-type=module', '--eval', program];
  // Inside the package's own folder its name stands for what it exports.
  const times = Array.from({ length: processes }, () =>
    Number(execFileSync(process.execPath, words, { cwd: project, encoding: 'utf8' })),
  );
  print(`import: median ${round(median(times))} ms, ${round(Math.min(...times))} to ${round(Math.max(...times))}`);
  return { importMs: median(times) };
}
