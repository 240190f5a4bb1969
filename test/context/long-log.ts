import fc from 'fast-check';
import type { Event } from '../../src/events/index.ts';
import { rareSteps, straySteps } from './rare-steps.ts';
import { type Step, Story } from './story.ts';
import { usualSteps } from './usual-steps.ts';

const { positional, ...usualWithIds } = usualSteps;

const weights: Readonly<Record<keyof typeof usualWithIds, number>> = {
  ask: 5,
  say: 6,
  tell: 3,
  work: 6,
  call: 2,
  answer: 2,
  bring: 1,
  relay: 1,
  speak: 2,
  end: 1,
  rewind: 1,
  mark: 1,
  overflow: 1,
  compact: 1,
};

interface WeightedStep {
  readonly step: Step;
  readonly weight: number;
}

const withIds: readonly WeightedStep[] = [
  ...Object.entries(usualWithIds).map(([name, step]) => ({ step, weight: Reflect.get(weights, name) })),
  ...Object.values(rareSteps).map((step) => ({ step, weight: 1 })),
];
const everything: readonly WeightedStep[] = [
  ...withIds,
  ...[positional, ...Object.values(straySteps)].map((step) => ({ step, weight: 1 })),
];

/** How long a log gets. */
interface StoryLength {
  /** At most so many steps; a step adds up to five events. */
  readonly steps: number;
  /** Steps are left out from so many events on. */
  readonly events: number;
}

function storyOf(of: readonly WeightedStep[], reuse: fc.Arbitrary<number>, length: StoryLength): fc.Arbitrary<Story> {
  const step = fc.record({ pick: fc.nat(), a: fc.nat({ max: 200 }), b: fc.nat({ max: 60 }) });
  const list = fc.array(step, { minLength: 1, maxLength: length.steps, size: 'max' });
  const often = fc.subarray([...of.keys()], { maxLength: 4 });
  return fc.record({ often, list, reuse }).map(({ often, list, reuse }) => {
    const story = new Story(reuse);
    const table = of.flatMap(({ step, weight }, index) =>
      Array.from({ length: weight + (often.includes(index) ? 9 : 0) }, () => step),
    );
    for (const { pick, a, b } of list) if (story.seq <= length.events) table[pick % table.length]?.(story, a, b);
    return story;
  });
}

const long: StoryLength = { steps: 120, events: 300 };

/** Logs that an append accepts, of many turns, each with some kinds of steps far more often than others. */
export const longLog: fc.Arbitrary<readonly Event[]> = storyOf(everything, fc.constantFrom(0, 0, 7), long).map(
  ({ events }) => events,
);

/** The same where every call has an id of its own, so that a response names its call whatever else is known. */
export const longLogWithIds: fc.Arbitrary<readonly Event[]> = storyOf(withIds, fc.constant(0), long).map(
  ({ events }) => events,
);

/** The same of up to sixty events, with what was appended to get them. */
export const someStory: fc.Arbitrary<Story> = storyOf(everything, fc.constantFrom(0, 0, 7), { steps: 56, events: 56 });
