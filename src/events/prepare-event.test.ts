import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import type { EventActionsInput, EventInput } from './event.ts';
import { noActions } from './event.ts';
import { beginsInvocation, originOf, placeEvent, prepareEvent, refuseTooLarge } from './prepare-event.ts';

function refusal(input: unknown): unknown {
  try {
    prepareEvent(input as EventInput, 'events[1]');
  } catch (error) {
    return error instanceof PalimpsestError ? [error.code, error.details] : error;
  }
  return 'accepted';
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

/** An input that uses every field there is. */
function fullInput() {
  return {
    author: 'assistant',
    id: 'e1',
    invocationId: 'i1',
    timestamp: '2026-01-01T08:00:00+08:00',
    content: {
      role: 'model' as const,
      parts: [
        { text: '你好', thought: true, thoughtSignature: new Uint8Array([1, 2, 3]) },
        { functionCall: { id: 'c', name: 'f', args: { nested: { list: [1] } } }, extensions: { other: { a: 1 } } },
      ],
    },
    partial: false,
    turnComplete: true,
    interrupted: false,
    errorCode: 'E',
    errorMessage: 'failed',
    finishReason: 'STOP',
    usage: { inputTokens: 3, raw: { prompt: { n: 3 } } },
    branch: 'a.b',
    isolationScope: 's',
    longRunningToolIds: ['c'],
    inputTranscription: { text: 'hi', finished: true },
    outputTranscription: { text: 'ho' },
    actions: { stateDelta: { k: { deep: [1] } }, agentState: { step: 1 }, artifactDelta: { 'a.txt': 1 } },
    customMetadata: { m: [{ x: 1 }] },
    extensions: { e: { y: 1 } },
  };
}

describe('prepareEvent', () => {
  it('copies every field, deep-frozen, and keeps nothing by reference', () => {
    const input = fullInput();
    const { draft } = prepareEvent(input, 'event');
    const before = structuredClone(draft);
    expect(draft).toMatchObject({
      timestamp: '2026-01-01T00:00:00.000Z',
      content: { parts: [{ thoughtSignature: 'AQID' }, { functionCall: { args: { nested: { list: [1] } } } }] },
      usage: { inputTokens: 3, raw: { prompt: { n: 3 } } },
    });
    expect(draft).not.toHaveProperty('partial');
    expect(isDeepFrozen(draft)).toBe(true);

    input.content.parts[0]?.thoughtSignature?.fill(9);
    input.content.parts[1]?.functionCall?.args.nested.list.push(2);
    input.content.parts.length = 0;
    input.usage.raw.prompt.n = 9;
    input.actions.stateDelta.k.deep.push(2);
    input.actions.artifactDelta['a.txt'] = 9;
    input.longRunningToolIds.push('x');
    input.inputTranscription.text = 'changed';
    input.customMetadata.m.length = 0;
    input.extensions.e.y = 2;
    expect(draft).toEqual(before);
  });

  it('gives an event without actions the one shared empty object', () => {
    expect(prepareEvent({ author: 'user', content: 'hi' }, 'event').draft.actions).toBe(noActions);
    expect(prepareEvent({ author: 'user', actions: {} }, 'event').draft.actions).toBe(noActions);
  });

  it('ignores what the log gives at append', () => {
    const claims = {
      seq: 9,
      origin: 'system',
      importedFrom: 'x',
      recordedAt: 'y',
      tokens: { n: 1, by: 'z' },
      timeZone: 1,
    };
    const { draft } = prepareEvent({ author: 'user', content: 'hi', ...claims } as EventInput, 'event');
    expect(Object.keys(draft).sort()).toEqual(['actions', 'author', 'content']);
  });

  it('counts the lone surrogates that it replaces, wherever they stand', () => {
    const prepared = prepareEvent(
      {
        author: 'user',
        content: { parts: [{ text: '\ud800中' }, { functionCall: { name: 'f\udc00', args: { a: '\ud83d' } } }] },
        errorMessage: '\ud800',
        customMetadata: { 'k\ud800': 1 },
      },
      'event',
    );
    expect(prepared.replacedSurrogates).toBe(5);
    expect(prepared.draft.content?.parts[0]).toEqual({ text: '\ufffd中' });
    expect(JSON.stringify(prepared.draft).isWellFormed()).toBe(true);
  });

  it.each<[string, string, unknown]>([
    ['INVALID_EVENT', '', null],
    ['INVALID_EVENT', '', ['user']],
    ['INVALID_EVENT', '.partial', { author: 'user', partial: true }],
    ['INVALID_EVENT', '.autor', { author: 'user', autor: 'x' }],
    ['INVALID_EVENT', '.__proto__', JSON.parse('{"author": "user", "__proto__": {}}')],
    ['INVALID_EVENT', '.toString', { author: 'user', toString: 'x' }],
    ['INVALID_EVENT', '.turnComplete', { author: 'user', turnComplete: 'yes' }],
    ['INVALID_EVENT', '.errorMessage', { author: 'user', errorMessage: new Error('x') }],
    ['INVALID_EVENT', '.branch', { author: 'user', branch: 'a..b' }],
    ['INVALID_EVENT', '.longRunningToolIds', { author: 'user', longRunningToolIds: 'c' }],
    ['INVALID_EVENT', '.longRunningToolIds[1]', { author: 'user', longRunningToolIds: ['c', 1] }],
    ['INVALID_EVENT', '.inputTranscription', { author: 'user', inputTranscription: 'hi' }],
    ['INVALID_EVENT', '.usage', { author: 'user', usage: 3 }],
    ['INVALID_EVENT', '.usage.inputTokens', { author: 'user', usage: { inputTokens: -1 } }],
    ['INVALID_EVENT', '.usage.inputTokens', { author: 'user', usage: { inputTokens: '3' } }],
    ['INVALID_EVENT', '.usage.prompt_tokens', { author: 'user', usage: { prompt_tokens: 3 } }],
  ])('refuses with %s at %s', (code, field, input) => {
    expect(refusal(input)).toMatchObject([code, { field: `events[1]${field}` }]);
  });

  it.each<[string, object, unknown]>([
    ['INVALID_ID', { field: 'events[1].author' }, {}],
    ['INVALID_ID', { field: 'events[1].id' }, { author: 'user', id: '' }],
    ['INVALID_ID', { field: 'events[1].isolationScope' }, { author: 'user', isolationScope: ' s' }],
    ['INVALID_ARGUMENT', { argument: 'events[1].timestamp' }, { author: 'user', timestamp: 'now' }],
    ['NOT_JSON', { path: 'events[1].customMetadata.at' }, { author: 'user', customMetadata: { at: new Date() } }],
    ['NOT_JSON', { path: 'events[1].extensions' }, { author: 'user', extensions: [] }],
  ])('refuses with %s %o', (code, details, input) => {
    expect(refusal(input)).toMatchObject([code, details]);
  });

  it('cuts an error message at 64 Ki code points, marked, never inside a surrogate pair', () => {
    const limit = 64 * 1024;
    const messageOf = (errorMessage: string) =>
      prepareEvent({ author: 'assistant', errorMessage }, 'event').draft.errorMessage ?? '';
    expect(messageOf('x'.repeat(limit))).toBe('x'.repeat(limit));
    expect(messageOf('🙂'.repeat(limit))).toBe('🙂'.repeat(limit));
    for (const long of [
      'x'.repeat(limit + 1),
      '🙂'.repeat(limit + 1),
      `a${'🙂'.repeat(limit * 2)}`,
      '错'.repeat(10 * limit),
    ]) {
      const cut = messageOf(long);
      expect([...cut].length).toBe(limit);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.endsWith('… [cut]')).toBe(true);
      expect(long.startsWith(cut.slice(0, -'… [cut]'.length))).toBe(true);
    }
  });
});

