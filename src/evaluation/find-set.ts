import { join } from 'node:path';
import { PalimpsestError } from '../index.ts';
import type { EvaluationSet } from './evaluation-set.ts';
import { readLocomo } from './read-locomo.ts';
import { readLongMemoryEval } from './read-long-memory-eval.ts';
import { readMadial } from './read-madial.ts';
import { readOwnSet } from './read-own-set.ts';

/** Sets that are known by name, and how each is read from the folder of data. */
const sets: Readonly<Record<string, (folder: string) => Promise<EvaluationSet>>> = {
  locomo: (folder) => readLocomo(join(folder, 'locomo', 'locomo10.json')),
  lme: (folder) => readLongMemoryEval(join(folder, 'longmemeval', 'lme-samples.json')),
  'madial-zh': (folder) => readMadial(join(folder, 'madial'), 'zh'),
  'madial-en': (folder) => readMadial(join(folder, 'madial'), 'en'),
};

/** Names of the sets that are known by name. */
export const setNames: readonly string[] = Object.keys(sets);

/**
 * Reads a set: one that is known by name, from the folder of data, or a file: JSON lines of one's own, or LongMemEval in its
 * own format. Throws INVALID_ARGUMENT for another name, FILE_NOT_FOUND and INVALID_IMPORT.
 */
export async function findSet(name: string, folder: string): Promise<EvaluationSet> {
  const read = Object.hasOwn(sets, name) ? sets[name] : undefined;
  if (read !== undefined) return read(folder);
  if (name.endsWith('.jsonl')) return readOwnSet(name);
  if (name.endsWith('.json')) return { ...(await readLongMemoryEval(name)), name };
  const reason = `must be ${setNames.join(', ')}, a file of JSON lines (.jsonl), or LongMemEval's own file (.json), not ${JSON.stringify(name)}`;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'dataset', reason });
}
