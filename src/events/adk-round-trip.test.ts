import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, uuidV7 } from '../internal/index.ts';
import type { EventInput } from './event.ts';
import {
  adkCompactionsToSeqs,
  decodeEvent,
  type Event,
  encodeEvent,
  eventFromAdk,
  eventToAdk,
  withAdkCompaction,
} from './index.ts';
import { originOf, placeEvent, prepareEvent } from './prepare-event.ts';

type Fields = Record<string, unknown>;

/** Makes an event as the log would, through the text that a store keeps. */
function append(input: EventInput, seq = 1): Event {
  const { draft } = prepareEvent(input, 'event');
  const recordedAt = '2026-02-01T00:00:00.000Z';
  const given = { id: draft.id ?? uuidV7(1), invocationId: draft.invocationId ?? 'joined' };
  const event = placeEvent(draft, { seq, ...given, origin: originOf(draft), recordedAt, importedFrom: 'adk' });
  return decodeEvent(seq, event.id, encodeEvent(event), 'test');
}

const wellFormed = fc.string({ unit: 'binary' });
const id = fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/);
const userKey = fc.oneof(
  fc.constantFrom('__proto__', 'a_b', 'aB', 'constructor', 'state_delta', 'stateDelta', '名字', 'x y', 'toString'),
  wellFormed.filter((key) => key !== '' && !['app:', 'user:'].includes(key) && !key.startsWith('temp:')),
);
const json = fc.jsonValue({ maxDepth: 3 }).map(withoutNegativeZero);
const userMap = fc.array(fc.tuple(userKey, json), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
/** Fields that no ADK has today. */
const unknown = fc
  .array(fc.tuple(fc.constantFrom('brandNew', 'otherField', 'x', 'plain', 'overflow'), json), { maxLength: 2 })
  .map((entries) => Object.fromEntries(entries));
const base64 = fc
  .uint8Array({ maxLength: 12 })
  .chain((bytes) =>
    fc.constantFrom('base64' as const, 'base64url' as const).map((alphabet) => Buffer.from(bytes).toString(alphabet)),
  );

/** An object of ADK's own: each field is there, null or missing; unknown fields beside them. Names in camel case. */
function struct(
  known: Record<string, fc.Arbitrary<unknown>>,
  more: { required?: Record<string, fc.Arbitrary<unknown>>; neverNull?: Record<string, fc.Arbitrary<unknown>> } = {},
): fc.Arbitrary<Struct> {
  const optional = Object.fromEntries(Object.entries(known).map(([name, value]) => [name, fc.option(value)]));
  return fc
    .tuple(fc.record(more.required ?? {}), fc.record({ ...optional, ...more.neverNull }, { requiredKeys: [] }), unknown)
    .map(([must, may, extra]) => new Struct({ ...extra, ...may, ...must }, Object.keys(known)));
}

/** Marks which objects are ADK's own, so that the test, not the code, says what is respelt and where null means absent. */
class Struct {
  readonly fields: Fields;
  readonly known: readonly string[];
  constructor(fields: Fields, known: readonly string[]) {
    this.fields = fields;
    this.known = known;
  }
}

/** A value in which nulls stand as they came, as in a summary record that is kept whole. */
class Verbatim {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

function plain(value: unknown, snake: boolean, dropNulls: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, snake, dropNulls));
  if (value instanceof Verbatim) return plain(value.value, snake, false);
  if (!(value instanceof Struct)) return value;
  const entries = Object.entries(value.fields)
    .filter(([name, field]) => !(dropNulls && field === null && value.known.includes(name)))
    .map(([name, field]) => [snake ? snakeCase(name) : name, plain(field, snake, dropNulls)]);
  return Object.fromEntries(entries);
}

function snakeCase(name: string): string {
  return [...name].map((letter) => (/[A-Z]/.test(letter) ? `_${letter.toLowerCase()}` : letter)).join('');
}

