import assert from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { type Checks, isRed, type LawSubject, type Laws, runLaws } from './conformance.ts';

interface Counter extends LawSubject {
  readonly value: number;
}

const laws: Laws = {
  'counter.positive': { says: 'The value is positive.', source: '§1' },
  'counter.even': { says: 'The value is even.', source: '§1', needs: 'evenness' },
};

const checks: Checks<Counter> = {
  'counter.positive': async ({ value }) => assert.ok(value > 0, 'is not positive'),
  'counter.even': {
    holds: async ({ value }) => assert.equal(Math.abs(value) % 2, 0),
    refuses: async ({ value }) => assert.equal(value % 2, 1, 'claims nothing and yet is even'),
  },
};

function counters(value: number, ...capabilities: string[]) {
  const disposed: number[] = [];
  const create = async (): Promise<Counter> => ({
    value,
    capabilities: new Set(capabilities),
    dispose: async () => void disposed.push(value),
  });
  return { create, disposed };
}

describe('runLaws', () => {
  test('reports what is kept and what is broken, in the order of the laws, on a fresh subject each', async () => {
    const { create, disposed } = counters(-2, 'evenness');
    const reports = await runLaws({ laws, checks, create });
    expect(reports.map(({ law, outcome, why }) => [law, outcome, why])).toEqual([
      ['counter.positive', 'broken', 'is not positive'],
      ['counter.even', 'kept', undefined],
    ]);
    expect(reports.map(isRed)).toEqual([true, false]);
    expect(disposed).toEqual([-2, -2]);
  });

  test('has a subject without the capability prove that it refuses', async () => {
    const outcomes = async (value: number) =>
      (await runLaws({ laws, checks, create: counters(value).create, only: ['counter.even'] })).map((r) => r.outcome);
    expect(await outcomes(1)).toEqual(['refused-as-declared']);
    expect(await outcomes(2)).toEqual(['broken']);
  });

  test('runs known failures and turns red when one begins to pass', async () => {
    const known = { 'counter.positive': 'not built yet' };
    const run = async (value: number) =>
      (await runLaws({ laws, checks, create: counters(value, 'evenness').create, known }))[0];
    expect(await run(-2)).toMatchObject({ outcome: 'known', why: 'not built yet' });
    const stale = await run(2);
    expect(stale?.outcome).toBe('stale');
    expect(stale && isRed(stale)).toBe(true);
  });

  test('reports a subject that cannot be made, or not be cleaned up, as broken', async () => {
    const fail = async () => assert.fail('no subject');
    const unmade = await runLaws({ laws, checks, create: fail, only: ['counter.positive'] });
    expect(unmade[0]).toMatchObject({ outcome: 'broken', why: 'no subject' });
    const { create } = counters(1);
    const dirty = async () => ({ ...(await create()), dispose: fail });
    expect((await runLaws({ laws, checks, create: dirty, only: ['counter.positive'] }))[0]?.outcome).toBe('broken');
  });

  const some = async () => counters(1).create();
  test.each([
    ['a law without a check', { laws: { ...laws, 'counter.odd': { says: 'x', source: '§1' } }, checks }, 'laws'],
    ['a check without a law', { laws, checks: { ...checks, 'counter.odd': async () => undefined } }, 'checks'],
    ['a known failure of no law', { laws, checks, known: { nothing: 'why' } }, 'known'],
    ['a selection of no law', { laws, checks, only: ['nothing'] }, 'only'],
    ['a missing refusal', { laws, checks: { ...checks, 'counter.even': async () => undefined } }, 'checks'],
  ] as const)('refuses %s', async (_name, options, argument) => {
    await expect(runLaws<Counter>({ ...options, create: some })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { argument },
    });
  });
});
