import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fuzzSessions } from '../test/laws/fuzz-sessions.ts';
import { inMemorySubject, sqliteSubject } from '../test/laws/session-subjects.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    path: { type: 'string' },
  },
});

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    console.error(`--${name} must be a whole number, not ${text}. Example: npm run fuzz -- --count 500 --seed 42`);
    process.exit(2);
  }
  return value;
}

async function main(): Promise<void> {
  const count = wholeNumber('count', values.count);
  const seed = values.seed === undefined ? randomInt(2 ** 31) : wholeNumber('seed', values.seed);
  console.log(`fuzzing: count ${count}, seed ${seed}`);
  const started = Date.now();
  const [left, right] = [await inMemorySubject(), await sqliteSubject()];
  try {
    await fuzzSessions({ left, right }, { count, seed, ...(values.path === undefined ? {} : { path: values.path }) });
  } finally {
    await left.dispose();
    await right.dispose();
  }
  console.log(
    `SQLite and memory agree on ${count} lists of calls, seed ${seed}, ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
}

await main();
