/*
 * The main job in one run, offline: a user states a preference in one session; a day later, in a new session and after
 * the file was closed and opened again, the next request brings it back and says where it came from.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Agent, type Event, type ModelRequest, openPalimpsest, type Palimpsest, textOf } from '../../src/index.ts';
import { chinese, english, type Story } from './story.ts';
import { StoryModel } from './story-model.ts';

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

/** The story's agent; it answers through the Runner, as one with a real model would. */
function agentOf(palimpsest: Palimpsest, model: StoryModel): Agent {
  return palimpsest.agent({ name: 'assistant', model, instruction: 'Answer briefly.', recall: { limit: 3 } });
}

async function say(agent: Agent, story: Story, sessionId: string, message: string): Promise<Event | undefined> {
  console.log(`    user: ${message}`);
  let answer: Event | undefined;
  for await (const event of agent.run({ userId: userOf(story), sessionId, message })) {
    if (event.partial === undefined) answer = event;
  }
  console.log(`    ${answer?.author}: ${textOf(answer?.content)}`);
  return answer;
}

async function tellFirstDay(palimpsest: Palimpsest, story: Story, unit: string): Promise<void> {
  console.log(`\n${story.title} · day 1 · session s1`);
  await say(agentOf(palimpsest, new StoryModel(story)), story, 's1', story.wish(unit));
  await palimpsest.settled();
}

async function askOnSecondDay(palimpsest: Palimpsest, story: Story): Promise<Recalled | undefined> {
  const model = new StoryModel(story);
  console.log(`\n${story.title} · day 2 · session s2`);
  const answer = await say(agentOf(palimpsest, model), story, 's2', story.question);
  if (model.request) printRequest(model.request);
  return answer && recalledBy(palimpsest, story, answer);
}

/** Where the answer came from: the answering event keeps the sources of what its request recalled. */
async function recalledBy(palimpsest: Palimpsest, story: Story, answer: Event): Promise<Recalled | undefined> {
  const sources = answer.request?.blocks.flatMap((block) => block.source ?? []) ?? [];
  const unit = textOf(answer.content);
  for (const source of sources) {
    if (source.kind !== 'event') continue;
    const { sessionId, seq } = source;
    const page = await palimpsest.sessions.read(
      { appName, userId: userOf(story), sessionId },
      { fromSeq: seq, toSeq: seq },
    );
    if (story.unitIn(textOf(page.items[0]?.content)) === unit) return { answer: unit, from: `${sessionId}#${seq}` };
  }
  return undefined;
}

function printRequest({ instruction, contents, transient }: ModelRequest): void {
  console.log('  what the model was given:');
  for (const line of instruction) console.log(`    instruction  ${line}`);
  for (const [index, content] of contents.entries()) {
    const label = transient.includes(index) ? 'recalled' : content.role;
    console.log(`    ${label.padEnd(11)}  ${textOf(content).replaceAll('\n', `\n${' '.repeat(17)}`)}`);
  }
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
