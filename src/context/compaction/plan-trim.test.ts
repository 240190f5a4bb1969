import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { planTrim, type TrimOptions, trimInput } from './plan-trim.ts';
import { asked, called, noted, returned, told, windowOf } from './sample-window.ts';

const long = (id: string, size = 4000) => ({
  content: { parts: [{ functionResponse: { id, name: 'look_up', response: '长'.repeat(size) } }] },
});

const turn = (number: number, size?: number): LoggedInput[] => {
  const seq = 4 * number - 3;
  const id = `c${number}`;
  return [
    asked(seq, number),
    called(seq + 1, number, [id]),
    returned(seq + 2, number, id, long(id, size)),
    told(seq + 3, number),
  ];
};

const plan = (log: readonly LoggedInput[], options: Partial<TrimOptions> = {}) =>
  planTrim(windowOf(buildLog(log)), { keepChars: 100, retain: { invocations: 1 }, isBreak: true, ...options });

describe('planTrim', () => {
  const log = [...turn(1), ...turn(2), ...turn(3)];

  it('cuts old results at a break that happens anyway, and says what that spares', () => {
    const outcome = plan(log);
    expect(outcome).toEqual({ status: 'plan', plan: { seqs: [3, 7], keepChars: 100, tokens: 7800 } });
    if (outcome.status !== 'plan') return;
    expect(trimInput(outcome.plan)).toEqual({ author: 'system', actions: { trim: { seqs: [3, 7], keepChars: 100 } } });
  });

  it('leaves alone what is pinned, covered, short, cut already, or of a run under way', () => {
    expect(plan([...log, noted(13, { pin: { seqs: [3] } })])).toMatchObject({ plan: { seqs: [7] } });
    expect(plan([...log, noted(13, { trim: { seqs: [3], keepChars: 100 } })])).toMatchObject({ plan: { seqs: [7] } });
    expect(plan([...log, noted(13, { trim: { seqs: [3], keepChars: 2000 } })])).toMatchObject({
      plan: { seqs: [3, 7], tokens: 3900 + 1900 },
    });
    expect(plan(log, { openInvocations: new Set(['i2']) })).toMatchObject({ plan: { seqs: [3] } });
    expect(plan([...turn(1, 250), ...turn(2)])).toEqual({ status: 'nothingToDo' });
    expect(plan([...turn(1, 300), ...turn(2)])).toMatchObject({ plan: { seqs: [3], tokens: 200 } });
  });

  it('waits without a break until that has cost as much as writing the rest anew', () => {
    const prices = { readFactor: 0.1, writeFactor: 1.25 };
    const waiting = plan(log, { isBreak: false, prices });
    if (waiting.status !== 'wait') return expect.fail(waiting.status);
    expect(waiting.rentPerRequest).toBeCloseTo(780);
    expect(waiting.price).toBeGreaterThan(1.15 * 4200);
    expect(plan(log, { isBreak: false, prices, rent: waiting.price })).toMatchObject({ status: 'plan' });
    expect(plan(log, { isBreak: false, prices, rent: waiting.price - 1 })).toMatchObject({ status: 'wait' });
    expect(plan(log, { isBreak: false })).toEqual({ status: 'nothingToDo' });
  });
});