function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const part = struct({
  text: wellFormed,
  thought: fc.boolean(),
  thoughtSignature: base64,
  inlineData: struct({ displayName: wellFormed, mimeType: wellFormed, data: base64 }),
  fileData: struct({ fileUri: wellFormed, mimeType: wellFormed }),
  functionCall: struct({ id, name: id, args: userMap }),
  functionResponse: struct({ id, name: id, response: userMap }),
  executableCode: struct({ code: wellFormed, language: fc.constant('PYTHON') }),
  codeExecutionResult: struct({ outcome: fc.constant('OUTCOME_OK'), output: wellFormed }),
  videoMetadata: userMap,
});
const content = struct({ role: fc.constantFrom('user', 'model', 'tool'), parts: fc.array(part, { maxLength: 3 }) });
const transcription = struct({ text: wellFormed, finished: fc.boolean() });
const actions = struct({
  skipSummarization: fc.boolean(),
  stateDelta: userMap,
  artifactDelta: fc.dictionary(fc.constantFrom('a.txt', 'user:b', 'a_b', 'aB'), fc.nat()),
  transferToAgent: id,
  escalate: fc.boolean(),
  requestedAuthConfigs: userMap,
  requestedToolConfirmations: userMap,
  endOfAgent: fc.boolean(),
  agentState: userMap,
  rewindBeforeInvocationId: fc.oneof(fc.constant(''), id),
  compaction: struct({ startTimestamp: fc.nat(), endTimestamp: fc.nat(), compactedContent: content }).map(
    (record) => new Verbatim(record),
  ),
});
const ownFields = {
  id: fc.oneof(fc.constant(''), id),
  invocationId: fc.oneof(fc.constant(''), id),
  branch: fc.constantFrom('', 'a', 'agent_1.agent_2'),
  isolationScope: fc.constantFrom('', 's'),
  content,
  actions,
  partial: fc.constant(false),
  turnComplete: fc.boolean(),
  interrupted: fc.boolean(),
  errorCode: wellFormed,
  errorMessage: wellFormed,
  finishReason: fc.constant('STOP'),
  longRunningToolIds: fc.array(id, { maxLength: 2 }),
  usageMetadata: fc.record(
    { promptTokenCount: fc.nat(), thoughtsTokenCount: fc.nat(), brandNewCount: fc.option(fc.nat()) },
    { requiredKeys: [] },
  ),
  customMetadata: userMap,
  inputTranscription: transcription,
  outputTranscription: transcription,
  groundingMetadata: userMap,
};
const pythonTime = fc.integer({ min: 0, max: 4_000_000_000_000_000 }).map((micros) => micros / 1e6);
const python = struct(ownFields, {
  required: { author: fc.constantFrom('user', 'system', 'agent_1'), timestamp: pythonTime },
});
const javaScript = struct(
  { ...ownFields, author: id },
  {
    required: { timestamp: fc.integer({ min: 1e11, max: 4e12 }) },
    neverNull: {
      output: json,
      isCompacted: fc.constant(true),
      startTime: fc.nat(),
      endTime: fc.nat(),
      compactedContent: wellFormed,
    },
  },
);

const prose = wellFormed.filter((text) => text.trim() !== '');
const prosePart = struct({ thought: fc.boolean() }, { required: { text: prose } });
const proseContent = struct(
  { role: fc.constantFrom('user', 'model') },
  { required: { parts: fc.array(prosePart, { minLength: 1, maxLength: 2 }) } },
);
const proseRecord = struct(
  { startTimestamp: fc.nat(), endTimestamp: fc.nat() },
  { required: { compactedContent: proseContent } },
);
const pythonSummary = fc.tuple(python, actions, proseRecord).map(([event, { fields, known }, compaction]) => {
  const withRecord = new Struct({ ...fields, compaction }, known);
  return new Struct({ ...event.fields, actions: withRecord }, event.known);
});
const javaScriptSummary = fc.tuple(javaScript, prose).map(([event, compactedContent]) => {
  return new Struct({ ...event.fields, isCompacted: true, compactedContent }, event.known);
});

/** Stores a summary as the fifth event, after four that its time range is made to cover. */
function placeAfterFour(original: unknown, dialect: 'python' | 'js'): { stored: Event; reason: string | undefined } {
  const imported = eventFromAdk(original, 'event', { dialect });
  const { input, compaction } = imported;
  if (compaction === undefined) return expect.unreachable();
  const place = {
    ...(input.branch === undefined ? {} : { branch: input.branch }),
    ...(input.isolationScope === undefined ? {} : { isolationScope: input.isolationScope }),
  };
  const record = { ...place, seq: 5, compaction: { ...compaction, start: 1, end: 1 } };
  const entries = [1, 2, 3, 4, 5].map((seq) => ({ ...place, seq, timestamp: 1 }));
  const [outcome] = adkCompactionsToSeqs([record], entries);
  if (outcome === undefined) return expect.unreachable();
  return {
    stored: append(withAdkCompaction(imported, outcome), 5),
    reason: outcome.valid ? undefined : outcome.reason,
  };
}

