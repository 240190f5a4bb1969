import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isPalimpsestError } from '../../errors/index.ts';
import type { StandardSchema } from '../../models/index.ts';
import { jsonSchemaOf } from './json-schema-of.ts';

const silent: StandardSchema = {
  '~standard': { version: 1, vendor: 'quiet', validate: (value) => ({ value }) },
};

function refusal(schema: StandardSchema | { readonly [keyword: string]: unknown }, argument?: string): unknown {
  try {
    jsonSchemaOf(schema, argument);
  } catch (error) {
    return isPalimpsestError(error, 'INVALID_ARGUMENT') ? error.details : error;
  }
  return 'accepted';
}

describe('jsonSchemaOf', () => {
  it('writes what a Standard Schema takes, without $schema, frozen to the bottom', () => {
    const written = jsonSchemaOf(
      z.object({
        城市: z.string().describe('Where'),
        days: z.coerce.number().default(3),
        at: z.string().transform(Number),
      }),
    );
    expect(written).toEqual({
      type: 'object',
      properties: {
        城市: { type: 'string', description: 'Where' },
        days: { default: 3, type: 'number' },
        at: { type: 'string' },
      },
      required: ['城市', 'at'],
    });
    expect(Object.isFrozen(written)).toBe(true);
    expect(Object.isFrozen(written.properties)).toBe(true);
  });

  it('takes a schema that is a function', () => {
    const callable = Object.assign(() => 1, {
      '~standard': {
        ...silent['~standard'],
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
      },
    });
    expect(jsonSchemaOf(callable)).toEqual({ type: 'object' });
  });

  it('copies JSON Schema', () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: {} } };
    const written = jsonSchemaOf(schema);
    schema.type = 'array';
    expect(written).toEqual({ type: 'object', properties: { a: {} } });
  });

  it.each<[string, Parameters<typeof refusal>[0], string, RegExp]>([
    ['a library that writes none', silent, 'parameters', /schema of quiet, which writes no JSON Schema; give/],
    [
      'what it cannot write',
      z.object({ at: z.date() }),
      'parameters',
      /\(Date cannot be represented.*\{ schema, jsonSchema \}/,
    ],
    ['a list', z.array(z.string()), 'parameters', /type: 'object' at the top/],
    ['a union', z.union([z.object({}), z.object({})]), 'parameters', /type: 'object' at the top/],
    ['JSON Schema without a type', { properties: {} }, 'parameters', /type: 'object' at the top/],
    [
      'what is no JSON',
      { type: 'object', properties: { a: { default: 1n } } },
      'parameters.properties.a.default',
      /bigint/,
    ],
  ])('refuses %s', (_name, schema, argument, reason) => {
    expect(refusal(schema)).toEqual({ argument, reason: expect.stringMatching(reason) });
  });

  it('names the argument that it is given for', () => {
    expect(refusal({ type: 'string' }, 'outputSchema')).toMatchObject({ argument: 'outputSchema' });
  });
});
