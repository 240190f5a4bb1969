import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../src/backends/sqlite/index.ts';
import { createMemoryService, type MemoryService, type NewMemory } from '../src/index.ts';
import { percentile, round } from './figures.ts';
import { withScratch } from './scratch.ts';

const sizes = { '1k': 1000, '10k': 10_000, '100k': 100_000 } as const;
const questions = 300;
const batch = 1000;
const users = 1000;
const perUser = 1000;

/** What is remembered and what is asked, in one language. */
interface Material {
  readonly texts: readonly string[];
  readonly questions: readonly string[];
}

/** Where the evaluation sets are, which texts and questions are taken from. */
const folder = process.env.PALIMPSEST_EVAL_DATA ?? '../shared/data';

/**
 * Searches of one user's memory in a SQLite file, 300 different questions at each size after ten that warm up, in two
 * languages; how fast entries are added into 100,000; and searches of a user with 1,000 entries in a file of a million.
 * Texts are those of the evaluation sets, repeated, each with a number of its own.
 */
export async function benchMemory(print: (line: string) => void): Promise<Record<string, number>> {
  const english = await measure('en', englishMaterial(), print);
  const chinese = await measure('zh', chineseMaterial(), print);
  return { ...english, ...chinese, p95_1k_of_1M: await measureMillion(englishMaterial(), print) };
}

async function measure(
  name: string,
  material: Material,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  return withScratch(async (scratch) => {
    const stores = await openSqlite({ file: join(scratch, 'memory.db') });
    const memory = createMemoryService({ store: stores.memory });
    const figures: Record<string, number> = {};
    let added = 0;
    for (const [label, size] of Object.entries(sizes)) {
      await add(memory, 'u', material, { from: added, to: size });
      added = size;
      const p95 = await searches(memory, 'u', material);
      figures[`${name}.p95_${label}`] = p95;
      print(`${name}: search of ${label} entries, p95 ${round(p95)} ms`);
    }
    const began = performance.now();
    await add(memory, 'u', material, { from: added, to: added + 10 * batch });
    figures[`${name}.addPerSecond`] = (10 * batch * 1000) / (performance.now() - began);
    print(
      `${name}: ${Math.round(figures[`${name}.addPerSecond`] ?? 0)} entries a second into ${added}, ${batch} at a time`,
    );
    await memory.close();
    stores.file.close();
    return figures;
  });
}

async function measureMillion(material: Material, print: (line: string) => void): Promise<number> {
  return withScratch(async (scratch) => {
    const stores = await openSqlite({ file: join(scratch, 'million.db') });
    const memory = createMemoryService({ store: stores.memory });
    print(`writing ${users * perUser} entries of ${users} users …`);
    for (let user = 0; user < users; user++) await add(memory, `u${user}`, material, { from: 0, to: perUser });
    const p95 = await searches(memory, 'u500', material);
    print(`search of 1k entries of one user among a million, p95 ${round(p95)} ms`);
    await memory.close();
    stores.file.close();
    return p95;
  });
}

async function add(
  memory: MemoryService,
  userId: string,
  { texts }: Material,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let start = from; start < to; start += batch) {
    const entries = Array.from({ length: Math.min(batch, to - start) }, (_, at): NewMemory => {
      const number = start + at;
      return { id: `${number}`, text: `${texts[number % texts.length]} ${number}`, kind: 'turn' };
    });
    await memory.add({ appName: 'bench', userId }, entries);
  }
}

async function searches(memory: MemoryService, userId: string, { questions: asked }: Material): Promise<number> {
  const scope = { appName: 'bench', userId };
  const times: number[] = [];
  for (let number = -10; number < questions; number++) {
    const query = asked[(number + asked.length) % asked.length] ?? '';
    const began = performance.now();
    await memory.search({ scope, query });
    if (number >= 0) times.push(performance.now() - began);
  }
  return percentile(times, 95);
}

function englishMaterial(): Material {
  interface Sample {
    readonly conversation: Readonly<Record<string, unknown>>;
    readonly qa: readonly { readonly question: string }[];
  }
  const samples: readonly Sample[] = JSON.parse(readFileSync(join(folder, 'locomo', 'locomo10.json'), 'utf8'));
  const turns = samples.flatMap(({ conversation }) =>
    Object.entries(conversation).flatMap(([name, value]) =>
      /^session_\d+$/.test(name) ? (value as readonly { readonly speaker: string; readonly text: string }[]) : [],
    ),
  );
  return {
    texts: turns.map(({ speaker, text }) => `${speaker}: ${text}`),
    questions: spread(samples.flatMap(({ qa }) => qa.map(({ question }) => question))),
  };
}

function chineseMaterial(): Material {
  interface Person {
    readonly history: Readonly<Record<string, readonly { readonly query: string; readonly response: string }[]>>;
  }
  const people: Readonly<Record<string, Person>> = JSON.parse(
    readFileSync(join(folder, 'memorybank', 'memory_bank_cn.json'), 'utf8'),
  );
  const said = Object.values(people).flatMap(({ history }) => Object.values(history).flat());
  const asked = readFileSync(join(folder, 'memorybank', 'probing_questions_cn.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => Object.values(JSON.parse(line) as Readonly<Record<string, readonly string[]>>).flat());
  const texts = said.flatMap(({ query, response }) => [query, response]);
  // There are fewer probing questions than are asked: what people said themselves are questions too.
  return { texts, questions: spread([...asked, ...said.map(({ query }) => query)]) };
}

/** 300 of them, from everywhere. */
function spread(all: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(all.length / questions));
  return Array.from({ length: questions }, (_, at) => all[(at * step) % all.length] ?? '');
}
