import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Job } from '../../src/jobs/index.ts';
import type { JobSubject } from '../../src/testing/index.ts';
import { inMemoryJobs, sqliteJobs } from './job-subjects.ts';

/** What happens beside the runner; a job fails so many times and takes so many turns of the event loop each time. */
type Step =
  | { readonly do: 'enqueue'; readonly line: number; readonly failures: number; readonly turns: number }
  | { readonly do: 'jump'; readonly millis: number }
  | { readonly do: 'turns'; readonly count: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('enqueue'),
      line: fc.nat(3),
      failures: fc.nat(2),
      turns: fc.nat(12),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('jump'), millis: fc.constantFrom(-1e9, -40_000, -1, 1, 31_000, 1e9) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('turns'), count: fc.integer({ min: 1, max: 8 }) }) },
);

const maxAttempts = 3;

async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Takes the steps with one runner, and compares what it ran with what was enqueued. */
async function tell(subject: JobSubject, steps: readonly Step[]): Promise<void> {
  const attempts = new Map<string, number[]>();
  const atWork: string[] = [];
  const handler = async ({ id, attempt, scope, payload }: Job): Promise<void> => {
    expect(atWork, 'two of a line at once').not.toContain(scope.userId);
    atWork.push(scope.userId);
    attempts.set(id, [...(attempts.get(id) ?? []), attempt]);
    await passTurns(Number(payload.turns));
    atWork.splice(atWork.indexOf(scope.userId), 1);
    if (attempt <= Number(payload.failures)) throw new TypeError('按计划失败');
  };
  const runner = subject.open({ handlers: { q: handler }, maxAttempts, firstDelayMs: 0, pollMs: 60_000 });
  const planned = new Map<string, number[]>();
  for (const step of steps) {
    if (step.do === 'jump') subject.clock.advance(step.millis);
    else if (step.do === 'turns') await passTurns(step.count);
    else {
      const { line, failures, turns } = step;
      const scope = { appName: 'a', userId: `用户 ${line}` };
      const { id } = await runner.enqueue({ queue: 'q', scope, payload: { failures, turns } });
      planned.set(
        id,
        Array.from({ length: failures + 1 }, (_, index) => index + 1),
      );
    }
  }
  await runner.settled();
  expect(Object.fromEntries(attempts)).toEqual(Object.fromEntries(planned));
  expect((await runner.deadLetters({ appName: 'a' })).items).toEqual([]);
}

const count = Number(process.env.FUZZ_COUNT ?? 40);

test.each([
  ['in memory', inMemoryJobs],
  ['on SQLite', sqliteJobs],
] as const)(
  '%s a runner runs each attempt once and leaves nothing, however the clock jumps',
  {
    timeout: 60_000 + count * 1_000,
  },
  async (_name, create) => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30 }), async (steps) => {
      const subject = await create();
      try {
        await tell(subject, steps);
      } finally {
        await subject.dispose();
      }
    });
    await fc.assert(property, { numRuns: count });
  },
);
