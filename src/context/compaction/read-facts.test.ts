import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { type FactsInput, readFacts } from './read-facts.ts';
import { asked, noted, summed, told, windowOf } from './sample-window.ts';
import { rentOrBuy } from './triggers.ts';

const view = { agentName: 'assistant' };
const now = Date.parse('2026-01-01T00:05:00.000Z');

const facts = (log: readonly LoggedInput[], more: Partial<FactsInput> = {}, openInvocations?: ReadonlySet<string>) =>
  readFacts(windowOf(buildLog(log)), [], { view, now, ...more, ...(openInvocations && { openInvocations }) });

const counted = (n: number) => ({ tokens: { n, by: 'test' } });

describe('readFacts', () => {
  it('counts invocations behind the last covered one; bookkeeping and runs under way do not count', () => {
    const log = [
      asked(1, 1),
      told(2, 1),
      summed(3, [[1, 2]]),
      asked(4, 2),
      told(5, 2),
      noted(6, { pin: { seqs: [4] } }),
    ];
    expect(facts(log).newInvocations).toBe(1);
    expect(facts([...log, asked(7, 3), told(8, 3)]).newInvocations).toBe(2);
    expect(facts([...log, asked(7, 3)], {}, new Set(['i3'])).newInvocations).toBe(1);
    expect(facts([]).newInvocations).toBe(0);
  });

  it('does not count again what was stepped over', () => {
    const log = [asked(1, 1), told(2, 1), asked(3, 2), told(4, 2), noted(5, { pin: { seqs: [2] } })];
    const covered = summed(6, [
      [1, 1],
      [3, 4],
    ]);
    expect(facts([...log, covered]).newInvocations).toBe(0);
  });

  it('takes the last observed prompt of this agent and adds what came since', () => {
    const log = [
      asked(1, 1, counted(10)),
      told(2, 1, { ...counted(20), usage: { inputTokens: 50_000 } }),
      told(3, 1, { ...counted(5), author: '别人', usage: { inputTokens: 900 } }),
      asked(4, 2, counted(7)),
      told(5, 2, { ...counted(8), usage: { inputTokens: 60_000 } }),
      asked(6, 3, counted(9)),
      told(7, 3, { ...counted(9), isolationScope: 'sealed' }),
    ];
    expect(facts(log).promptTokens).toBe(60_000 + 8 + 9);
    expect(facts(log.slice(0, 4)).promptTokens).toBe(50_000 + 20 + 5 + 7);
  });

  it('estimates all that is shown where nothing was counted, or a summary came since', () => {
    const log = [asked(1, 1, counted(10)), told(2, 1, counted(20))];
    expect(facts(log, { overheadTokens: 500 }).promptTokens).toBe(530);
    const folded = [asked(1, 1, counted(10)), told(2, 1, { ...counted(20), usage: { inputTokens: 9000 } })];
    const after = [...folded, summed(3, [[1, 2]], '略记此事'), asked(4, 2, counted(6))].slice(2);
    expect(facts(after, { overheadTokens: 500 }).promptTokens).toBe(500 + 4 + 6);
  });

  it('tells how long ago things happened, and what rentOrBuy could fold', () => {
    const log = [
      asked(1, 1, counted(900)),
      told(2, 1, { ...counted(100), usage: { inputTokens: 9 } }),
      asked(3, 2, counted(1)),
    ];
    expect(facts(log)).toMatchObject({ secondsSinceEvent: 300, secondsSinceRequest: 300 });
    expect(facts([])).not.toHaveProperty('secondsSinceEvent');
    const read = readFacts(windowOf(buildLog(log)), [rentOrBuy({ retain: { tokens: 50 } })], { view, now });
    expect(read.foldable).toEqual({ folded: 900, merged: 0, stays: 101 });
    expect(facts(log)).not.toHaveProperty('foldable');
  });
});
