import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { type FoldOptions, planFold } from './plan-fold.ts';
import { asked, called, foldedSeqs, noted, planIn, returned, summed, told, windowOf } from './sample-window.ts';

const turns = (first: number, count: number, seq = 1): LoggedInput[] =>
  Array.from({ length: count }, (_, at) => [
    asked(seq + 2 * at, first + at),
    told(seq + 2 * at + 1, first + at),
  ]).flat();

const plan = (log: readonly LoggedInput[], options?: FoldOptions) => planFold(windowOf(buildLog(log)), options);

describe('what a fold takes', () => {
  it('takes all that is uncovered, in order, and says how many tokens that is', () => {
    const log = turns(1, 2).map((event) => ({ ...event, tokens: { n: 10, by: 'test' } }));
    const outcome = plan(log);
    expect(foldedSeqs(outcome)).toEqual([1, 2, 3, 4]);
    expect(planIn(outcome)).toMatchObject({ covers: [[1, 4]], supersedes: [], steppedOver: [], context: [] });
    expect(planIn(outcome)?.tokens).toEqual({ folded: 40, merged: 0, stays: 0 });
  });

  it('runs over bookkeeping, and not over what a rewind hides or another summary covers', () => {
    const log = [
      ...turns(1, 2),
      noted(5, { sessionEnd: true }),
      ...turns(3, 1, 6),
      ...turns(4, 1, 8),
      noted(10, { rewind: { beforeInvocationId: 'i4', fromSeq: 8 } }),
      ...turns(5, 1, 11),
      summed(13, [[3, 4]]),
      ...turns(6, 1, 14),
    ];
    expect(planIn(plan(log))?.covers).toEqual([
      [1, 2],
      [6, 7],
      [11, 15],
    ]);
  });

  it('folds one branch and scope, that with most tokens, and leaves the others as holes', () => {
    const branch = { branch: 'root.研究' };
    const log = [
      ...turns(1, 1),
      told(3, 1, { ...branch, content: '短' }),
      told(4, 1, { isolationScope: 'sealed', content: '封' }),
      ...turns(2, 1, 5),
    ];
    expect(planIn(plan(log))?.covers).toEqual([
      [1, 2],
      [5, 6],
    ]);
    const long = log.map((event) => (event.seq === 3 ? { ...event, content: '很长的研究'.repeat(99) } : event));
    expect(planIn(plan(long))).toMatchObject({ covers: [[3, 3]], branch: 'root.研究' });
    expect(planIn(plan(long, { place: { isolationScope: 'sealed' } }))).toMatchObject({
      covers: [[4, 4]],
      isolationScope: 'sealed',
    });
  });

  it('has nothing to do with what is covered, retained or silent', () => {
    expect(plan([...turns(1, 1), summed(3, [[1, 2]])])).toEqual({ status: 'nothingToDo', why: 'allCovered' });
    expect(plan(turns(1, 1), { retain: { events: 2 } })).toEqual({ status: 'nothingToDo', why: 'retained' });
    const silent = { seq: 1, author: 'assistant', actions: { stateDelta: { 城市: '东京' } }, invocationId: 'i1' };
    expect(plan([silent])).toEqual({ status: 'nothingToDo', why: 'nothingSaid' });
    expect(planFold(windowOf([]))).toEqual({ status: 'nothingToDo', why: 'allCovered' });
  });
});

