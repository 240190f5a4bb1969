import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import { canonicalJson } from '../internal/index.ts';
import { type Event, type EventActionsInput, type EventInput, noActions, type PartInput } from './event.ts';
import { decodeEvent, encodeEvent, eventToJson } from './event-codec.ts';
import { toInstant } from './instant.ts';
import type { JsonValue } from './json.ts';
import { originOf, placeEvent, prepareEvent } from './prepare-event.ts';

const anyText = fc.string({ unit: 'binary' });
const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a.b', '键', 'x'), anyText);
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
const map = fc.array(fc.tuple(key, json), { maxLength: 4 }).map((e) => Object.fromEntries(e));
const stateMap = fc
  .array(fc.tuple(fc.constantFrom('__proto__', 'k', 'app:k', 'user:键', 'temp:x'), json))
  .map((entries) => Object.fromEntries(entries));
const base64 = fc.base64String({ maxLength: 12 });
const optional = <T>(value: Record<string, fc.Arbitrary<T>>) => fc.record(value, { requiredKeys: [] });
const both = <A, B>(a: fc.Arbitrary<A>, b: fc.Arbitrary<B>) => fc.tuple(a, b).map(([x, y]) => ({ ...x, ...y }));

const payload: fc.Arbitrary<PartInput> = fc.oneof(
  fc.record({ text: anyText }),
  fc.record({ inlineData: both(fc.record({ mimeType: anyText, data: base64 }), optional({ displayName: anyText })) }),
  fc.record({ fileData: both(fc.record({ fileUri: anyText }), optional({ mimeType: anyText })) }),
  fc.record({ functionCall: both(fc.record({ name: anyText, args: map }), optional({ id: anyText })) }),
  fc.record({
    functionResponse: both(fc.record({ name: anyText, response: fc.jsonValue() }), optional({ id: anyText })),
  }),
  fc.record({ executableCode: both(fc.record({ code: anyText }), optional({ language: anyText, id: anyText })) }),
  fc.record({ codeExecutionResult: both(fc.record({ outcome: anyText }), optional({ output: anyText })) }),
  fc.constant({}),
);
const about = fc.record({ thought: fc.boolean(), thoughtSignature: base64, extensions: map }, { requiredKeys: [] });
const part: fc.Arbitrary<PartInput> = both(payload, about);
const effects = { stateDelta: stateMap, agentState: map, requestedToolConfirmations: map, escalate: fc.boolean() };
const seqs = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
const covers = fc.constant([
  [1, 2],
  [4, 9],
] as const);
const proseContent = fc.constant({ role: 'model' as const, parts: [{ text: 'Prose.' }] });
const trigger = fc.constant('window');
const overflow = fc.record(
  {
    why: fc.constantFrom('blocked' as const, 'ceiling' as const, 'tooLong' as const),
    agentName: anyText,
    by: seqs,
    tokens: fc.nat(),
    limit: fc.nat(),
    leftOut: fc.nat(),
  },
  { requiredKeys: ['why'] },
);
/** One of the library's own entries about the log, which stands in an event without content. */
const bookkeeping: fc.Arbitrary<EventActionsInput> = fc.oneof(
  fc.record({ pin: fc.record({ seqs }) }),
  fc.record({ unpin: fc.record({ seqs }) }),
  fc.record({ trim: fc.record({ seqs, keepChars: fc.nat() }) }),
  fc.record({ overflow }),
  fc.record({ sessionEnd: fc.constant(true as const) }),
  fc.record({ rewind: fc.record({ beforeInvocationId: fc.constant('i'), fromSeq: fc.nat() }) }),
  fc.record({ compaction: fc.record({ covers, content: proseContent, trigger, sourceHash: anyText }) }),
);
const author = fc.constantFrom('user', '助手', 'system');
const fields = {
  timestamp: fc.nat().map((millis) => toInstant(millis)),
  turnComplete: fc.boolean(),
  errorMessage: anyText,
  usage: fc.record({ inputTokens: fc.nat(), raw: map }, { requiredKeys: [] }),
  branch: fc.constantFrom('a', 'a.b'),
  longRunningToolIds: fc.array(anyText),
  inputTranscription: fc.record({ text: anyText, finished: fc.boolean() }, { requiredKeys: ['text'] }),
  customMetadata: map,
  extensions: map,
};
const content = fc.record({ role: fc.constantFrom('user', 'model'), parts: fc.array(part, { maxLength: 3 }) });
const said = fc.record(
  { ...fields, author, content, actions: fc.record(effects, { requiredKeys: [] }) },
  { requiredKeys: ['author'] },
);
const noted = fc.record(
  { ...fields, author, actions: both(bookkeeping, fc.record(effects, { requiredKeys: [] })) },
  { requiredKeys: ['author', 'actions'] },
);
const input: fc.Arbitrary<EventInput> = fc.oneof({ weight: 3, arbitrary: said }, { weight: 1, arbitrary: noted });
const event = fc
  .tuple(input, fc.integer({ min: 1 }), fc.option(fc.constant('adk'), { nil: undefined }))
  .map(([given, seq, importedFrom]): Event => {
    const { draft } = prepareEvent(given, 'event');
    const place = { seq, id: `e${seq}`, invocationId: 'i', origin: originOf(draft), recordedAt: toInstant(seq) };
    const more = importedFrom === undefined ? {} : { importedFrom, tokens: { n: 1, by: 'estimate' } };
    return placeEvent(draft, { ...place, ...more });
  });

