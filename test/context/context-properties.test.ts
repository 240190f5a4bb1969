import { expect, test } from 'vitest';
import { fuzzContext } from './fuzz-context.ts';

/** Set LOGS=5000 for a longer run; `npm run fuzz -- --context` tries more. */
const count = Number(process.env.LOGS ?? 500);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`what is assembled of ${count} random logs keeps the properties of a context (LOGS=${count} SEED=${seed})`, async () => {
  process.stdout.write(`contexts of random logs: LOGS=${count} SEED=${seed}\n`);
  await expect(fuzzContext({ count, seed })).resolves.toBeUndefined();
}, 600_000);
