import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableMarks, withFolderTable } from './architecture/folder-table.ts';
import { layeringRules } from './architecture/layering-rules.ts';
import { purityRule } from './architecture/purity-rule.ts';
import { budgets, ninetiethPercentiles, sizeRules } from './architecture/size-rules.ts';
import { parseTree, readSourceTree } from './architecture/source-tree.ts';
import { styleRules } from './architecture/style-rules.ts';

const projectRoot = join(import.meta.dirname, '..');
const tree = readSourceTree(projectRoot);
const rules = [...layeringRules, purityRule, ...styleRules, ...sizeRules];

describe('the source tree', () => {
  it('is read at all', () => {
    expect([...tree.keys()]).toEqual(expect.arrayContaining(['src/events/event.ts', 'test/architecture.test.ts']));
  });

  for (const rule of rules) {
    it(`keeps: ${rule.sentence}`, () => {
      expect(rule.check(tree).map(({ file, line, what }) => `${file}:${line} ${what}`)).toEqual([]);
    });
  }

  it('is measured: the 90th percentiles are printed', () => {
    const found = ninetiethPercentiles(tree);
    expect(found.file).toBeGreaterThan(0);
    const { file, function: ofFunction } = budgets;
    process.stdout.write(
      `p90 of lines: file ${found.file} (aim ${file.aim}), function ${found.function} (aim ${ofFunction.aim})\n`,
    );
  });
});

describe.each(rules)('rule $id', (rule) => {
  it.each(Object.entries(rule.bad))('refuses: %s', (_name, files) => {
    expect(rule.check(parseTree(files))).not.toEqual([]);
  });

  it.each(Object.entries(rule.good ?? {}))('allows: %s', (_name, files) => {
    expect(rule.check(parseTree(files))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('shows the import table as it is enforced', () => {
    const markdown = readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8');
    expect(markdown).toContain(tableMarks.start);
    expect(markdown, 'run: npm run folder-table').toBe(withFolderTable(markdown));
  });
});
