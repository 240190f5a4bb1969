import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../src/testing');

/** Places of `assert.ok(value)` without a message in a file. */
function silentAssertions(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.ESNext, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'assert.ok' && node.arguments.length < 2)
      found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

// Without one, Node reads the message out of the source at the failing place, which in bundled or compiled code is another
// place: the message is wrong, or its search does not end.
test('assert.ok has a message wherever the published checks use it', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files).toContain('conformance.ts');
  expect(files.flatMap(silentAssertions)).toEqual([]);
});
