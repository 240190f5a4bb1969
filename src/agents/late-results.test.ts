import { describe, expect, it } from 'vitest';
import type { Content, EventInput } from '../events/index.ts';
import { unwantedResult } from './late-results.ts';
import { stoppedAnswer } from './open-calls.ts';
import { callOf, logOf, responseOf } from './sample-log.ts';

const result = (content: Content, more: Partial<EventInput> = {}): EventInput => ({ author: 'user', content, ...more });
const noId = (content: Content): Content =>
  JSON.parse(JSON.stringify(content, (name, value) => (name === 'id' ? undefined : value)));

describe('a result that comes later', () => {
  it.each<[string, readonly Content[], Content]>([
    ['of an open call', [callOf('a')], responseOf('a')],
    ['of an open call that bears the id of an older one', [callOf('a'), responseOf('a'), callOf('a')], responseOf('a')],
    ['without an id, of a call without one', [noId(callOf('a'))], noId(responseOf('a'))],
  ])('is taken: %s', (_name, log, content) => {
    expect(unwantedResult(logOf(...log).events, [result(content)])).toBeUndefined();
  });

  it.each<[string, readonly Content[], Content, RegExp]>([
    ['of a call that nobody made', [callOf('a')], responseOf('乙'), /^answers call "乙", which the session does not/],
    [
      'of a call that is answered',
      [callOf('a'), responseOf('a')],
      responseOf('a'),
      /call "a", which is answered already/,
    ],
    ['otherwise', [callOf('a'), responseOf('a')], responseOf('a', '不行'), /call "a", which is answered already/],
    ['that does not say of which call', [callOf('a')], noId(responseOf('a')), /"look" without naming it: give/],
  ])('is refused: %s', (_name, log, content, message) => {
    expect(unwantedResult(logOf(...log).events, [result(content)])).toMatch(message);
  });

  it('is taken for a call whose run had stopped, once', () => {
    const log = logOf(callOf('a'));
    const [event] = log.events;
    if (event === undefined) throw new TypeError('no call');
    log.add(stoppedAnswer({ id: 'a', name: 'look', event }).content as Content);
    expect(unwantedResult(log.events, [result(responseOf('a'))])).toBeUndefined();
    const twice = [result(responseOf('a')), result(responseOf('a'))];
    expect(unwantedResult(log.events, twice)).toMatch(/answered already/);
  });

  it('is taken as often as a long-running call says something new', () => {
    const log = logOf();
    log.add(callOf('a'), { longRunningToolIds: ['a'] });
    log.add(responseOf('a', 'waiting'));
    expect(unwantedResult(log.events, [result(responseOf('a', '好了'))])).toBeUndefined();
    log.add(responseOf('a', '好了'));
    for (const word of ['waiting', '好了'])
      expect(unwantedResult(log.events, [result(responseOf('a', word))])).toMatch(/answered already/);
  });

  it('is left to append where the event itself is stored, and taken beside its call', () => {
    const log = logOf(callOf('a'), responseOf('a'));
    expect(unwantedResult(log.events, [result(responseOf('a'), { id: 'e2' })])).toBeUndefined();
    const both = [{ author: 'assistant', content: callOf('b') }, result(responseOf('b'))];
    expect(unwantedResult(log.events, both)).toBeUndefined();
  });
});
