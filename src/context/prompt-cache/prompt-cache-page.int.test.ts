import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CacheRuleRow } from './cache-facts.ts';
import { cacheReasons } from './cache-reason.ts';
import { cacheRuleRows } from './cache-rule-rows.ts';
import { cacheRulesFor } from './cache-rules.ts';
import { pricesOf } from './cost-of.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/prompt-cache.md'), 'utf8');

/** The lines of the table under a heading, without its own heading. */
function tableUnder(heading: string): readonly string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const sourceOf = ({ source, date }: CacheRuleRow) => `${source}, ${date}`;

function ruleLine(row: CacheRuleRow): string {
  const { provider, model } = row;
  const rules = cacheRulesFor({ provider, model: model.replace('*', '') });
  const { minimumTokens, stepTokens, ttlSeconds, mostBreakpoints, lookBackBlocks, readBreakpoints } = rules;
  const { readFactor, writeFactor, longWriteFactor } = rules;
  const look = lookBackBlocks === undefined ? (readBreakpoints ?? '') : `${lookBackBlocks} blocks`;
  const write = longWriteFactor === undefined ? `${writeFactor}` : `${writeFactor}, ${longWriteFactor}`;
  const cells = [
    provider,
    `\`${model}\``,
    minimumTokens,
    stepTokens,
    ttlSeconds.join(', '),
    mostBreakpoints || '',
    look,
  ];
  return line([...cells, readFactor, write, sourceOf(row)]);
}

function priceLines(row: CacheRuleRow): readonly string[] {
  const { model, prices, provider } = row;
  if (prices === undefined) return [];
  const rules = cacheRulesFor({ provider, model });
  return [0, ...(prices.tiers ?? []).map(({ above }) => above)].map((above) => {
    const { uncached, read, written, writtenLong, output } = pricesOf(rules, above + 1) ?? never();
    const write = writtenLong === undefined ? written : `${written}, ${writtenLong}`;
    return line([`\`${model}\``, above || '', uncached, read, write, output, sourceOf(row)]);
  });
}

function never(): never {
  return expect.unreachable();
}

describe('docs/reference/prompt-cache.md', () => {
  it('has the rules of the data', () => {
    expect(tableUnder('Rules')).toEqual(cacheRuleRows.filter(({ prices }) => prices === undefined).map(ruleLine));
  });

  it('has the prices of the data', () => {
    expect(tableUnder('Prices')).toEqual(cacheRuleRows.flatMap(priceLines));
  });

  it('has each reason, in order', () => {
    expect(tableUnder('Reasons').map((row) => row.match(/`(\w+)`/)?.[1])).toEqual([...cacheReasons]);
  });
});
