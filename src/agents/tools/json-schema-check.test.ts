import { describe, expect, it } from 'vitest';
import { globalRegistry } from 'zod';
import { jsonSchemaCheck } from './json-schema-check.ts';
import type { JsonSchema } from './json-schema-of.ts';

async function fits(schema: JsonSchema, value: unknown): Promise<boolean> {
  const check = await jsonSchemaCheck(schema);
  return (await check['~standard'].validate(value)).issues === undefined;
}

const objectOf = (properties: JsonSchema, more: JsonSchema = {}) => ({ type: 'object', properties, ...more });

describe('jsonSchemaCheck', () => {
  it.each<[string, JsonSchema, unknown, boolean]>([
    ['a text', objectOf({ 城市: { type: 'string' } }), { 城市: '北京' }, true],
    ['a text that is a number', objectOf({ 城市: { type: 'string' } }), { 城市: 7 }, false],
    ['what is required', objectOf({ a: { type: 'string' } }, { required: ['a'] }), {}, false],
    ['a member more', objectOf({}), { b: 1 }, true],
    ['a member more where none may be', objectOf({}, { additionalProperties: false }), { b: 1 }, false],
    ['one of two types', objectOf({ a: { type: ['string', 'null'] } }), { a: null }, true],
    [
      'a part referred to',
      objectOf({ a: { $ref: '#/$defs/n' } }, { $defs: { n: { type: 'number' } } }),
      { a: 'x' },
      false,
    ],
    [
      'the older keyword',
      objectOf({ a: { $ref: '#/definitions/n' } }, { definitions: { n: { type: 'number' } } }),
      { a: 1 },
      true,
    ],
    [
      'the older keyword, badly',
      objectOf({ a: { $ref: '#/definitions/n' } }, { definitions: { n: { type: 'number' } } }),
      { a: 'x' },
      false,
    ],
    ['itself within', objectOf({ a: { $ref: '#' } }), { a: { a: { a: 3 } } }, false],
  ])('checks %s', async (_name, schema, value, expected) => {
    expect(await fits(schema, value)).toBe(expected);
  });

  it.each<[string, JsonSchema]>([
    ['not', { not: { type: 'string' } }],
    ['if', { type: 'string', if: {} }],
    ['a pattern that is none', { type: 'string', pattern: '(' }],
    ['a reference to nowhere', { $ref: '#/$defs/nowhere' }],
    ['a reference to the outside', { $ref: 'https://example.com/schema' }],
    ['a type that there is not', { type: 'date' }],
  ])('takes anything for a property with %s, and goes on checking the others', async (_name, property) => {
    const schema = objectOf({ strange: property, plain: { type: 'number' } }, { required: ['plain'] });
    expect(await fits(schema, { strange: 'x', plain: 1 })).toBe(true);
    expect(await fits(schema, { plain: 'x' })).toBe(false);
    expect(await fits(schema, {})).toBe(false);
  });

  it('still checks the properties of a schema with such keywords at its top', async () => {
    const schema = objectOf({ a: { type: 'number' } }, { dependentRequired: { a: ['b'] } });
    expect(await fits(schema, { a: 1 })).toBe(true);
    expect(await fits(schema, { a: 'x' })).toBe(false);
    expect(await fits({ not: { type: 'null' } }, null)).toBe(true);
  });

  it('is made once for a schema', () => {
    const schema = objectOf({});
    expect(jsonSchemaCheck(schema)).toBe(jsonSchemaCheck(schema));
  });

  it('leaves no notes in the global registry', async () => {
    const schema = objectOf({ a: { type: 'string', contentEncoding: 'base64', 'x-mine': 1 } }, { 'x-mine': 1 });
    const check = await jsonSchemaCheck(schema);
    expect(globalRegistry.has(check as Parameters<typeof globalRegistry.has>[0])).toBe(false);
  });
});
