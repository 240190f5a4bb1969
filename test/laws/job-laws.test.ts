import { describe, expect, test } from 'vitest';
import { isRed, jobChecks, jobLaws, runLaws } from '../../src/testing/index.ts';
import { inMemoryJobs, sqliteJobs } from './job-subjects.ts';

describe.each([
  ['in memory', inMemoryJobs],
  ['SQLite, two connections', sqliteJobs],
] as const)('job laws: %s', (_name, create) => {
  test.each(Object.keys(jobLaws))('%s', async (law) => {
    const [report] = await runLaws({ laws: jobLaws, checks: jobChecks, create, only: [law] });
    if (report?.error !== undefined && isRed(report)) throw report.error;
    expect(report).toEqual({ law, outcome: 'kept' });
  });
});
