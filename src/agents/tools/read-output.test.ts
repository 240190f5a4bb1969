import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readOutput } from './read-output.ts';

const forecast = z.object({ 城市: z.string(), degrees: z.number() });
const said = { 城市: '北京', degrees: 21 };
const written = JSON.stringify(said);

describe('readOutput', () => {
  it.each<[string, string]>([
    ['alone', written],
    ['with white space around', `\n  ${written}\n`],
    ['in a fence', `\`\`\`json\n${written}\n\`\`\``],
    ['in a fence without a language', `\`\`\`\n${written}\n\`\`\``],
    ['in a fence on one line', `\`\`\`json ${written} \`\`\``],
    ['in a fence with words around', `好的，结果如下：\n\n\`\`\`JSON\n${written}\n\`\`\`\n希望有帮助。`],
  ])('reads JSON %s', async (_name, text) => {
    expect(await readOutput(forecast, text)).toEqual({ value: said });
  });

  it('reads a text with fences of its own within the fence', async () => {
    const code = { code: '```ts\nconst a = 1;\n```' };
    const text = `\`\`\`json\n${JSON.stringify(code, null, 2)}\n\`\`\``;
    expect(await readOutput(z.object({ code: z.string() }), text)).toEqual({ value: code });
  });

  it('reads by JSON Schema as well, defaults filled in', async () => {
    const schema = {
      type: 'object',
      properties: { degrees: { type: 'number' }, unit: { type: 'string', default: 'C' } },
    };
    expect(await readOutput(schema, '{"degrees": 21}')).toEqual({ value: { degrees: 21, unit: 'C' } });
    expect(await readOutput(schema, '{"degrees": "warm"}')).toEqual({
      problem: expect.stringMatching(/does not fit the schema:\n- degrees: .*\nAnswer again/),
    });
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '今天二十一度', /^The answer is no JSON: 今天二十一度\nAnswer again/],
    ['half of it', '{"城市": "北', /^The answer is no JSON/],
    ['nothing', ' \n', /^The answer is empty/],
    ['a fence that does not end', '```json', /^The answer is no JSON/],
    ['another value', '{"城市": "北京"}', /^The answer does not fit the schema:\n- degrees: /],
  ])('says what is wrong with %s', async (_name, text, problem) => {
    expect(await readOutput(forecast, text)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('quotes the beginning of a long answer only', async () => {
    const reading = await readOutput(forecast, '雨'.repeat(100_000));
    expect('problem' in reading && reading.problem.length).toBeLessThan(400);
  });

  it('reads any JSON in any wrapping, and rejects for no text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.boolean(), async (value, isFenced) => {
        const text = JSON.stringify(value, null, 2);
        // By JSON Schema: what else a schema makes of a value is its own affair, and some drop "__proto__".
        const reading = await readOutput({}, isFenced ? `\`\`\`json\n${text}\n\`\`\`` : text);
        expect(JSON.stringify('value' in reading && reading.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
    expect(await readOutput({}, '{"__proto__": {"a": 1}}')).toEqual({ value: JSON.parse('{"__proto__": {"a": 1}}') });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(Object.keys(await readOutput(forecast, text))).toHaveLength(1);
      }),
    );
  });
});