describe('bookkeeping', () => {
  const actions = {
    compaction: { covers: [[1, 2]] as const, content: { role: 'model' as const, parts: [{ text: '概要' }] } },
    rewind: { beforeInvocationId: 'i' },
    pin: { seqs: [1] },
    unpin: { seqs: [1] },
    trim: { seqs: [1], keepChars: 0 },
    overflow: { why: 'blocked' as const, by: [1] },
    sessionEnd: true as const,
  };
  const order = Object.keys(actions);
  const someOf = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(actions).filter(([name]) => names.includes(name)));

  it.each(order)('stands alone as %s, beside state and with no content', (name) => {
    const alone: EventActionsInput = { ...someOf([name]), stateDelta: { k: 1 } };
    expect(refusal({ author: 'system', actions: alone })).toBe('accepted');
    expect(refusal({ author: 'system', content: undefined, actions: alone })).toBe('accepted');
    for (const content of ['说话', '', { role: 'user', parts: [] }]) {
      expect(refusal({ author: 'user', content, actions: alone })).toEqual([
        'INVALID_EVENT',
        {
          field: 'events[1].content',
          reason: `stands beside actions.${name}; append what is said as an event of its own`,
        },
      ]);
    }
  });

  it('is refused two at a time, naming both and what to do, whatever their order', () => {
    const several = fc.shuffledSubarray(order, { minLength: 2 });
    fc.assert(
      fc.property(several, fc.boolean(), (names, spoken) => {
        const given = Object.fromEntries(names.map((name) => [name, Reflect.get(actions, name)]));
        const [first, second] = order.filter((name) => names.includes(name));
        const input = { author: 'system', actions: given, ...(spoken ? { content: 'hi' } : {}) };
        expect(refusal(input)).toEqual([
          'INVALID_EVENT',
          { field: `events[1].actions.${second}`, reason: `stands beside ${first}; append them as two events` },
        ]);
      }),
    );
  });

  it('does not count what is undefined, and leaves other actions beside content alone', () => {
    const absent = Object.fromEntries(order.map((name) => [name, undefined]));
    expect(refusal({ author: 'user', content: 'hi', actions: absent })).toBe('accepted');
    expect(refusal({ author: 'user', content: 'hi', actions: { ...absent, stateDelta: { k: 1 } } })).toBe('accepted');
    expect(refusal({ author: 'system', actions: { ...absent, pin: { seqs: [1] } } })).toBe('accepted');
  });
});

