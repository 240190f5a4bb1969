import { describe, expect, it } from 'vitest';
import { adkTimestamp, eventToAdk } from './adk-export.ts';
import { eventFromAdk } from './adk-import.ts';
import { modelText } from './content.ts';
import type { Event, EventInput } from './event.ts';
import type { JsonMap } from './json.ts';
import { originOf, placeEvent, prepareEvent } from './prepare-event.ts';
import type { SeqRange } from './ranges.ts';

function append(input: EventInput, seq = 1): Event {
  const { draft } = prepareEvent(input, 'event');
  const place = { seq, id: draft.id ?? `e${seq}`, invocationId: draft.invocationId ?? 'i1' };
  return placeEvent(draft, { ...place, origin: originOf(draft), recordedAt: '2026-01-01T00:00:00.000Z' });
}

function summary(covers: readonly SeqRange[], more: { branch?: string } = {}): EventInput {
  const compaction = { covers, content: modelText('They met.'), trigger: 'window', sourceHash: 'h', ...more };
  return { author: 'system', actions: { compaction }, ...more };
}

const noEffects = { state_delta: {}, artifact_delta: {}, requested_auth_configs: {}, requested_tool_confirmations: {} };

describe('eventToAdk, for events that did not come from there', () => {
  it('writes what ADK-Python expects in its database', () => {
    const event = append({
      author: 'assistant',
      content: { parts: [{ functionResponse: { id: 'c', name: 'f', response: 'sunny' } }] },
      actions: { stateDelta: { a_b: null }, stateRemoved: ['gone'] },
      usage: { inputTokens: 9, outputTokens: 5, reasoningTokens: 2, raw: { prompt_tokens: 9 } },
      extensions: { elsewhere: 1 },
    });
    expect(eventToAdk(event, { casing: 'snake' })).toEqual([
      {
        id: 'e1',
        invocation_id: 'i1',
        author: 'assistant',
        timestamp: 1_767_225_600,
        content: {
          role: 'user',
          parts: [{ function_response: { id: 'c', name: 'f', response: { result: 'sunny' } } }],
        },
        actions: { ...noEffects, state_delta: { a_b: null, gone: null } },
        usage_metadata: {
          prompt_token_count: 9,
          candidates_token_count: 3,
          thoughts_token_count: 2,
          total_token_count: 14,
        },
      },
    ]);
  });

  it('counts time in milliseconds for ADK-JS', () => {
    const [event] = eventToAdk(append({ author: 'user', content: 'hi' }), { casing: 'camel', dialect: 'js' });
    expect(event).toMatchObject({ invocationId: 'i1', timestamp: 1_767_225_600_000 });
  });

  it.each<EventInput>([
    { author: 'system', actions: { pin: { seqs: [1] } } },
    { author: 'system', actions: { trim: { seqs: [1], keepChars: 0 } } },
    { author: 'system', actions: { overflow: { why: 'blocked', agentName: '助手', by: [1] } } },
    { author: 'system', actions: { sessionEnd: true } },
  ])('writes nothing for what ADK has no word for', (input) => {
    expect(eventToAdk(append(input, 5), { casing: 'camel' })).toEqual([]);
  });

  it('writes state that stands beside an overflow, and nothing of the overflow', () => {
    const overflow = { why: 'ceiling', agentName: '助手', tokens: 9001, limit: 9000, leftOut: 3 } as const;
    const records = eventToAdk(append({ author: 'system', actions: { overflow, stateDelta: { 语言: 'zh' } } }), {
      casing: 'snake',
    });
    expect(records).toMatchObject([{ actions: { ...noEffects, state_delta: { 语言: 'zh' } } }]);
    expect(JSON.stringify(records)).not.toMatch(/overflow|助手|9001/);
    expect(eventFromAdk(records[0], 'event').input.actions).toEqual({ stateDelta: { 语言: 'zh' } });
  });

  it('gives back an overflow of ADK, which is none here, as it was', () => {
    const actions = { ...noEffects, overflow: { why: '太长', leftOut: 3 } };
    const original = { id: 'e1', invocation_id: 'i1', author: 'agent_1', timestamp: 1, actions };
    const stored = append(eventFromAdk(original, 'event').input);
    expect(stored.actions.overflow).toBeUndefined();
    expect(eventToAdk(stored, { casing: 'snake' })).toEqual([original]);
  });

  it('writes a rewind as ADK-Python does, by the user', () => {
    const rewind = append({ author: 'system', actions: { rewind: { beforeInvocationId: 'i0', fromSeq: 2 } } }, 5);
    expect(eventToAdk(rewind, { casing: 'snake' })).toMatchObject([
      { author: 'user', actions: { rewind_before_invocation_id: 'i0' } },
    ]);
  });
});

