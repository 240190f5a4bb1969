import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { jobLaws, memoryLaws, sessionLaws } from '../src/testing/index.ts';
import { allMutations } from './law-mutations/all-mutations.ts';
import type { LawMutation } from './law-mutations/law-mutation.ts';

const projectRoot = join(import.meta.dirname, '..');
const copied = ['src', 'test/laws', 'package.json', 'tsconfig.json'];
const timeoutMs = 60_000;
const laws = Object.keys({ ...sessionLaws, ...memoryLaws, ...jobLaws });

const { values } = parseArgs({
  options: {
    /** Only mutations of files whose path contains this. */
    file: { type: 'string', default: '' },
    /** Run all laws, not only the expected ones, and print every red one: how a new mutation finds its laws. */
    all: { type: 'boolean', default: false },
  },
});

/** What became of one mutation. */
interface Tried {
  readonly mutation: LawMutation;
  readonly red: readonly string[];
  readonly trouble?: string;
}

function copyTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'palimpsest-mutations-'));
  for (const path of copied) cpSync(join(projectRoot, path), join(tree, path), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Ids of the laws that are red in a tree; a tree that cannot be run has a trouble instead. */
function redLaws(tree: string, named: readonly string[]): { red: readonly string[]; trouble?: string } {
  const run = spawnSync(process.execPath, ['--import', 'tsx', 'test/laws/print-red-laws.ts', ...named], {
    cwd: tree,
    encoding: 'utf8',
    timeout: timeoutMs,
  });
  if (run.error) return { red: [], trouble: run.error.message };
  if (run.status !== 0) return { red: [], trouble: run.stderr.trim().split('\n').slice(0, 8).join(' ') };
  return { red: JSON.parse(run.stdout) };
}

function tryMutation(tree: string, mutation: LawMutation): Tried {
  const path = join(tree, 'src', mutation.file);
  const source = readFileSync(path, 'utf8');
  const places = source.split(mutation.from).length - 1;
  if (places !== 1) return { mutation, red: [], trouble: `the text to change stands ${places} times in the file` };
  writeFileSync(
    path,
    source.replace(mutation.from, () => mutation.to),
  );
  const found = redLaws(tree, values.all ? [] : mutation.red);
  writeFileSync(path, source);
  return { mutation, ...found };
}

function cell(text: string): string {
  return `\`${text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}\``;
}

/** Prints a row for each law of a mutation and returns what is wrong with it. */
function report({ mutation, red, trouble }: Tried): readonly string[] {
  const { file, from, to } = mutation;
  const place = `${file}: ${from.trim()}`;
  if (trouble !== undefined) {
    console.log(`| – | ${file} | ${cell(from)} | ${cell(to || ' ')} | ${trouble} |`);
    return [`${place}: ${trouble}`];
  }
  for (const law of values.all ? red : mutation.red) {
    console.log(
      `| ${law} | ${file} | ${cell(from)} | ${cell(to || ' ')} | ${red.includes(law) ? 'red' : '**green**'} |`,
    );
  }
  return mutation.red.filter((law) => !red.includes(law)).map((law) => `${law} stays green when ${place} is changed`);
}

/** Mutates, prints a Markdown table, and returns the exit code: 1 if a law is unshaken. */
function main(): number {
  const wanted = allMutations.filter(({ file }) => file.includes(values.file));
  const tree = copyTree();
  const wrong: string[] = [];
  try {
    const before = redLaws(tree, []);
    if (before.trouble ?? before.red.length > 0) {
      console.error(`The laws must be green to begin with: ${before.trouble ?? before.red.join(', ')}`);
      return 1;
    }
    console.log('| law | file | from | to | outcome |\n|---|---|---|---|---|');
    for (const mutation of wanted) wrong.push(...report(tryMutation(tree, mutation)));
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
  const shaken = new Set(allMutations.flatMap(({ red }) => red));
  const unshaken = laws.filter((law) => !shaken.has(law));
  wrong.push(...unshaken.map((law) => `${law} has no mutation`));
  wrong.push(...[...shaken].filter((law) => !laws.includes(law)).map((law) => `${law} is no law`));
  for (const line of wrong) console.error(line);
  console.error(`${wanted.length} mutations, ${laws.length} laws, ${wrong.length} faults`);
  return wrong.length === 0 ? 0 : 1;
}

process.exitCode = main();