describe('refuseTooLarge', () => {
  const check = (content: string) => {
    const { draft, size } = prepareEvent({ author: 'user', content }, 'events[0]');
    refuseTooLarge(draft, 'events[0]', size);
  };

  it('refuses 50 MB of text, saying how much there is', () => {
    expect(() => check('x'.repeat(50 * 1024 * 1024))).toThrowError(
      expect.objectContaining({
        code: 'EVENT_TOO_LARGE',
        details: { field: 'events[0]', bytes: expect.any(Number), limit: 8 * 1024 * 1024 },
      }),
    );
  });

  it('measures bytes of JSON, so that neither Chinese nor control characters slip through', () => {
    const mebi = 1024 * 1024;
    expect(() => check('x'.repeat(7 * mebi))).not.toThrow();
    expect(() => check('字'.repeat(3 * mebi))).toThrow(/EVENT_TOO_LARGE|takes/);
    expect(() => check('字'.repeat(2 * mebi))).not.toThrow();
    expect(() => check('\u0001'.repeat(1.5 * mebi))).toThrow(/takes/);
  });
});

describe('what is far too large', () => {
  const mebi = 1024 * 1024;
  const long = 'A'.repeat(8 * mebi);
  const refused = (input: EventInput) => {
    try {
      const { draft, size } = prepareEvent(input, 'events[0]');
      refuseTooLarge(draft, 'events[0]', size);
    } catch (error) {
      return error instanceof PalimpsestError && error.code === 'EVENT_TOO_LARGE' ? error.details : error;
    }
    return 'accepted';
  };

  it.each<[string, EventInput]>([
    ['metadata', { author: 'a', customMetadata: { list: Array(100).fill(long) } }],
    ['texts', { author: 'a', content: { parts: Array(100).fill({ text: long }) } }],
    ['state', { author: 'a', actions: { stateDelta: { list: Array(100).fill({ [long]: 1 }) } } }],
    ['call ids', { author: 'a', longRunningToolIds: Array(100).fill(long) }],
    ['signatures', { author: 'a', content: { parts: Array(100).fill({ text: 'x', thoughtSignature: long }) } }],
    ['images', { author: 'a', content: { parts: Array(100).fill({ inlineData: { mimeType: 'a/b', data: long } }) } }],
  ])('is refused as such, one long text a hundred times in %s', (_name, input) => {
    expect(refused(input)).toEqual({
      field: expect.stringMatching(/^events\[0\]/),
      bytes: expect.any(Number),
      limit: 8 * mebi,
    });
  });

  it.each([
    ['pin', { pin: { seqs: Array(6_000_000).fill(1) } }],
    ['trim', { trim: { seqs: Array(6_000_000).fill(1), keepChars: 1 } }],
    ['overflow', { overflow: { why: 'blocked' as const, by: Array(6_000_000).fill(1) } }],
    ['pin, before it is copied,', { pin: { seqs: Array(9_000_000).fill(1) } }],
  ])('is a %s of millions of seqs', (_name, actions) => {
    const details = refused({ author: 'system', actions });
    expect(details).toMatchObject({ bytes: expect.any(Number), limit: 8 * mebi });
    expect((details as { bytes: number }).bytes).toBeGreaterThan(8 * mebi);
  });

  it('is not base64 that may still move out: it passes the checks, and is too large only if it stays', () => {
    const data = 'A'.repeat(80 * mebi);
    const parts = [{ text: '看' }, { inlineData: { mimeType: 'image/png', data } }, { text: '这张图' }];
    const { draft, size } = prepareEvent({ author: 'user', content: { parts } }, 'events[0]');
    expect(draft.content?.parts[1]?.inlineData?.data).toHaveLength(80 * mebi);
    expect(() => refuseTooLarge(draft, 'events[0]', size)).toThrow(/takes/);
    const moved = prepareEvent({ author: 'user', content: '看这张图' }, 'events[0]').draft;
    expect(() => refuseTooLarge(moved, 'events[0]', size - data.length)).not.toThrow();
  });
});

