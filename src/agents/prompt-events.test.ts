import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Content, functionResponses, modelText, text } from '../events/index.ts';
import { stoppedAnswer } from './open-calls.ts';
import { callOf, logOf, responseOf, SampleLog } from './sample-log.ts';

const [hi, name, tora] = [text('hi'), text('我的猫叫什么？'), modelText('叫虎子。')];
const stopped = (id: string): Content => {
  const event = logOf(callOf(id)).events[0];
  const answer = event && stoppedAnswer({ id, name: 'look', event });
  return answer?.content as Content;
};

describe('responses of a prompt', () => {
  it.each<[string, readonly Content[], readonly Content[], readonly Content[]]>([
    [
      'count in any order',
      [hi, callOf('a'), callOf('b'), responseOf('b'), responseOf('a'), tora, name],
      [hi, callOf('a'), callOf('b'), responseOf('a'), responseOf('b'), tora, name, text('And?')],
      [text('And?')],
    ],
    [
      'count in any order also where the log ends with a question',
      [hi, callOf('a'), callOf('b'), responseOf('b'), responseOf('a'), name],
      [hi, callOf('a'), callOf('b'), responseOf('a'), responseOf('b'), name, text('And?')],
      [text('And?')],
    ],
    [
      'are new each for itself',
      [hi, callOf('a'), callOf('b'), responseOf('b')],
      [hi, callOf('a'), callOf('b'), responseOf('a'), responseOf('b')],
      [responseOf('a')],
    ],
    [
      'stand with their call for a caller, behind other words in the log',
      [hi, callOf('a'), tora, responseOf('a')],
      [hi, callOf('a'), responseOf('a'), tora, name],
      [name],
    ],
    [
      'take the place of what was said for a run that stopped, however late',
      [hi, callOf('a'), stopped('a'), name, tora],
      [hi, callOf('a'), responseOf('a'), name, tora, text('And?')],
      [responseOf('a'), text('And?')],
    ],
    [
      'take that place also where the caller shows the rest otherwise',
      [text('[cut]'), callOf('a'), stopped('a'), name, tora],
      [hi, callOf('a'), responseOf('a'), name, tora, text('And?')],
      [responseOf('a'), text('And?')],
    ],
    [
      'do not come again as what was said for a run that stopped',
      [hi, callOf('a'), stopped('a'), tora],
      [hi, callOf('a'), stopped('a'), tora, name],
      [name],
    ],
    [
      'are not taken for those of a later call with the same id',
      [hi, callOf('a'), responseOf('a'), tora, name, callOf('a', 'other')],
      [hi, callOf('a'), responseOf('a', 'first'), tora, name],
      [],
    ],
    [
      'are new where their call is',
      [hi, tora],
      [hi, tora, name, callOf('a'), responseOf('a')],
      [name, callOf('a'), responseOf('a')],
    ],
    [
      'part the texts beside them',
      [text('a'), callOf('a'), text('b'), responseOf('a'), text('c')],
      [text('a'), callOf('a'), { role: 'user', parts: [{ text: 'b' }, ...responseOf('a').parts, { text: 'c' }] }, name],
      [name],
    ],
  ])('%s', (_name, before, prompt, fresh) => {
    const log = logOf(...before);
    log.receive(prompt);
    expect(log.rewinds).toBe(0);
    expect(log.contents).toEqual([...before, ...fresh]);
  });
});

const step = fc.record({
  /** Where each response comes among those of its step. */
  arrival: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
  fails: fc.nat({ max: 2 }),
});
const turn = fc.record({
  ask: fc.constantFrom('yes', '好', '再来'),
  steps: fc.array(step, { maxLength: 3 }),
  answer: fc.constantFrom('ok', '好的'),
});

describe('a tool loop whose tools work side by side', () => {
  const callers = {
    'the whole conversation': (all: readonly Content[]) => all,
    'the turn alone': (all: readonly Content[], turnStart: number) => all.slice(turnStart),
    'its question alone after a failure': (all: readonly Content[], turnStart: number, failed: boolean) =>
      failed ? all.slice(turnStart, turnStart + 1) : all,
  };

  it.each(Object.entries(callers))(
    'stands in the log once, however often it is asked again with %s',
    (_name, shown) => {
      fc.assert(
        fc.property(fc.array(turn, { minLength: 1, maxLength: 5 }), (turns) => {
          const log = new SampleLog();
          const all: Content[] = [];
          let ids = 0;
          for (const { ask, steps, answer } of turns) {
            const turnStart = all.length;
            all.push(text(ask));
            log.receive(shown(all, turnStart, false));
            for (const { arrival, fails } of steps) {
              const made = arrival.map(() => `c${++ids}`);
              const calls: Content = { role: 'model', parts: made.flatMap((id) => callOf(id).parts) };
              log.add(calls);
              const inOrderOfArrival = made.toSorted((a, b) => rankOf(a, made, arrival) - rankOf(b, made, arrival));
              const all2 = [...all, calls];
              // The loop shows what has come as it comes, at last in the order of the calls.
              for (const id of inOrderOfArrival) {
                all2.push(responseOf(id));
                log.receive(shown(all2, turnStart, false));
              }
              all.push(calls, ...made.map((id) => responseOf(id)));
              for (let failure = 0; failure < fails; failure++) {
                log.fail();
                log.receive(shown(all, turnStart, true));
              }
            }
            log.add(modelText(answer));
            all.push(modelText(answer));
          }
          expect(log.rewinds).toBe(0);
          expect(withoutResponses(log.contents)).toEqual(withoutResponses(all));
          expect(idsAnswered(log.contents).sort()).toEqual(idsAnswered(all).sort());
        }),
      );
    },
  );
});

function rankOf(id: string, made: readonly string[], arrival: readonly number[]): number {
  return arrival[made.indexOf(id)] ?? 0;
}

function withoutResponses(contents: readonly Content[]): readonly Content[] {
  return contents.filter((content) => functionResponses(content).length === 0);
}

function idsAnswered(contents: readonly Content[]): string[] {
  return contents.flatMap((content) => functionResponses(content).flatMap(({ id }) => id ?? []));
}
