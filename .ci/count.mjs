// Adds up vitest's JSON reports and prints the closing line. Arguments: folder of the reports, number of failed steps.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '.', steps = '0'] = process.argv.slice(2);
const print = (line) => process.stdout.write(`${line}\n`);
const total = { passed: 0, failed: 0, skipped: 0, failedSuites: 0 };
for (const name of readdirSync(folder).sort()) {
  const report = read(name);
  if (report === undefined) continue;
  // A file that cannot be loaded has no failing test, only a failing suite.
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const failed = report.numFailedTests + broken.length;
  const skipped = report.numPendingTests + report.numTodoTests;
  print(`${name.replace('.json', '')}: ${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped`);
  for (const file of report.testResults) for (const line of failuresOf(file)) print(`  ${line}`);
  total.passed += report.numPassedTests;
  total.failed += failed;
  total.skipped += skipped;
  total.failedSuites += failed > 0 ? 1 : 0;
}
/** What failed in a file, and the first lines of why: the end of the output is what is kept of a long run. */
function failuresOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${name}: ${firstLines(message)}`] : [];
  return failed.map(
    ({ fullName, failureMessages }) => `${name}: ${fullName}\n${firstLines(failureMessages.join('\n'))}`,
  );
}

function firstLines(text = '') {
  return text
    .split('\n')
    .slice(0, 30)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** A suite that was killed while writing its report has failed as a step, which is counted below. */
function read(name) {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'));
  } catch {
    print(`${name.replace('.json', '')}: no whole report`);
    return undefined;
  }
}

const failed = total.failed + Math.max(0, Number(steps) - total.failedSuites) + (total.passed === 0 ? 1 : 0);
print(`skipped: ${total.skipped}`);
print(`${total.passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
