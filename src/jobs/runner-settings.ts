import { parseId } from '../events/index.ts';
import { systemClock, uuidV4 } from '../internal/index.ts';
import type { JobHandler, JobRunnerOptions } from './job-runner.ts';
import { bad } from './read-job.ts';

/** JobRunnerOptions, checked, with every default filled in. */
export type RunnerSettings = Required<Omit<JobRunnerOptions, 'handlers'>> & {
  readonly handlers: ReadonlyMap<string, JobHandler>;
};

/** The longest that a timer of JavaScript can wait; it fires at once if asked for more. */
const longestTimer = 2 ** 31 - 1;

const counts = { maxRunning: 4, maxAttempts: 5 };
/** Default and least value of each time. */
const times = {
  leaseMs: [30_000, 1],
  firstDelayMs: [1_000, 0],
  longestDelayMs: [900_000, 0],
  pollMs: [1_000, 1],
  closeWaitMs: [5_000, 0],
} as const;

/** Checks the options of a runner. Throws INVALID_ARGUMENT or INVALID_ID, naming the field. */
export function readRunnerOptions(options: JobRunnerOptions): RunnerSettings {
  const { store, handlers = {}, clock = systemClock, owner = uuidV4() } = options;
  const { random = Math.random, onFailure = () => undefined } = options;
  if (typeof store?.claim !== 'function') throw bad('store', 'must be a JobStore');
  return {
    store,
    handlers: readHandlers(handlers),
    clock,
    owner: parseId(owner, 'owner'),
    random,
    onFailure,
    maxRunning: readCount(options, 'maxRunning'),
    maxAttempts: readCount(options, 'maxAttempts'),
    leaseMs: readTime(options, 'leaseMs'),
    firstDelayMs: readTime(options, 'firstDelayMs'),
    longestDelayMs: readTime(options, 'longestDelayMs'),
    pollMs: readTime(options, 'pollMs'),
    closeWaitMs: readTime(options, 'closeWaitMs'),
  };
}

/** Handlers by queue. Throws INVALID_ARGUMENT for one that is no function. */
export function readHandlers(handlers: Readonly<Record<string, JobHandler>>): ReadonlyMap<string, JobHandler> {
  const wrong = Object.keys(handlers).find((queue) => typeof handlers[queue] !== 'function');
  if (wrong !== undefined) throw bad(`handlers.${wrong}`, 'must be a function');
  return new Map(Object.entries(handlers));
}

function readCount(options: JobRunnerOptions, name: keyof typeof counts): number {
  const value = options[name] ?? counts[name];
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw bad(name, 'must be a whole number from 1');
}

function readTime(options: JobRunnerOptions, name: keyof typeof times): number {
  const [fallback, least] = times[name];
  const value = options[name] ?? fallback;
  if (typeof value === 'number' && value >= least && value <= longestTimer) return value;
  throw bad(name, `must be a number of milliseconds from ${least} to ${longestTimer}`);
}
