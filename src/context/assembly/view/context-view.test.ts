import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longLog, longLogWithIds } from '../../../../test/context/long-log.ts';
import { providers, someView } from '../../../../test/context/view-arbitrary.ts';
import { buildLog, type LoggedInput } from '../../../../test/logs/log-builder.ts';
import { randomLog } from '../../../../test/logs/random-log.ts';
import {
  answers,
  type Block,
  closes,
  type Event,
  foldCoverage,
  isBookkeeping,
  opens,
  text,
  type View,
} from '../../../events/index.ts';
import { assemble } from '../assemble.ts';
import type { Assembly } from '../assembly.ts';
import { buildRequest } from '../build-request.ts';
import { validateRequest } from '../validators/validate-request.ts';
import { createContextView, LogView } from './context-view.ts';

/** Any log, and how large the spans of a view of it are: small, so that there are many. */
const someLog = fc.oneof(
  longLog,
  randomLog.map((inputs) => buildLog(inputs)),
);
const someSize = fc
  .record({ mostOpen: fc.integer({ min: 2, max: 12 }), share: fc.double({ min: 0, max: 0.5, noNaN: true }) })
  .map(({ mostOpen, share }) => ({ mostOpen, alwaysOpen: Math.floor(mostOpen * share) }));

/** A failure of a long log would be shrunk for minutes. */
const brief = { interruptAfterTimeLimit: 20_000 };

const whole: View = { agentName: 'assistant', history: 'full', provider: 'anthropic' };
const note: LoggedInput = { seq: 9, author: 'system' };
const summary = { role: 'model' as const, parts: [{ text: 'before' }] };
const rewind = (seq: number, fromSeq: number): LoggedInput => ({
  ...note,
  seq,
  actions: { rewind: { beforeInvocationId: `i${fromSeq}`, fromSeq } },
});
const response: LoggedInput = {
  seq: 9,
  author: 'assistant',
  content: { parts: [{ functionResponse: { id: 'c2', name: 'f' } }] },
};
/** A question, a call and another question, which a summary covers. */
const covered: readonly LoggedInput[] = [
  { seq: 1, author: 'user', content: 'before' },
  { seq: 2, author: 'assistant', content: { parts: [{ functionCall: { id: 'c2', name: 'f' } }] } },
  { seq: 3, author: 'user', content: '再来' },
  { ...note, seq: 4, actions: { compaction: { covers: [[1, 3]], content: summary, trigger: 't', sourceHash: '' } } },
];

/** All of an assembly, with the placements of the seqs of a log and some around it. */
function allOf({ contents, sources, question, counts, placement }: Assembly, events: readonly Event[]) {
  const last = events.at(-1)?.seq ?? 0;
  const placements = Array.from({ length: last + 3 }, (_, seq) => placement(seq));
  return { contents, sources, question, counts, placements };
}

/** The same without what takes long to work out. */
function laidOutOf({ contents, sources, question, counts }: Assembly) {
  return { contents, sources, question, counts };
}

const block = (kind: Block['kind'], stable: boolean): Block => ({ kind, stable, content: text(kind) });

function problemsOf(assembly: Assembly, { provider }: View): readonly string[] {
  const parts = { instruction: [], tools: [], assembly, transient: [block('memory', false)] };
  const requests = [parts, { ...parts, documents: [block('document', true)] }];
  return requests.flatMap((one) => validateRequest(buildRequest(one, provider), provider));
}

