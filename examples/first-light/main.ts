/*
 * The main job in one run, offline: a user states a preference in one session; a day later, in a new session and after
 * the file was closed and opened again, the next request brings it back and says where it came from.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ContextRequest, type MemoryEntry, openPalimpsest, type Palimpsest, textOf } from '../../src/index.ts';
import { chinese, english, type Story } from './story.ts';

const usage = `usage: npm start -- [--unit <English>/<中文>] [--empty-memory]

  --unit Kelvin/开尔文   the unit that the user asks for (default Celsius/摄氏度)
  --empty-memory         forget everything between the two days; the story then fails with exit code 1`;

const stories = [english, chinese];
const appName = 'weather';
const firstDay = Date.parse('2026-03-01T09:00:00Z');
const oneDay = 24 * 60 * 60 * 1000;

interface Recalled {
  readonly answer: string;
  /** Session and seq of the event that says so. */
  readonly from: string;
}

/** A clock that the story sets; each look at it takes a second. */
class StoryClock {
  #millis = firstDay;
  now(): number {
    this.#millis += 1000;
    return this.#millis;
  }
  sleepUntilTomorrow(): void {
    this.#millis += oneDay;
  }
}

async function tellFirstDay(palimpsest: Palimpsest, story: Story, unit: string): Promise<void> {
  const session = await palimpsest.user(userOf(story)).session('s1');
  await session.append([{ author: 'user', content: story.wish(unit) }]);
  await session.append([{ author: 'assistant', content: story.promise(unit) }]);
  await palimpsest.settled();
  console.log(`\n${story.title} · day 1 · session s1`);
  for (const event of (await session.read()).items)
    console.log(`  ${event.seq}  ${event.author}: ${textOf(event.content)}`);
}

async function askOnSecondDay(palimpsest: Palimpsest, story: Story): Promise<Recalled | undefined> {
  const session = await palimpsest.user(userOf(story)).session('s2');
  await session.append([{ author: 'user', content: story.question }]);
  const request = await palimpsest.context(session.key, { instruction: 'Answer briefly.', recall: { limit: 3 } });
  console.log(`\n${story.title} · day 2 · session s2`);
  printRequest(request);
  return answerFrom(request.memories, story);
}

/** Stands in for the model: reads the unit off the best recalled statement of the user's. */
function answerFrom(memories: readonly MemoryEntry[], story: Story): Recalled | undefined {
  for (const { author, text, provenance } of memories) {
    const answer = author === 'user' ? story.unitIn(text) : undefined;
    const [source] = provenance;
    if (answer !== undefined && source?.kind === 'event') return { answer, from: `${source.sessionId}#${source.seq}` };
  }
  return undefined;
}

function printRequest(request: ContextRequest): void {
  console.log('  the next request to the model:');
  for (const line of request.instruction) console.log(`    instruction  ${line}`);
  for (const { role, parts } of request.contents) {
    for (const part of parts)
      console.log(`    ${role.padEnd(11)}  ${(part.text ?? '').replaceAll('\n', `\n${' '.repeat(17)}`)}`);
  }
  console.log(request.memories.length === 0 ? '  memory recalls nothing' : '  recalled, best first:');
  for (const { score, text, sessionId } of request.memories)
    console.log(`    ${(score ?? 0).toFixed(3)}  ${sessionId}: ${text}`);
}

function userOf(story: Story): string {
  return `user-${story.language}`;
}

async function play(
  file: string,
  options: { readonly units: Readonly<Record<string, string>>; readonly emptyMemory: boolean },
): Promise<number> {
  const clock = new StoryClock();
  const open = () => openPalimpsest({ file, appName, clock, sweepSeconds: 0 });
  const first = await open();
  for (const story of stories) await tellFirstDay(first, story, options.units[story.language] ?? '');
  if (options.emptyMemory) {
    for (const story of stories) await first.memory.delete({ appName, userId: userOf(story) }, { all: true });
    console.log('\nThe memory is emptied; the log stays.');
  }
  await first.close();

  clock.sleepUntilTomorrow();
  const second = await open();
  const recalled: Record<string, Recalled> = {};
  for (const story of stories) {
    const answer = await askOnSecondDay(second, story);
    if (answer) recalled[story.language] = answer;
  }
  await second.close();
  console.log(`\n${JSON.stringify({ recalled })}`);
  return stories.every(({ language }) => recalled[language]?.answer === options.units[language]) ? 0 : 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      unit: { type: 'string', default: 'Celsius/摄氏度' },
      'empty-memory': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [en = '', zh = ''] = values.unit.split('/').map((name) => name.trim());
  if (values.help || en === '' || zh === '') {
    console.error(values.help ? usage : `error: --unit takes two names, such as Kelvin/开尔文\n\n${usage}`);
    return values.help ? 0 : 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-story-'));
  try {
    return await play(join(folder, 'story.db'), { units: { en, zh }, emptyMemory: values['empty-memory'] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
