import { describe, expect, test } from 'vitest';
import { memoryChecks, memoryLaws, runLaws } from '../../src/testing/index.ts';
import { inMemoryMemory, sqliteMemory } from './memory-subjects.ts';

describe.each([
  ['in memory', inMemoryMemory],
  ['on SQLite', sqliteMemory],
] as const)('memory laws %s', (_name, create) => {
  test.each(Object.keys(memoryLaws))('%s', async (law) => {
    const [report] = await runLaws({ laws: memoryLaws, checks: memoryChecks, create, only: [law] });
    expect(report?.outcome, report?.why).toBe('kept');
  });
});
