import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { eventFromAdk, withAdkCompaction } from './adk-import.ts';
import { prepareEvent } from './prepare-event.ts';

const base = { id: 'e1', invocation_id: 'i1', author: 'assistant', timestamp: 1_700_000_000.123456 };

function refusal(json: unknown): unknown {
  try {
    eventFromAdk(json, 'events[3]');
  } catch (error) {
    return error instanceof PalimpsestError ? [error.code, error.details] : error;
  }
  return 'accepted';
}

describe('eventFromAdk', () => {
  it('reads the fields of a Python event from its database', () => {
    const { input, timestamp } = eventFromAdk(
      {
        ...base,
        branch: 'root.child',
        turn_complete: true,
        long_running_tool_ids: ['c1'],
        content: {
          role: 'model',
          parts: [{ function_call: { id: 'c1', name: 'look_up', args: { city_name: '北京', cityName: 'x' } } }],
        },
        actions: {
          state_delta: { a_b: 1, aB: 2, 'temp:x': 3 },
          artifact_delta: { 'a.txt': 0 },
          requested_auth_configs: {},
          requested_tool_confirmations: { c1: { hint: 'sure?' } },
          agent_state: { step: 1 },
          end_of_agent: true,
        },
        usage_metadata: {
          prompt_token_count: 100,
          cached_content_token_count: 60,
          candidates_token_count: 7,
          thoughts_token_count: 3,
          total_token_count: 110,
        },
      },
      'event',
    );
    expect(timestamp).toBe(1_700_000_000.123456);
    expect(prepareEvent(input, 'event').draft).toMatchObject({
      id: 'e1',
      invocationId: 'i1',
      author: 'assistant',
      timestamp: '2023-11-14T22:13:20.123Z',
      branch: 'root.child',
      turnComplete: true,
      longRunningToolIds: ['c1'],
      content: {
        role: 'model',
        parts: [{ functionCall: { id: 'c1', name: 'look_up', args: { city_name: '北京', cityName: 'x' } } }],
      },
      actions: {
        stateDelta: { a_b: 1, aB: 2 },
        artifactDelta: { 'a.txt': 0 },
        requestedToolConfirmations: { c1: { hint: 'sure?' } },
        agentState: { step: 1 },
        endOfAgent: true,
      },
      usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 60, reasoningTokens: 3, totalTokens: 110 },
      extensions: { adk: { casing: 'snake', dialect: 'python', event: { fields: { timestamp: base.timestamp } } } },
    });
  });

  it('reads the same in camel case, and milliseconds as milliseconds', () => {
    const { input } = eventFromAdk(
      { id: 'e1', invocationId: 'i1', author: 'a', timestamp: 1_700_000_000_123, actions: { stateDelta: { k: 1 } } },
      'event',
    );
    expect(input).toMatchObject({
      timestamp: '2023-11-14T22:13:20.123Z',
      actions: { stateDelta: { k: 1 } },
      extensions: { adk: { casing: 'camel', dialect: 'js' } },
    });
  });

  it('reads actions in snake case inside an event in camel case, as old versions wrote them', () => {
    const { input } = eventFromAdk(
      { invocationId: 'i1', author: 'a', timestamp: 1, actions: { state_delta: { k: 1 }, transfer_to_agent: 'b' } },
      'event',
    );
    expect(input.actions).toMatchObject({ stateDelta: { k: 1 }, transferToAgent: 'b' });
  });

  it('takes the call of a part whose text is empty, and keeps the text for the way back', () => {
    const parts = [{ text: '', function_call: { name: 'f' } }];
    const { input } = eventFromAdk({ ...base, content: { role: 'model', parts } }, 'event');
    expect(input.content).toEqual({
      role: 'model',
      parts: [{ functionCall: { name: 'f' }, extensions: { adk: { fields: { text: '' } } } }],
    });
  });

  it('gives a missing role the side that the event speaks from', () => {
    const roleOf = (author: string, content: unknown) => {
      const { input } = eventFromAdk({ ...base, author, content }, 'event');
      return typeof input.content === 'object' ? input.content.role : undefined;
    };
    expect(roleOf('user', { parts: [{ text: 'x' }] })).toBe('user');
    expect(roleOf('assistant', { parts: [{ text: 'x' }] })).toBe('model');
    expect(roleOf('assistant', { parts: [{ function_response: { name: 'f', response: {} } }] })).toBe('user');
    expect(roleOf('assistant', { role: 'tool', parts: [] })).toBe('user');
  });

  it('reads a rewind, and leaves a summary for the whole session to place', () => {
    const rewind = eventFromAdk({ ...base, actions: { rewind_before_invocation_id: 'i0' } }, 'event').input;
    expect(prepareEvent(rewind, 'event').draft.actions.rewind).toEqual({ beforeInvocationId: 'i0', fromSeq: 0 });

    const record = {
      start_timestamp: 1.5,
      end_timestamp: 2.25,
      compacted_content: { role: 'user', parts: [{ text: '他们谈了天气。' }] },
    };
    const imported = eventFromAdk({ ...base, actions: { compaction: record } }, 'event');
    expect(imported.input.actions).not.toHaveProperty('compaction');
    expect(imported.input.extensions).toMatchObject({ invalidCompaction: record });
    expect(imported.compaction).toMatchObject({
      start: 1.5,
      end: 2.25,
      content: { role: 'model', parts: [{ text: '他们谈了天气。' }] },
    });
    const refused = withAdkCompaction(imported, { seq: 9, valid: false, reason: 'no' });
    expect(refused).toBe(imported.input);
  });

  it('keeps content beside a rewind or a summary out of the event, valid summary or not', () => {
    const content = { role: 'user', parts: [{ text: '撤销', video_metadata: { fps: 1 } }], brand_new: 1 };
    const kept = {
      content: { fields: { brand_new: 1 } },
      unshownContent: {
        role: 'user',
        parts: [{ text: '撤销', extensions: { adk: { fields: { video_metadata: { fps: 1 } } } } }],
      },
    };
    for (const actions of [{ rewind_before_invocation_id: 'i0' }, { compaction: {} }]) {
      const { input } = eventFromAdk({ ...base, content, actions }, 'event');
      expect(input).not.toHaveProperty('content');
      expect(input.extensions).toMatchObject({ adk: kept });
      expect(prepareEvent(input, 'event').draft).not.toHaveProperty('content');
    }
    const said = eventFromAdk({ ...base, content, actions: { rewind_before_invocation_id: '' } }, 'event').input;
    expect(said.content).toEqual(kept.unshownContent);
    expect(said.extensions?.adk).not.toHaveProperty('unshownContent');
  });

  it('reads an event that is a rewind and a summary as the rewind, and keeps the record', () => {
    const record = {
      start_timestamp: 1,
      end_timestamp: 2,
      compacted_content: { role: 'model', parts: [{ text: 'Prose.' }] },
    };
    const actions = { rewind_before_invocation_id: 'i0', compaction: record };
    const imported = eventFromAdk({ ...base, actions }, 'event');
    expect(imported.input.actions?.rewind).toEqual({ beforeInvocationId: 'i0', fromSeq: 0 });
    expect(imported.input.extensions).toMatchObject({ invalidCompaction: record });
    expect(imported.compaction).toMatchObject({ besideRewind: true, content: { parts: [{ text: 'Prose.' }] } });
  });

  it('reads a summary event of ADK-JS', () => {
    const { compaction } = eventFromAdk(
      { author: 'system', timestamp: 1e12, isCompacted: true, startTime: 1, endTime: 2, compactedContent: 'Prose.' },
      'event',
    );
    expect(compaction).toMatchObject({ form: 'event', start: 1, end: 2, content: { parts: [{ text: 'Prose.' }] } });
  });

  it.each([
    ['a summary that calls a tool', { role: 'model', parts: [{ function_call: { name: 'f' } }] }],
    ['a summary of nothing but space', { role: 'model', parts: [{ text: ' \n' }] }],
    ['an empty summary', { role: 'model', parts: [] }],
    ['a summary of nothing but thought', { role: 'model', parts: [{ text: '我想了想。', thought: true }] }],
  ])('gives no content for %s', (_name, compacted_content) => {
    const record = { start_timestamp: 1, end_timestamp: 2, compacted_content };
    expect(eventFromAdk({ ...base, actions: { compaction: record } }, 'event').compaction).toHaveProperty(
      'content',
      undefined,
    );
  });

  it.each<[string, unknown]>([
    ['', null],
    ['', [base]],
    ['.id', { ...base, id: 5 }],
    ['.id', { ...base, id: 'a\u0000b' }],
    ['.author', { ...base, author: ' a ' }],
    ['.invocation_id', { ...base, invocation_id: 'x'.repeat(257) }],
    ['.timestamp', { ...base, timestamp: '2026' }],
    ['.timestamp', { ...base, timestamp: 1e18 }],
    ['.branch', { ...base, branch: 'a..b' }],
    ['.turn_complete', { ...base, turn_complete: 'yes' }],
    ['.long_running_tool_ids', { ...base, long_running_tool_ids: [1] }],
    ['.custom_metadata', { ...base, custom_metadata: [] }],
    ['.usage_metadata.prompt_token_count', { ...base, usage_metadata: { prompt_token_count: 'many' } }],
    ['.content', { ...base, content: 'text' }],
    ['.content.parts', { ...base, content: { parts: 'text' } }],
    ['.content.parts[1]', { ...base, content: { parts: [{ text: '' }, 'text'] } }],
    ['.content.parts[0].text', { ...base, content: { parts: [{ text: 1 }] } }],
    ['.content.parts[0].function_call.name', { ...base, content: { parts: [{ function_call: { name: 1 } }] } }],
    [
      '.content.parts[0].function_call.args',
      { ...base, content: { parts: [{ function_call: { name: 'f', args: 1 } }] } },
    ],
    [
      '.content.parts[0].inline_data.data',
      { ...base, content: { parts: [{ inline_data: { mime_type: 'a/b', data: '?' } }] } },
    ],
    ['.actions', { ...base, actions: [] }],
    ['.actions.state_delta', { ...base, actions: { state_delta: 1 } }],
    ['.actions.artifact_delta.a', { ...base, actions: { artifact_delta: { a: -1 } } }],
    ['.actions.compaction.start_timestamp', { ...base, actions: { compaction: { start_timestamp: '1' } } }],
  ])('refuses a bad %s, naming it', (field, json) => {
    expect(refusal(json)).toEqual([
      'INVALID_EVENT',
      { field: `events[3]${field}`, reason: expect.stringMatching(/^(must|is|has|contains|lies)/) },
    ]);
  });
});
