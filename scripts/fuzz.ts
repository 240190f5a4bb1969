import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { fuzzContext } from '../test/context/fuzz-context.ts';
import { fuzzSessions } from '../test/laws/fuzz-sessions.ts';
import { inMemorySubject, sqliteSubject } from '../test/laws/session-subjects.ts';

const options = {
  /** Only what is assembled of random logs. Without it and the next one: both, one after the other. */
  context: { type: 'boolean', default: false },
  /** Only the session stores. */
  sessions: { type: 'boolean', default: false },
  /** Default: 1,000 lists of calls, 10,000 logs. */
  count: { type: 'string' },
  seed: { type: 'string' },
  /** Repeats one shrunk failure, as printed; takes its seed, and the part that it is of. */
  path: { type: 'string' },
} as const;

const values = readOptions();

/** Some runs, from one seed. */
interface Batch {
  readonly count: number;
  readonly seed: number;
  readonly path?: string;
}

/** One of the things that are fuzzed. */
interface Part {
  readonly option: 'context' | 'sessions';
  readonly count: number;
  readonly outcome: (count: number) => string;
  /** Gives the work something to run a batch with, and clears up behind it. */
  readonly open: (work: (runBatch: (batch: Batch) => Promise<void>) => Promise<void>) => Promise<void>;
}

const parts: readonly Part[] = [
  {
    option: 'sessions',
    count: 1000,
    outcome: (count) => `SQLite and memory agree on ${count} lists of calls`,
    async open(work) {
      const left = await inMemorySubject();
      try {
        const right = await sqliteSubject();
        try {
          await work((batch) => fuzzSessions({ left, right }, batch));
        } finally {
          await right.dispose();
        }
      } finally {
        await left.dispose();
      }
    },
  },
  {
    option: 'context',
    count: 10_000,
    outcome: (count) => `The contexts of ${count} logs keep all properties`,
    open: (work) => work(fuzzContext),
  },
];

/** So many runs are done before Ctrl-C stops the work. Each batch has a seed of its own, one more than the last. */
const batchSize = 10;

let isStopped = false;

function readOptions() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(name: 'seed' | 'count', text: string, least: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
    refuse(`--${name} must be a whole number${name === 'count' ? ' of at least 1' : ''}, not '${text}'.`);
  return value;
}

function refuse(problem: string): never {
  console.error(`${problem}\nExample: npm run fuzz -- --context --count 500 --seed 42`);
  process.exit(2);
}

async function fuzz({ option, outcome, open, ...usual }: Part): Promise<void> {
  const { path } = values;
  const seed =
    values.seed === undefined ? randomInt(2 ** 31) : wholeNumber('seed', values.seed, Number.MIN_SAFE_INTEGER);
  const count = values.count === undefined ? usual.count : wholeNumber('count', values.count, 1);
  console.log(`fuzzing ${option}: count ${count}, seed ${seed}`);
  const bar = new SingleBar({ format: `${option} {bar} {value}/{total}`, hideCursor: true, clearOnComplete: true });
  const started = Date.now();
  let done = 0;
  await open(async (runBatch) => {
    if (path !== undefined) return runBatch({ count: 1, seed, path });
    // A bar is shown on a terminal only.
    bar.start(count, 0);
    try {
      while (done < count && !isStopped) {
        const batch = { count: Math.min(batchSize, count - done), seed: seed + done / batchSize };
        await runBatch(batch);
        done += batch.count;
        bar.update(done);
        // Lets Ctrl-C be heard.
        await setImmediate();
      }
    } catch (error) {
      console.error(`\nrepeat with: npm run fuzz -- --${option} --seed <seed> --path <path>, as they stand below`);
      throw error;
    } finally {
      bar.stop();
    }
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const stopped = isStopped ? `, stopped before ${count}` : '';
  console.log(`${outcome(path === undefined ? done : 1)}${stopped}, seed ${seed}, ${seconds} s`);
}

async function main(): Promise<void> {
  const wanted = parts.filter(({ option }) => values[option] || values.context === values.sessions);
  if (values.path !== undefined && (values.seed === undefined || wanted.length > 1))
    refuse('--path needs the --seed that was printed with it, and --context or --sessions.');
  // For each one: a runner in front of this process may pass on what the terminal sent to both.
  process.on('SIGINT', () => {
    isStopped = true;
  });
  for (const part of wanted) if (!isStopped) await fuzz(part);
  if (isStopped) process.exitCode = 130;
}

await main();