describe('what a fold never takes', () => {
  it('the live question, in each branch', () => {
    const log = [...turns(1, 1), asked(3, 2), called(4, 2, ['c']), returned(5, 2, 'c')];
    expect(foldedSeqs(plan(log))).toEqual([1, 2, 4, 5]);
    expect(planIn(plan(log))?.steppedOver).toEqual([{ seq: 3, why: 'question' }]);
    const elsewhere = [asked(1, 1), told(2, 1, { branch: 'root.a' }), told(3, 1, { branch: 'root.b' })];
    expect(foldedSeqs(plan(elsewhere, { place: {} }))).toEqual([]);
    expect(foldedSeqs(plan([...elsewhere, told(4, 1)], { place: {} }))).toEqual([1, 4]);
  });

  it('pins, with calls and responses that belong to them', () => {
    const log = [
      asked(1, 1),
      called(2, 1, ['a', 'b']),
      returned(3, 1, 'a'),
      returned(4, 1, 'b'),
      told(5, 1),
      noted(6, { pin: { seqs: [3] } }),
    ];
    const outcome = plan(log);
    expect(foldedSeqs(outcome)).toEqual([1, 5]);
    expect(planIn(outcome)?.steppedOver).toEqual([
      { seq: 2, why: 'pair' },
      { seq: 3, why: 'pinned' },
      { seq: 4, why: 'pair' },
    ]);
    expect(foldedSeqs(plan([...log, noted(7, { unpin: { seqs: [3] } })]))).toEqual([1, 2, 3, 4, 5]);
  });

  it('anything of a run that is under way, nor a call of before that it answers', () => {
    const log = [asked(1, 1), called(2, 1, ['a']), told(3, 1), asked(4, 2), returned(5, 2, 'a'), told(6, 2)];
    expect(foldedSeqs(plan(log, { openInvocations: new Set(['i2']) }))).toEqual([1, 3]);
    expect(foldedSeqs(plan(log))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('a call whose response stays, nor a response whose call stays', () => {
    const log = [asked(1, 1), called(2, 1, ['a', 'b']), returned(3, 1, 'a'), returned(4, 1, 'b'), told(5, 1)];
    expect(foldedSeqs(plan(log, { retain: { events: 2 } }))).toEqual([1]);
    expect(foldedSeqs(plan(log, { retain: { events: 1 } }))).toEqual([1, 2, 3, 4]);
    const late = [asked(1, 1), called(2, 1, ['a']), told(3, 1), ...turns(2, 2, 4), returned(8, 3, 'a'), told(9, 3)];
    const outcome = plan(late, { retain: { events: 2 } });
    expect(foldedSeqs(outcome)).toEqual([1, 3, 4, 5, 6, 7]);
    expect(planIn(outcome)?.steppedOver).toEqual([{ seq: 2, why: 'pair' }]);
  });

  it('pairs by the newest call of an id, and calls without id in turn', () => {
    const log = [1, 2, 3].flatMap((turn) => {
      const seq = 4 * turn - 3;
      return [
        asked(seq, turn),
        called(seq + 1, turn, ['call_0']),
        returned(seq + 2, turn, 'call_0'),
        told(seq + 3, turn),
      ];
    });
    expect(foldedSeqs(plan(log, { retain: { events: 3 } }))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const withoutIds = buildLog(log).map((event) => {
      const parts = event.content?.parts.map(({ functionCall: call, functionResponse: response, ...rest }) => ({
        ...rest,
        ...(call === undefined ? {} : { functionCall: { name: call.name } }),
        ...(response === undefined ? {} : { functionResponse: { name: response.name, response: 'ok' } }),
      }));
      return parts === undefined || event.content === undefined
        ? event
        : { ...event, content: { ...event.content, parts } };
    });
    expect(foldedSeqs(planFold(windowOf(withoutIds), { retain: { events: 2 } }))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(foldedSeqs(planFold(windowOf(withoutIds.slice(0, 2))))).toEqual([]);
  });
});

describe('open obligations', () => {
  it('stop the fold, also long after', () => {
    const log = [...turns(1, 1), asked(3, 2), called(4, 2, ['a'], { longRunningToolIds: ['a'] }), ...turns(3, 2, 5)];
    expect(foldedSeqs(plan(log))).toEqual([1, 2, 3]);
    expect(plan(log.slice(2))).toMatchObject({ status: 'plan', plan: { covers: [[3, 3]] } });
    expect(plan(log.slice(3))).toEqual({ status: 'blocked', by: [4] });
    expect(plan(log.slice(2), { between: 'invocations' })).toEqual({ status: 'blocked', by: [4] });
  });

  it('are confirmations too, under the id of a call that is answered with the wish for one', () => {
    const wish = { actions: { requestedToolConfirmations: { a: { hint: '付 100 元？' } } } };
    const log = [...turns(1, 1), asked(3, 2), called(4, 2, ['a']), returned(5, 2, 'a', wish), ...turns(3, 1, 6)];
    expect(plan(log, { between: 'invocations' })).toMatchObject({ plan: { covers: [[1, 2]] } });
    const answered = [...log, returned(8, 4, 'a'), told(9, 4)];
    expect(foldedSeqs(plan(answered))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('of a run that is over are stepped over, for fifty turns and more', () => {
    const head = [asked(1, 1), called(2, 1, ['dead', 'answered']), returned(3, 1, 'answered')];
    expect(foldedSeqs(plan(head))).toEqual([]);
    const log = [...head, ...turns(2, 50, 4)];
    const outcome = plan(log, { between: 'invocations' });
    expect(planIn(outcome)?.covers).toEqual([
      [1, 1],
      [4, 103],
    ]);
    expect(planIn(outcome)?.steppedOver).toEqual([
      { seq: 2, why: 'deadCall' },
      { seq: 3, why: 'pair' },
    ]);
    expect(plan(log, { openInvocations: new Set(['i1']) })).toEqual({ status: 'blocked', by: [2] });
  });

  it('are not over while a person is still to be heard in that run', () => {
    const person = { parts: [{ functionCall: { id: 'p', name: 'adk_request_confirmation' } }] };
    const log = [asked(1, 1), called(2, 1, ['a']), told(3, 1, { content: person }), ...turns(2, 3, 4)];
    expect(plan(log, { between: 'invocations' })).toEqual({ status: 'blocked', by: [2, 3] });
  });

  it('of long-running calls leave a hole until the final word, and a failure is one', () => {
    const long = { longRunningToolIds: ['a'] };
    const log = [asked(1, 1), called(2, 1, ['a'], long), returned(3, 1, 'a'), told(4, 1), ...turns(2, 1, 5)];
    const outcome = plan(log);
    expect(planIn(outcome)?.covers).toEqual([
      [1, 1],
      [4, 6],
    ]);
    expect(planIn(outcome)?.steppedOver[0]).toEqual({ seq: 2, why: 'longRunning' });
    expect(foldedSeqs(plan([...log, returned(7, 3, 'a'), told(8, 3)]))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const failed = {
      content: { parts: [{ functionResponse: { id: 'a', name: 'look_up', response: { error: '坏' } } }] },
    };
    const failing = log.map((event) => (event.seq === 3 ? { ...event, ...failed } : event));
    expect(foldedSeqs(plan(failing))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('where a fold ends', () => {
  const log = turns(1, 6).map((event) => ({ ...event, tokens: { n: 10, by: 'test' } }));

  it.each<[FoldOptions, number]>([
    [{ throughSeq: 7 }, 7],
    [{ throughSeq: 7, between: 'invocations' }, 6],
    [{ retain: { events: 3 } }, 9],
    [{ retain: { tokens: 25 } }, 9],
    [{ retain: { tokens: 20 } }, 10],
    [{ retain: { invocations: 2 } }, 8],
    [{ retain: { events: 3 }, between: 'invocations' }, 8],
    [{ most: { invocations: 3 } }, 6],
    [{ most: { tokens: 35 } }, 3],
    [{ most: { tokens: 35 }, between: 'invocations' }, 2],
    [{ most: { tokens: 1 }, between: 'invocations' }, 2],
  ])('%j: at %i', (options, last) => {
    expect(foldedSeqs(plan(log, options)).at(-1)).toBe(last);
  });

  it('takes a first pair whole, however little a fold may take', () => {
    const pair = [called(1, 1, ['a'], { tokens: { n: 900, by: 'test' } }), returned(2, 1, 'a'), told(3, 1)];
    expect(foldedSeqs(plan(pair, { most: { tokens: 5 } }))).toEqual([1, 2]);
  });

  it('drains a backlog of two hundred invocations window by window', () => {
    let events = turns(1, 200);
    const ends: number[] = [];
    for (let outcome = plan(events, { most: { invocations: 3 } }); outcome.status === 'plan'; ) {
      ends.push(outcome.plan.covers.at(-1)?.[1] ?? 0);
      expect(outcome.plan.covers).toHaveLength(1);
      const seq = (events.at(-1)?.seq ?? 0) + 1;
      events = [...events, summed(seq, outcome.plan.covers, '略。')];
      outcome = plan(events, { most: { invocations: 3 } });
    }
    expect(ends).toHaveLength(67);
    expect(ends.slice(0, 3)).toEqual([6, 12, 18]);
  });
});

describe('what a fold reads along and takes over', () => {
  it('covers 3–4 after 1–2, and is given 2 to read', () => {
    const options: FoldOptions = { between: 'invocations', most: { invocations: 2 }, overlap: 1 };
    const two = turns(1, 2);
    expect(planIn(plan(two, options))).toMatchObject({ covers: [[1, 4]], context: [] });
    const four = [...two, summed(5, [[1, 4]]), ...turns(3, 2, 6)];
    const second = planIn(plan(four, options));
    expect(second).toMatchObject({ covers: [[6, 9]], supersedes: [] });
    expect(second?.context.map(({ seq }) => seq)).toEqual([3, 4]);
    const { events, ...rest } = windowOf(buildLog(four));
    const unread = { ...rest, events: events.filter(({ seq }) => seq > 4) };
    expect(planIn(planFold(unread, options))?.context).toEqual([]);
    const read = planFold({ ...unread, earlier: events.slice(0, 4) }, options);
    expect(planIn(read)?.context.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it('takes the place of the oldest summaries once there is no room for one more', () => {
    const text = '旧事'.repeat(60);
    const log = [
      ...turns(1, 3),
      summed(7, [[1, 2]], text),
      summed(8, [[3, 4]], text),
      summed(9, [[5, 6]], text),
      ...turns(4, 1, 10),
    ];
    expect(planIn(plan(log, { summaryRegion: 600 }))).toMatchObject({ covers: [[10, 11]], supersedes: [] });
    const merging = planIn(plan(log, { summaryRegion: 400 }));
    expect(merging?.supersedes.map(({ seq }) => seq)).toEqual([7, 8]);
    expect(merging?.covers).toEqual([
      [1, 4],
      [10, 11],
    ]);
    expect(merging?.tokens.merged).toBe(240);
    expect(merging?.mostTokens).toBe(100);
  });
});