/** What the test itself says of a summary event. */
function whyInvalid({ fields }: Struct): string | undefined {
  const within = (value: unknown): Fields => (value instanceof Struct ? value.fields : {});
  const { rewindBeforeInvocationId, compaction } = within(fields.actions);
  if (rewindBeforeInvocationId) return 'stands beside a rewind';
  const parts = within(within(compaction).compactedContent).parts;
  const said = fields.isCompacted === true || (Array.isArray(parts) && parts.some((one) => !within(one).thought));
  return said ? undefined : 'holds no prose';
}

/** As text with sorted keys, null members left out at every depth. */
function withoutNulls(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value), (_, member) => (member === null ? undefined : member)));
}

describe('ADK → Palimpsest → ADK', () => {
  const dialects = [
    { dialect: 'python', events: python },
    { dialect: 'js', events: javaScript },
  ] as const;
  for (const { dialect, events } of dialects) {
    for (const casing of ['snake', 'camel'] as const) {
      it(`gives a ${dialect} event in ${casing} case back as it was`, () => {
        fc.assert(
          fc.property(events, (event) => {
            const original = plain(event, casing === 'snake', false);
            const { input } = eventFromAdk(original, 'event', { dialect });
            const back = eventToAdk(append(input), { casing, dialect });
            const expected = plain(event, casing === 'snake', true);
            expect(back.map((record) => canonicalJson(record))).toEqual([canonicalJson(expected)]);
          }),
          { numRuns: 300 },
        );
      });
    }
  }

  for (const { dialect, events } of [
    { dialect: 'python', events: pythonSummary },
    { dialect: 'js', events: javaScriptSummary },
  ] as const) {
    it(`gives a ${dialect} summary back as it was after it was placed in seqs, or could not be`, () => {
      fc.assert(
        fc.property(events, fc.constantFrom('snake' as const, 'camel' as const), (event, casing) => {
          const original = plain(event, casing === 'snake', false);
          const { stored, reason } = placeAfterFour(original, dialect);
          expect(reason).toBe(whyInvalid(event));
          expect(stored.actions.compaction?.covers).toEqual(reason === undefined ? [[1, 4]] : undefined);
          expect(stored.extensions?.invalidCompaction === undefined).toBe(reason === undefined);
          expect(stored).not.toHaveProperty('content');
          const back = eventToAdk(stored, { casing, dialect });
          // Inside the summary, nulls of known fields are dropped too, now that it is read.
          expect(back.map(withoutNulls)).toEqual([withoutNulls(original)]);
        }),
      );
    });
  }

  it('keeps what is said beside a rewind or a summary out of the conversation, for the way back only', () => {
    fc.assert(
      fc.property(python, fc.boolean(), (event, snake) => {
        const original = plain(event, snake, false);
        const { input, compaction } = eventFromAdk(original, 'event', { dialect: 'python' });
        const bookkeeping = compaction !== undefined || input.actions?.rewind !== undefined;
        const given = event.fields.content instanceof Struct;
        expect(input.content !== undefined).toBe(given && !bookkeeping);
        expect(input.extensions?.adk).toMatchObject(
          given && bookkeeping ? { unshownContent: { parts: expect.any(Array) } } : {},
        );
        const respelt = eventToAdk(append(input), { casing: snake ? 'camel' : 'snake' })[0]?.content;
        // The same content in an event of the conversation says how it is spelt.
        const shown = plain(new Struct({ ...event.fields, actions: {} }, event.known), snake, false);
        const expected = append(eventFromAdk(shown, 'event', { dialect: 'python' }).input);
        expect(respelt).toEqual(eventToAdk(expected, { casing: snake ? 'camel' : 'snake' })[0]?.content);
      }),
    );
  });

  it('gives the same event through the other casing, but for names that nobody can respell', () => {
    fc.assert(
      fc.property(python, (event) => {
        const camel = eventToAdk(append(eventFromAdk(plain(event, true, false), 'event').input), { casing: 'camel' });
        const [record] = camel;
        const again = eventFromAdk(record, 'event', { dialect: 'python' });
        expect(canonicalJson(eventToAdk(append(again.input), { casing: 'camel' }))).toBe(canonicalJson(camel));
      }),
    );
  });
});