describe('a context view', () => {
  it('is after every push what assemble() makes of the same events, and what the provider accepts', () => {
    fc.assert(
      fc.property(someLog, someView, someSize, (log, view, spans) => {
        const live = new LogView(view, [], { spans });
        log.forEach((event, index) => {
          expect(live.push(event)).toBe('ok');
          const assembly = live.assembly();
          expect(laidOutOf(assembly)).toEqual(laidOutOf(assemble(log.slice(0, index + 1), view)));
          expect(problemsOf(assembly, view)).toEqual([]);
        });
        for (const provider of providers) {
          const other = { ...view, provider };
          expect(problemsOf(new LogView(other, log, { spans }).assembly(), other)).toEqual([]);
        }
      }),
      { ...brief, numRuns: 100 },
    );
  });

  it('says of every event what assemble() says', () => {
    fc.assert(
      fc.property(someLog, someView, fc.nat(), (log, view, pick) => {
        const live = createContextView(view);
        const stop = pick % (log.length + 1);
        for (const event of log.slice(0, stop)) live.push(event);
        const before = live.assembly();
        for (const event of log.slice(stop)) live.push(event);
        expect(allOf(live.assembly(), log)).toEqual(allOf(assemble(log, view), log));
        expect(allOf(before, log)).toEqual(allOf(assemble(log.slice(0, stop), view), log));
      }),
      { ...brief, numRuns: 100 },
    );
  });

  it('may be asked now and then, and begin anywhere', () => {
    fc.assert(
      fc.property(someLog, someView, fc.nat(), fc.infiniteStream(fc.boolean()), (log, view, pick, isAsked) => {
        const begun = pick % (log.length + 1);
        const live = createContextView(view, new Set(log.slice(0, begun)));
        const given: { assembly: Assembly; length: number }[] = [];
        for (let length = begun; length < log.length; length++) {
          if (isAsked.next().value === true) given.push({ assembly: live.assembly(), length });
          for (const event of log.slice(length, length + 1)) live.push(event);
        }
        // What was given once stays as it was, also where it is first read now.
        for (const { assembly, length } of given)
          expect(laidOutOf(assembly)).toEqual(laidOutOf(assemble(log.slice(0, length), view)));
        expect(laidOutOf(live.assembly())).toEqual(laidOutOf(assemble(log, view)));
      }),
      { ...brief, numRuns: 150 },
    );
  });

  it('goes on from what is live as if it had seen all, or asks for a reload', () => {
    let reloads = 0;
    fc.assert(
      fc.property(longLogWithIds, someView, fc.nat(), (log, view, pick) => {
        const begun = pick % (log.length + 1);
        const before = log.slice(0, begun);
        const live = createContextView(view, liveOf(before, view), begun);
        for (let length = begun; length < log.length; length++) {
          const event = log[length];
          if (event === undefined) break;
          const last = live.assembly();
          if (live.push(event) === 'reload') {
            reloads++;
            expect(live.assembly()).toBe(last);
            break;
          }
          const whole = assemble(log.slice(0, length + 1), view);
          expect(live.assembly().contents).toEqual(whole.contents);
          expect(live.assembly().question).toEqual(whole.question);
        }
      }),
      { ...brief, numRuns: 200 },
    );
    expect(reloads).toBeGreaterThan(0);
  });

  it('gives an assembly of nothing that stays one', () => {
    const live = createContextView(whole);
    const nothing = live.assembly();
    for (const event of buildLog(
      Array.from({ length: 90 }, (_, index) => ({ seq: index + 1, author: 'user', content: '你好' })),
    ))
      live.push(event);
    expect(nothing.contents).toEqual([]);
    expect(live.assembly().counts.inWindow).toBe(90);
  });

  it('takes an event that it holds for nothing new, and one too far ahead for a reason to reload', () => {
    const log = buildLog([1, 2, 3, 4].map((seq) => ({ seq, author: 'user', content: `问题 ${seq}` })));
    const [first, second, third, fourth] = log;
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) return;
    const live = createContextView(whole, [second], 2);
    expect([third, second, third].map((event) => live.push(event))).toEqual(['ok', 'ok', 'ok']);
    expect(live.assembly().sources).toEqual([[2, 3]]);
    expect(live.push(first)).toBe('reload');
    expect(createContextView(whole, [second], 2).push(fourth)).toBe('reload');
    expect(createContextView(whole, [], 3).push(fourth)).toBe('ok');
  });

  it.each<[string, LoggedInput, number]>([
    ['a rewind into what a summary covers', rewind(9, 3), 3],
    ['a rewind that takes but its last event from a summary', rewind(9, 3), 2],
    ['a pin on what a summary covers', { ...note, actions: { pin: { seqs: [1] } } }, 3],
    ['a response to a call that a summary covers', response, 3],
  ])('asks for a reload at %s', (_, input, unseen) => {
    const talk = [5, 6, 7, 8].map((seq) => ({ seq, author: 'user', content: `question ${seq}` }));
    expectReload([...covered, ...talk, input], unseen);
  });

  it('goes on at an overflow as if nothing had been said, also where it names what was never given', () => {
    const log = buildLog([...covered, { seq: 5, author: 'user', content: '还有呢？' }]);
    const overflow = { why: 'blocked', agentName: '助手', by: [2] } as const;
    for (const given of [log, log.slice(3)]) {
      const live = createContextView(whole, given, 5);
      const before = laidOutOf(live.assembly());
      for (const event of buildLog([{ ...note, seq: 6, actions: { overflow } }])) expect(live.push(event)).toBe('ok');
      const { contents, sources, question } = live.assembly();
      expect({ contents, sources, question, counts: before.counts }).toEqual(before);
      expect(live.assembly().placement(6)).toEqual({ outcome: 'hidden', why: 'bookkeeping' });
    }
  });

  it('asks for a reload at a rewind of a rewind that hid what was never given', () => {
    const talk = [5, 6, 7].map((seq) => ({ seq, author: 'user', invocationId: `i${seq}`, content: `question ${seq}` }));
    expectReload(
      [...covered, ...talk.slice(0, 2), rewind(7, 5), { ...talk[2], author: 'user', seq: 8 }, rewind(9, 6)],
      6,
    );
  });
});

/** A view of all but the first events reloads at the last; one that has all goes on. */
function expectReload(inputs: readonly LoggedInput[], unseen: number): void {
  const log = buildLog(inputs);
  const last = log.at(-1);
  if (last === undefined) return;
  const live = createContextView(
    whole,
    log.filter((event) => event !== last && (event.seq > unseen || isBookkeeping(event))),
  );
  const before = live.assembly();
  expect(live.push(last)).toBe('reload');
  expect(live.assembly()).toBe(before);
  const all = createContextView(whole, log.slice(0, -1));
  expect(all.push(last)).toBe('ok');
  expect(laidOutOf(all.assembly())).toEqual(laidOutOf(assemble(log, whole)));
}

/** The events that are not covered, bookkeeping, calls that one of them answers, the newest answer, ends of agents. */
function liveOf(log: readonly Event[], view: View): readonly Event[] {
  const whole = assemble(log, { ...view, history: 'full' });
  const isMasked = ({ seq }: Event) => whole.placement(seq).outcome === 'masked';
  const answered = new Set(log.flatMap((event) => (isMasked(event) ? [] : closes(event))));
  const isCalled = (event: Event) => event.author !== 'user' && opens(event).some((id) => answered.has(id));
  const isSaidOfLog = (event: Event) => isBookkeeping(event) || event.actions.endOfAgent === true;
  const isHidden = ({ seq }: Event) => whole.placement(seq).outcome === 'hidden';
  const { isLive } = foldCoverage(log.filter(isBookkeeping));
  const newest = log.findLast((event) => answers(event) && !isHidden(event));
  return log.filter(
    (event) => event === newest || isSaidOfLog(event) || (isLive(event.seq) && (!isMasked(event) || isCalled(event))),
  );
}
