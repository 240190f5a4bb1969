import { isRed, runLaws, sessionChecks, sessionLaws } from '../../src/testing/index.ts';
import { inMemorySubject } from './session-subjects.ts';

/** Runs the laws named on the command line in memory, all if none is, and prints the ids of the red ones as JSON. */
async function main(): Promise<void> {
  const named = process.argv.slice(2);
  const reports = await runLaws({
    laws: sessionLaws,
    checks: sessionChecks,
    create: inMemorySubject,
    ...(named.length === 0 ? {} : { only: named }),
  });
  process.stdout.write(JSON.stringify(reports.filter(isRed).map(({ law }) => law)));
}

await main();