/** The paths at which a value could be changed. */
function unfrozen(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.isFrozen(value) ? [] : [`${path} is not frozen`];
  return [...own, ...Object.entries(value).flatMap(([name, member]) => unfrozen(member, `${path}.${name}`))];
}

const userMaps = ['customMetadata', 'extensions'] as const;

describe('encodeEvent and decodeEvent', () => {
  it('give back the same event, frozen to the bottom', () => {
    fc.assert(
      fc.property(event, (original) => {
        const decoded = decodeEvent(original.seq, original.id, encodeEvent(original), 'file');
        expect(canonicalJson(decoded)).toBe(canonicalJson(original));
        expect(unfrozen(original)).toEqual([]);
        expect(unfrozen(decoded)).toEqual([]);
        expect(decoded.actions === noActions).toBe(original.actions === noActions);
      }),
      { numRuns: 300 },
    );
  });

  it('keep maps with the user’s keys without a prototype on both sides', () => {
    fc.assert(
      fc.property(event, (original) => {
        const decoded = decodeEvent(original.seq, original.id, encodeEvent(original), 'file');
        for (const one of [original, decoded]) {
          const parts = one.content?.parts ?? [];
          const maps = [
            ...userMaps.map((name) => one[name]),
            one.actions.stateDelta,
            one.actions.agentState,
            one.actions.requestedToolConfirmations,
            one.usage?.raw,
            ...parts.flatMap((p) => [p.extensions, p.functionCall?.args]),
          ];
          for (const each of maps) if (each !== undefined) expect(Object.getPrototypeOf(each)).toBeNull();
        }
      }),
    );
  });

  it('write neither seq nor id, nor what decoding gives back by itself', () => {
    const { draft } = prepareEvent({ author: 'user', content: 'hi' }, 'event');
    const place = { seq: 3, id: 'e3', invocationId: 'i', origin: 'user', recordedAt: toInstant(0) } as const;
    expect(Object.keys(JSON.parse(encodeEvent(placeEvent(draft, place)))).sort()).toEqual([
      'author',
      'content',
      'invocationId',
      'origin',
      'timestamp',
    ]);
  });

  it.each(['', 'no json', '[]', 'null', '{}', '{"author": "a"}', '{"author": 1, "timestamp": "x"}'])(
    'refuse %j as corrupt, naming file and event',
    (body) => {
      try {
        decodeEvent(4, 'e4', body, 'agent.db');
        expect.unreachable();
      } catch (error) {
        expect(isPalimpsestError(error, 'STORE_CORRUPT') && error.details).toEqual({
          file: 'agent.db',
          reason: expect.stringMatching(/^event 4 /),
        });
      }
    },
  );
});

describe('eventToJson', () => {
  it('has every field, seq first, and is not the event itself', () => {
    fc.assert(
      fc.property(event, (original) => {
        const json = eventToJson(original);
        expect(Object.keys(json)[0]).toBe('seq');
        expect(canonicalJson(json)).toBe(canonicalJson(original));
        expect(Object.isFrozen(json)).toBe(false);
      }),
    );
  });
});
