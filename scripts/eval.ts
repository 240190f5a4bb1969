import { parseArgs } from 'node:util';
import { evaluateRetrieval, findSet, headFigures, setNames } from '../src/evaluation/index.ts';

const usage = `usage: npm run eval -- <${setNames.join('|')}> [--data <folder>] [--json]

Measures what memory finds of a data set. With --json the last line is one JSON object: figures in percent, all digits.
'palimpsest eval' prints whole reports.`;

/** Beside the project, where it is a part of something larger. */
const defaultFolder = '../shared/data';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, data: { type: 'string' }, help: { type: 'boolean' } },
});
const [name] = positionals;
if (name === undefined || values.help === true) {
  console.error(usage);
  process.exit(values.help === true ? 0 : 2);
}
const set = await findSet(name, values.data ?? process.env.PALIMPSEST_EVAL_DATA ?? defaultFolder);
const report = await evaluateRetrieval(set);
console.log(
  `${set.name}: ${report.questions} questions, ${report.leftOut.length} left out; sha256 ${set.sha256.join(', ')}`,
);
for (const { id, why } of report.leftOut) console.log(`  left out ${id}: ${why}`);
for (const [category, { questions, documents, sessions }] of Object.entries(report.byCategory)) {
  const shown = documents ?? sessions;
  console.log(`  ${category}, ${questions} questions: recall@10 ${(100 * (shown.recall[10] ?? 0)).toFixed(2)} %`);
}
console.log(`  a search took ${report.searchMs.p95.toFixed(2)} ms (95 %)`);
console.log(values.json === true ? JSON.stringify(headFigures(report)) : headFigures(report));
