import type { RetrievalReport, RetrievalScores } from './evaluate-retrieval.ts';
import { type Figure, figuresOf } from './report-figures.ts';

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{padding:.25rem .5rem;text-align:left;border-bottom:1px solid #8884}
td.n{text-align:right;font-variant-numeric:tabular-nums}.bar{display:block;height:.7rem;background:#3b7ddd;border-radius:2px}
.track{background:#8883;border-radius:2px;width:100%;min-width:6rem}.miss{color:#b33}details{margin:.5rem 0}code{overflow-wrap:anywhere}`;

/** A page that shows a report: its figures as bars, by category, how long searches took, and what was not found. */
export function reportPage(report: RetrievalReport): string {
  const { set, questions, sha256, license, leftOut, byCategory, searchMs } = report;
  const body = [
    `<h1>${escaped(set)}</h1>`,
    `<p>${questions} questions. ${escaped(license)}. sha256 ${sha256.map((one) => `<code>${one}</code>`).join(', ')}</p>`,
    `<p>A search took ${searchMs.p50.toFixed(2)} ms (median), ${searchMs.p95.toFixed(2)} ms (95 %), ${searchMs.p99.toFixed(2)} ms (99 %).</p>`,
    timesOf(report),
    '<h2>All questions</h2>',
    barsOf(figuresOf(report)),
    '<h2>By category</h2>',
    ...Object.entries(byCategory).map(([name, scores]) => categoryOf(name, scores)),
    '<h2>Not found among the first ten</h2>',
    missesOf(report),
    `<h2>Left out (${leftOut.length})</h2>`,
    `<ul>${leftOut.map(({ id, why }) => `<li>${escaped(id)}: ${escaped(why)}</li>`).join('')}</ul>`,
  ];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(set)}</title><style>${style}</style><body>${body.join('\n')}</body></html>\n`;
}

function categoryOf(name: string, scores: RetrievalScores): string {
  return `<details><summary>${escaped(name)}, ${scores.questions} questions</summary>${barsOf(figuresOf(scores))}</details>`;
}

function barsOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, percent }) => {
    const bar = `<div class="track"><span class="bar" style="width:${percent.toFixed(1)}%"></span></div>`;
    return `<tr><td>${name}</td><td class="n">${percent.toFixed(1)} %</td><td>${bar}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

/** How many searches took how long, as a plot of twenty columns. */
function timesOf({ answered }: RetrievalReport): string {
  const columns = 20;
  const times = answered.map(({ tookMs }) => tookMs);
  const longest = Math.max(...times, 0.001);
  const counts = Array<number>(columns).fill(0);
  for (const time of times) {
    const column = Math.min(columns - 1, Math.floor((columns * time) / longest));
    counts[column] = (counts[column] ?? 0) + 1;
  }
  const tallest = Math.max(...counts, 1);
  const bars = counts.map((count, index) => {
    const height = (90 * count) / tallest;
    return `<rect x="${index * 15}" y="${95 - height}" width="13" height="${height}" fill="#3b7ddd"><title>${count}</title></rect>`;
  });
  return `<svg viewBox="0 0 300 110" width="300" role="img" aria-label="times of searches">${bars.join('')}<text x="0" y="108" font-size="9" fill="currentColor">0</text><text x="300" y="108" font-size="9" text-anchor="end" fill="currentColor">${longest.toFixed(1)} ms</text></svg>`;
}

function missesOf({ answered }: RetrievalReport): string {
  const rows = answered
    .filter(({ gold, found }) => !gold.some((id) => found.some((one) => one === id || one.startsWith(`${id}#`))))
    .map(({ corpus, category, text, gold }) =>
      [corpus, category, text, gold.join(', ')].map((cell) => `<td>${escaped(cell)}</td>`).join(''),
    );
  const head = '<tr><th>corpus</th><th>category</th><th>question</th><th>gold</th></tr>';
  return `<details><summary class="miss">${rows.length} questions</summary><table>${head}${rows.map((row) => `<tr>${row}</tr>`).join('')}</table></details>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
