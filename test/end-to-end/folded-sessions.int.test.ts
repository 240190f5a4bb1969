import { describe, expect, it } from 'vitest';
import {
  type CompactionSettings,
  type Event,
  window as everyInvocations,
  idle,
  modelDriven,
  openPalimpsest,
  type Palimpsest,
  rentOrBuy,
  type SessionKey,
  type Trigger,
  taskComplete,
  threshold,
} from '../../src/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { type EqualAgent, type EqualOptions, equalAgent, questionOf, type Wish } from './sample-agent.ts';

const place = { userId: '用户', sessionId: 's1' };
const invocations = 160;
const idleSeconds = 600;

const counted = everyInvocations({ interval: 10, overlap: 1 });
const tokens = threshold({ tokens: 9000, retain: { tokens: 3000 } });
const resting = idle({ seconds: idleSeconds });

/** What happens in every tenth invocation, for triggers that do not fire by themselves. */
interface Firing {
  readonly name: string;
  readonly triggers: readonly Trigger[];
  readonly wish?: Wish;
  readonly rests?: true;
}

const rules: readonly Firing[] = [
  { name: 'window', triggers: [counted] },
  { name: 'threshold', triggers: [tokens] },
  { name: 'rentOrBuy', triggers: [rentOrBuy()] },
  { name: 'idle', triggers: [resting], rests: true },
  { name: 'taskComplete', triggers: [taskComplete()], wish: 'completion' },
  { name: 'modelDriven', triggers: [modelDriven()], wish: 'fold' },
  {
    name: 'all together',
    triggers: [counted, tokens, rentOrBuy(), resting, taskComplete(), modelDriven()],
    wish: 'fold',
    rests: true,
  },
];

interface Story extends EqualAgent {
  readonly palimpsest: Palimpsest;
  readonly key: SessionKey;
  readonly clock: ManualClock;
}

async function begin(
  options: Omit<EqualOptions, 'compaction'> & { readonly compaction: CompactionSettings },
): Promise<Story> {
  const clock = new ManualClock();
  const palimpsest = await openPalimpsest({ clock, sweepSeconds: 0, ingest: 'never', idleSeconds: 1e9 });
  const key = { appName: palimpsest.appName, ...place };
  return { palimpsest, key, clock, ...equalAgent(palimpsest, options) };
}

async function ask({ palimpsest, agent, clock }: Story, n: number): Promise<void> {
  for await (const event of agent.run({ ...place, message: questionOf(n) })) void event;
  clock.advance(20_000);
  await palimpsest.settled();
}

async function eventsOf({ palimpsest, key }: Story): Promise<readonly Event[]> {
  const events: Event[] = [];
  let cursor: string | undefined;
  do {
    const page = await palimpsest.sessions.read(key, { limit: 500, ...(cursor && { cursor }) });
    events.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return events;
}

const foldsIn = (events: readonly Event[]) => events.filter(({ actions }) => actions.compaction !== undefined);

describe(`${invocations} equal invocations`, () => {
  it.each(rules)('stay at most twice as long as the fortieth: $name', { timeout: 120_000 }, async (rule) => {
    const { triggers, wish, rests } = rule;
    const wishes = (n: number): Wish => (n % 10 === 0 ? wish : undefined);
    const story = await begin({ compaction: { triggers }, wishes });
    await using _ = story.palimpsest;
    for (let n = 1; n <= invocations; n++) {
      await ask(story, n);
      if (rests !== true || n % 10 !== 0) continue;
      story.clock.advance(idleSeconds * 1000);
      await story.palimpsest.sweep(new Date(story.clock.now()).toISOString());
      await story.palimpsest.settled();
    }
    const { prompts } = story;
    expect(prompts).toHaveLength(invocations);
    // Between folds a prompt grows: what is compared is its size before a fold, up to the fortieth and after it.
    const [atForty, largest] = [Math.max(...prompts.slice(30, 40)), Math.max(...prompts.slice(40))];
    expect(largest).toBeLessThanOrEqual(2 * atForty);
    const events = await eventsOf(story);
    const folds = foldsIn(events);
    expect(folds.length).toBeGreaterThan(3);
    // Nothing was lost, and each summary was paid for once.
    expect(events.filter(({ author }) => author === 'user')).toHaveLength(invocations);
    expect(story.asked).toHaveLength(folds.length);
  });

  it('cost a summariser that always fails one call a step of its back-off, and lose nothing', {
    timeout: 60_000,
  }, async () => {
    const story = await begin({ compaction: { triggers: [counted] }, summarize: () => '' });
    await using _ = story.palimpsest;
    for (let n = 1; n <= 127; n++) await ask(story, n);
    // The first fold is due at the tenth; waits of 1, 2, 4 … 64 invocations, or as many minutes, follow: 3 invocations a minute.
    expect(story.asked.length).toBeGreaterThan(2);
    expect(story.asked.length).toBeLessThanOrEqual(8);
    const events = await eventsOf(story);
    expect(foldsIn(events)).toEqual([]);
    expect(story.prompts.at(-1)).toBeGreaterThan(100 * (story.prompts[1] ?? 0) - 100 * (story.prompts[0] ?? 0));
  });
});
