import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longLog } from '../../../test/context/long-log.ts';
import { buildLog } from '../../../test/logs/log-builder.ts';
import type { Event } from '../../events/index.ts';
import { CallLedger } from './call-ledger.ts';

function ledgerOf(events: readonly Event[]): CallLedger {
  const ledger = new CallLedger();
  for (const event of events) ledger.add(event);
  return ledger;
}

/** Every link, by seq and place. */
function linksOf(ledger: CallLedger, events: readonly Event[]) {
  return events.map((event) => ({
    calls: ledger.callsOf(event).map(({ call, longRunning }) => ({ call, longRunning })),
    answers: ledger.responsesOf(event).map(({ call }) => call && { seq: call.event.seq, call: call.call }),
    answered: [...ledger.answersTo(event.seq)].sort((a, b) => a - b),
  }));
}

const call = (seq: number, id: string | undefined, branch?: string) => ({
  seq,
  author: 'assistant',
  ...(branch === undefined ? {} : { branch }),
  content: { parts: [{ functionCall: { name: 'f', ...(id === undefined ? {} : { id }) } }] },
});
const response = (seq: number, id?: string) => ({
  seq,
  author: 'assistant',
  content: { parts: [{ functionResponse: { name: 'f', ...(id === undefined ? {} : { id }) } }] },
});

describe('CallLedger', () => {
  it('knows nothing of what was taken back', () => {
    fc.assert(
      fc.property(longLog, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (log, cuts) => {
        const ledger = ledgerOf(log);
        for (const cut of cuts) {
          const kept = cut % (log.length + 1);
          ledger.takeBack(kept + 1);
          expect(linksOf(ledger, log.slice(0, kept))).toEqual(
            linksOf(ledgerOf(log.slice(0, kept)), log.slice(0, kept)),
          );
          for (const event of log.slice(kept)) ledger.add(event);
        }
        expect(linksOf(ledger, log)).toEqual(linksOf(ledgerOf(log), log));
      }),
      { numRuns: 200 },
    );
  });

  it('takes in what begins before all that was taken back', () => {
    const ledger = ledgerOf(buildLog([call(9, 'a'), response(10, 'a')]));
    ledger.takeBack(1);
    const log = buildLog([call(3, 'a'), response(4, 'a')]);
    for (const event of log) ledger.add(event);
    expect(linksOf(ledger, log)).toEqual(linksOf(ledgerOf(log), log));
    expect(ledger.answersTo(3)).toEqual([4]);
  });

  it('gives a response without an id to the oldest open call of its tool and branch, also of those with ids', () => {
    const log = buildLog([
      call(1, 'a'),
      call(2, undefined, 'root'),
      call(3, 'b'),
      call(4, undefined),
      response(5, 'b'),
      response(6),
      response(7),
      response(8),
    ]);
    expect(linksOf(ledgerOf(log), log).map(({ answers }) => answers.map((call) => call?.seq))).toEqual([
      [],
      [],
      [],
      [],
      [3],
      [1],
      [4],
      [undefined],
    ]);
  });
});
