/*
 * An agent that exists gains memory in ten lines: compare before.ts with after.ts. Both are played against a local
 * server that speaks the wire of OpenAI by a script, so no key is needed; what the model was sent is printed. Fails if
 * memory did not come through.
 */
import { parseArgs } from 'node:util';
import { play } from './play.ts';

const usage = `usage: tsx examples/ai-sdk/main.ts [--lost-memory]

  --lost-memory   take the memory away between the two days; the example then fails with exit code 1`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { 'lost-memory': { type: 'boolean', default: false } } });
  const outcomes = await play({ print: (line) => console.log(line), lostMemory: values['lost-memory'] });
  console.log('');
  for (const { language, before, after } of outcomes) console.log(`${language}  before: ${before}  after: ${after}`);
  return outcomes.every(({ expected, before, after }) => after === expected && before !== expected) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