describe('placeEvent', () => {
  const place = {
    seq: 7,
    id: 'e7',
    invocationId: 'i',
    origin: 'user',
    recordedAt: '2026-01-01T00:00:00.000Z',
  } as const;

  it('gives a draft its place; without a timestamp it happened when it was recorded', () => {
    const event = placeEvent(prepareEvent({ author: 'user', content: 'hi' }, 'event').draft, place);
    expect(event).toEqual({
      ...place,
      author: 'user',
      actions: {},
      content: { role: 'user', parts: [{ text: 'hi' }] },
      timestamp: place.recordedAt,
    });
    expect(isDeepFrozen(event)).toBe(true);
  });

  it('keeps every field of the draft and of the place', () => {
    const { draft } = prepareEvent(fullInput(), 'event');
    const more = { importedFrom: 'adk', timeZone: 'Asia/Shanghai', tokens: { n: 1, by: 'estimate' } };
    expect(placeEvent(draft, { ...place, ...more })).toEqual({ ...draft, ...place, ...more });
  });
});

describe('originOf and beginsInvocation', () => {
  const origin = (input: EventInput) => originOf(prepareEvent(input, 'event').draft);

  it.each<[string, EventInput]>([
    ['user', { author: 'user', content: 'hi' }],
    ['user', { author: 'user', actions: { stateDelta: { k: 1 } } }],
    ['agent', { author: 'assistant', content: 'hi' }],
    ['agent', { author: 'assistant', actions: { stateDelta: { k: 1 } } }],
    ['tool', { author: 'assistant', content: { parts: [{ functionResponse: { name: 'f' } }] } }],
    ['tool', { author: 'user', content: { parts: [{ text: 'x' }, { functionResponse: { name: 'f' } }] } }],
    ['system', { author: 'system', actions: { stateDelta: { k: 1 } } }],
    ['system', { author: 'assistant', actions: { pin: { seqs: [1] } } }],
    ['system', { author: 'system', actions: { sessionEnd: true } }],
  ])('is %s for %j', (expected, input) => {
    expect(origin(input)).toBe(expected);
  });

  it.each<[boolean, EventInput]>([
    [true, { author: 'user', content: 'hi' }],
    [true, { author: 'user', content: { parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] } }],
    [false, { author: 'user', content: '' }],
    [false, { author: 'user', actions: { stateDelta: { k: 1 } } }],
    [false, { author: 'user', content: { parts: [{ functionResponse: { name: 'f' } }, { text: 'x' }] } }],
    [false, { author: 'assistant', content: 'hi' }],
  ])('begins an invocation (%s): %j', (expected, input) => {
    const { draft } = prepareEvent(input, 'event');
    expect(beginsInvocation(originOf(draft), draft)).toBe(expected);
  });
});
