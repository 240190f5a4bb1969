import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInMemoryMemoryStore, createMemoryService, type Event, type SeqRange } from '../../src/index.ts';
import { eventAt } from '../../src/testing/index.ts';

const user = { appName: 'app', userId: 'u' };
const source = { ...user, sessionId: 's', incarnation: 'i' };
const newService = () => createMemoryService({ store: createInMemoryMemoryStore() });

const said = fc
  .array(fc.constantFrom('tea', 'coffee', 'weather', 'sunny', '天气', '喝茶'), { minLength: 1, maxLength: 6 })
  .map((words) => words.join(' '));
const move = fc.oneof(
  { weight: 3, arbitrary: fc.array(said, { maxLength: 5 }).map((texts) => ({ texts })) },
  { weight: 1, arbitrary: fc.nat(20).map((back) => ({ back })) },
);

test('what was learnt step by step, through rewinds, is what the log teaches when it is read at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 8 }), said, async (moves, query) => {
      const stepwise = newService();
      let live: Event[] = [];
      let seq = 0;
      for (const step of moves) {
        const fromSeq = seq;
        const retract: SeqRange[] = [];
        const events: Event[] = [];
        if ('texts' in step) {
          for (const text of step.texts) events.push(eventAt(++seq, text));
        } else {
          const hiddenFrom = Math.max(1, ++seq - step.back);
          if (hiddenFrom < seq) retract.push([hiddenFrom, seq - 1]);
          live = live.filter((event) => event.seq < hiddenFrom);
        }
        live.push(...events);
        await stepwise.ingest({ source, fromSeq, toSeq: seq, events, retract });
      }
      const atOnce = newService();
      await atOnce.ingest({ source, fromSeq: 0, toSeq: seq, events: live });
      const search = async (service: typeof atOnce) => (await service.search({ scope: user, query })).memories;
      expect(await search(stepwise)).toEqual(await search(atOnce));
    }),
  );
});
