import {
  isRed,
  jobChecks,
  jobLaws,
  type LawSubject,
  memoryChecks,
  memoryLaws,
  type RunLaws,
  runLaws,
  sessionChecks,
  sessionLaws,
} from '../../src/testing/index.ts';
import { inMemoryJobs } from './job-subjects.ts';
import { inMemoryMemory } from './memory-subjects.ts';
import { inMemorySubject } from './session-subjects.ts';

/** The red ones of these laws, among those that are named or, if none is, among all. */
async function redAmong<Subject extends LawSubject>(
  suite: RunLaws<Subject>,
  named: readonly string[],
): Promise<readonly string[]> {
  const only = Object.keys(suite.laws).filter((law) => named.length === 0 || named.includes(law));
  return (await runLaws({ ...suite, only })).filter(isRed).map(({ law }) => law);
}

/** Runs the laws named on the command line in memory, all if none is, and prints the ids of the red ones as JSON. */
async function main(): Promise<void> {
  const named = process.argv.slice(2);
  const red = [
    ...(await redAmong({ laws: sessionLaws, checks: sessionChecks, create: inMemorySubject }, named)),
    ...(await redAmong({ laws: memoryLaws, checks: memoryChecks, create: inMemoryMemory }, named)),
    ...(await redAmong({ laws: jobLaws, checks: jobChecks, create: inMemoryJobs }, named)),
  ];
  process.stdout.write(JSON.stringify(red));
}

await main();