describe('a summary on its way to ADK', () => {
  const times: { [seq: number]: number } = { 1: 10, 2: 9, 4: 12, 5: 13, 7: 20, 8: 21 };
  const timestampOf = (seq: number) => times[seq];
  const records = (input: EventInput) =>
    eventToAdk(append(input, 9), { casing: 'snake', timestampOf }).map((event) => {
      const { start_timestamp, end_timestamp } = (event.actions as JsonMap).compaction as JsonMap;
      return [event.id, start_timestamp, end_timestamp];
    });

  it('is one record for each contiguous run, holes of bookkeeping not counted', () => {
    expect(records(summary([[1, 2]]))).toEqual([['e9', 9, 10]]);
    expect(
      records(
        summary([
          [1, 2],
          [4, 5],
        ]),
      ),
    ).toEqual([['e9', 9, 13]]);
    expect(
      records(
        summary([
          [1, 2],
          [5, 5],
          [8, 8],
        ]),
      ),
    ).toEqual([
      ['e9', 9, 10],
      ['e9-2', 13, 13],
      ['e9-3', 21, 21],
    ]);
  });

  it('carries its text, branch and author', () => {
    const [event] = eventToAdk(append(summary([[1, 1]], { branch: 'a.b' }), 9), { casing: 'camel', timestampOf });
    expect(event).toMatchObject({
      author: 'user',
      branch: 'a.b',
      actions: { compaction: { compactedContent: { role: 'model', parts: [{ text: 'They met.' }] } } },
    });
  });

  it('is an event of its own kind for ADK-JS', () => {
    const [event] = eventToAdk(append(summary([[1, 2]]), 9), { casing: 'camel', dialect: 'js', timestampOf });
    expect(event).toMatchObject({ isCompacted: true, startTime: 9, endTime: 10, compactedContent: 'They met.' });
    expect(event?.actions).not.toHaveProperty('compaction');
  });

  it('is refused without timestamps, and is nothing where none of its events went there', () => {
    const event = append(summary([[1, 1]]), 9);
    expect(() => eventToAdk(event, { casing: 'snake' })).toThrow(/options\.timestampOf is needed/);
    expect(eventToAdk(event, { casing: 'snake', timestampOf: () => undefined })).toEqual([]);
  });
});

describe('an event of one ADK on its way to another', () => {
  const python = {
    id: 'e1',
    invocation_id: 'i1',
    author: 'a',
    timestamp: 1_700_000_000.123456,
    grounding_metadata: { grounding_chunks: [{ web_uri: 'x' }], 'a b': { c_d: 1 } },
    brand_new: { key_of_somebody: 1 },
    content: { role: 'model', parts: [{ text: 'x', video_metadata: { start_offset: '1s' } }] },
    actions: {
      state_delta: { a_b: 1, aB: 2 },
      compaction: { start_timestamp: 1.5, end_timestamp: 2, compacted_content: { role: 'model', parts: [] } },
    },
    usage_metadata: { prompt_token_count: 3 },
  };

  it('is respelt where names are known to be ADK’s, never where they are the user’s', () => {
    const [event] = eventToAdk(append(eventFromAdk(python, 'event').input), { casing: 'camel', dialect: 'js' });
    expect(event).toMatchObject({
      timestamp: 1_700_000_000_123,
      groundingMetadata: { groundingChunks: [{ webUri: 'x' }], 'a b': { cD: 1 } },
      brandNew: { key_of_somebody: 1 },
      content: { parts: [{ text: 'x', videoMetadata: { startOffset: '1s' } }] },
      actions: {
        stateDelta: { a_b: 1, aB: 2 },
        compaction: { startTimestamp: 1500, endTimestamp: 2000, compactedContent: { role: 'model', parts: [] } },
      },
      usageMetadata: { promptTokenCount: 3 },
    });
  });

  it('is respelt in what it said beside a rewind, too', () => {
    const rewind = { ...python, actions: { rewind_before_invocation_id: 'i0' } };
    const [event] = eventToAdk(append(eventFromAdk(rewind, 'event').input, 5), { casing: 'camel' });
    expect(event).toMatchObject({
      content: { role: 'model', parts: [{ text: 'x', videoMetadata: { startOffset: '1s' } }] },
      actions: { rewindBeforeInvocationId: 'i0' },
    });
  });

  it('has the timestamp that ADK itself wrote, to the microsecond, in its own dialect', () => {
    const event = append(eventFromAdk(python, 'event').input);
    expect(adkTimestamp(event, 'python')).toBe(1_700_000_000.123456);
    expect(adkTimestamp(event, 'js')).toBe(1_700_000_000_123);
  });

  it.each<unknown>([
    1,
    'text',
    { role: 'model' },
    { parts: [] },
    { role: 'system', parts: [] },
    { role: 'user', parts: ['text'] },
    { role: 'user', parts: [{ functionResponse: null }] },
  ])('passes over a kept content that is none: %j', (unshownContent) => {
    const adk = { casing: 'snake', dialect: 'python', unshownContent };
    const rewind = { beforeInvocationId: 'i0', fromSeq: 2 };
    const event = append({ author: 'user', actions: { rewind }, extensions: { adk } }, 5);
    const [written] = eventToAdk(event, { casing: 'camel' });
    expect(written).toMatchObject({ author: 'user', actions: { rewindBeforeInvocationId: 'i0' } });
    expect(written).not.toHaveProperty('content');
  });

  it('does not mind extensions that somebody else has written', () => {
    for (const adk of [1, {}, { casing: 'snake', dialect: 'python', event: 5, actions: { inner: 1, absent: 'x' } }]) {
      const event = append({ author: 'user', content: 'hi', extensions: { adk, invalidCompaction: 3 } });
      expect(eventToAdk(event, { casing: 'snake' })).toMatchObject([{ author: 'user', actions: noEffects }]);
    }
  });
});
