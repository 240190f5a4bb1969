import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../../errors/index.ts';
import { idle, modelDriven, rentOrBuy, taskComplete, threshold, window } from './triggers.ts';

function refusedArgument(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    if (isPalimpsestError(error, 'INVALID_ARGUMENT')) return error.details.argument;
  }
  return undefined;
}

describe('triggers', () => {
  it('are plain frozen data', () => {
    expect(window({ interval: 2, overlap: 1 })).toEqual({ kind: 'window', interval: 2, overlap: 1 });
    expect(window({ interval: 1 }).overlap).toBe(0);
    expect(threshold({ tokens: 50_000, retain: { events: 10 } }).retain).toEqual({ events: 10 });
    expect(idle({ seconds: 900 })).toEqual({ kind: 'idle', seconds: 900, retain: { invocations: 1 } });
    expect(rentOrBuy()).toEqual({ kind: 'rentOrBuy', retain: { tokens: 6000 }, summaryShare: 0.12 });
    for (const trigger of [window({ interval: 3 }), taskComplete(), modelDriven(), rentOrBuy()])
      expect(Object.isFrozen(trigger)).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ['interval', () => window({ interval: 0 })],
    ['interval', () => window({ interval: 1.5 })],
    ['interval', () => window({ interval: Number.NaN })],
    ['overlap', () => window({ interval: 2, overlap: 2 })],
    ['overlap', () => window({ interval: 2, overlap: -1 })],
    ['tokens', () => threshold({ tokens: 0, retain: { events: 1 } })],
    ['retain.events', () => threshold({ tokens: 9, retain: { events: 0 } })],
    ['retain.tokens', () => threshold({ tokens: 9, retain: { tokens: 0 } })],
    ['retain', () => threshold({ tokens: 9, retain: { events: 1, ...{ tokens: 1 } } })],
    ['seconds', () => idle({ seconds: 0 })],
    ['retain.invocations', () => taskComplete({ retain: { invocations: 0 } })],
    ['retain.invocations', () => modelDriven({ retain: { invocations: -1 } })],
    ['summaryShare', () => rentOrBuy({ summaryShare: 1 })],
    ['summaryShare', () => rentOrBuy({ summaryShare: Number.NaN })],
  ])('refuse a bad %s', (argument, make) => {
    expect(refusedArgument(make)).toBe(argument);
  });
});
