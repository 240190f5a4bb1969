import { jobLaws, type Laws, memoryLaws, sessionLaws } from '../../src/testing/index.ts';
import { faultCatalogue } from './fault-catalogue.ts';

function lawTable(laws: Laws): string {
  const rows = Object.entries(laws).map(([id, law]) => {
    const needs = law.needs === undefined ? '' : ` Needs ${law.needs}; a store without refuses.`;
    return `| \`${id}\` | ${escaped(law.says)}${needs} | ${law.source} |`;
  });
  return ['| law | says | source |', '|---|---|---|', ...rows].join('\n');
}

function faultTable(): string {
  const laws = Object.entries({ ...sessionLaws, ...memoryLaws });
  const rows = Object.entries(faultCatalogue).map(([row, { ref, fault, elsewhere }]) => {
    const kept = laws.filter(([, law]) => law.source.split(/[;,] /).includes(row)).map(([id]) => `\`${id}\``);
    return `| ${row} | ${escaped(fault)} | ${ref} | ${elsewhere ?? kept.join(', ')} |`;
  });
  return ['| row | fault | reported in | kept out by |', '|---|---|---|---|', ...rows].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('_', '\\_');
}

/** The text of docs/reference/laws.md, from the laws and the fault catalogue. */
export function lawsPage(): string {
  return `# Laws of the session and the memory service, and of jobs

Written by \`npx tsx scripts/write-laws.ts\`; edit src/testing/session-laws, memory-laws.ts and job-laws.ts instead. Every
law is proved on every store by \`npx vitest run test/laws\`, by \`palimpsest doctor\` on a scratch copy of a file, and by
anyone who calls \`runLaws\` of \`palimpsest/testing\` with a store of their own; that each can fail is proved by
\`npx tsx scripts/mutate-laws.ts\`. Sources: § is a section of the contract, for memory with what it speaks of there, a
letter and a number a row of the fault catalogue below.

## Sessions

${lawTable(sessionLaws)}

## Memory

${lawTable(memoryLaws)}

## Jobs

${lawTable(jobLaws)}

## Fault catalogue

What was reported about other session and memory services, or measured there, and what keeps it out here.

${faultTable()}
`;
}
