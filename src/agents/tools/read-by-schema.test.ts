import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PalimpsestError } from '../../errors/index.ts';
import type { SchemaResult, StandardSchema } from '../../models/index.ts';
import { readBySchema } from './read-by-schema.ts';

function schemaThat(
  validate: (value: unknown) => SchemaResult<unknown> | Promise<SchemaResult<unknown>>,
): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

describe('readBySchema', () => {
  it('gives what the schema makes of the value', async () => {
    const schema = z.object({ city: z.string().trim(), days: z.number().default(3) });
    expect(await readBySchema(schema, { city: ' 上海 ' })).toEqual({ value: { city: '上海', days: 3 } });
  });

  it('waits for a check that takes its time', async () => {
    const schema = z.object({ city: z.string().refine(async (city) => city === '上海', '没有这个城市') });
    expect(await readBySchema(schema, { city: '上海' })).toEqual({ value: { city: '上海' } });
    expect(await readBySchema(schema, { city: '天宫' })).toEqual({ problem: '- city: 没有这个城市' });
  });

  it('fills in defaults of JSON Schema', async () => {
    const schema = { type: 'object', properties: { unit: { enum: ['C', 'F'], default: 'C' } } };
    expect(await readBySchema(schema, {})).toEqual({ value: { unit: 'C' } });
  });

  it('names the path of every issue', async () => {
    const schema = z.object({ 行程: z.array(z.object({ day: z.number() })) });
    expect(await readBySchema(schema, { 行程: [{ day: 1 }, { day: 'x' }, {}] })).toEqual({
      problem: [
        '- 行程[1].day: Invalid input: expected number, received string',
        '- 行程[2].day: Invalid input: expected number, received undefined',
      ].join('\n'),
    });
  });

  it('reads paths of other libraries', async () => {
    const schema = schemaThat(() => ({
      issues: [{ message: 'is odd', path: [{ key: 'a' }, { key: 0 }, Symbol('s')] }],
    }));
    expect(await readBySchema(schema, {})).toEqual({ problem: '- a[0].Symbol(s): is odd' });
  });

  it('takes no inherited member for a value', async () => {
    const schema = { type: 'object', properties: { constructor: { type: 'string' } } };
    expect(await readBySchema(schema, Object.create(null))).toEqual({ value: {} });
  });

  it('tells ten issues at most, each shortened', async () => {
    const issues = Array.from({ length: 13 }, () => ({ message: '坏'.repeat(1_000) }));
    const read = await readBySchema(
      schemaThat(() => ({ issues })),
      {},
    );
    const lines = 'problem' in read ? read.problem.split('\n') : [];
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe(`- ${'坏'.repeat(300)}…`);
    expect(lines[10]).toBe('- and 3 more');
  });

  it.each<[string, StandardSchema, string]>([
    [
      'throws',
      schemaThat(() => {
        throw new PalimpsestError('CLOSED', { what: 'The check' });
      }),
      '- The check is closed.',
    ],
    ['rejects', schemaThat(() => Promise.reject('坏了')), '- 坏了'],
    ['throws nothing', schemaThat(() => Promise.reject()), '- the schema could not check it'],
    ['finds issues but names none', schemaThat(() => ({ issues: [] })), '- it does not fit'],
  ])('says so when a schema %s', async (_name, schema, problem) => {
    expect(await readBySchema(schema, {})).toEqual({ problem });
  });
});
