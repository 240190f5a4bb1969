import assert from 'node:assert/strict';
import type { EventInput, SessionKey } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { assertDeepFrozen, readAll, refused, same, stateOf, textsOf } from '../expectations.ts';
import { answers, calls, compacts, overflows, pins, returns, says, sets } from '../sample-events.ts';
import { begin, type SessionSubject } from '../session-subject.ts';

/** Checks of what stands in a stored event. */
export const eventChecks = {
  'event.origin': async (subject) => {
    const key = await begin(subject, { state: { k: 1 } });
    const forged = { ...answers('b'), origin: 'user', importedFrom: 'elsewhere', seq: 99 };
    await subject.first.append(key, [says('a'), forged, calls('c1'), returns('c1'), compacts([[2, 3]])]);
    const asUser: EventInput = { ...returns('c2'), author: 'user' };
    await subject.first.append(key, [asUser, { ...pins(2), author: 'assistant' }]);
    const events = await readAll(subject.second, key);
    same(
      events.map((event) => event.origin),
      ['system', 'user', 'agent', 'agent', 'tool', 'system', 'tool', 'system'],
    );
    same(
      events.map((event) => event.importedFrom ?? 'here'),
      events.map(() => 'here'),
    );
  },
  'event.imported-from': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a')], { importedFrom: 'adk' });
    assert.equal((await readAll(subject.second, key))[0]?.importedFrom, 'adk');
  },
  'event.invocation': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), answers('b')]);
    await subject.second.append(key, [calls('c1')]);
    await subject.first.append(key, [returns('c1')]);
    await subject.first.append(key, [
      { author: 'user', content: { parts: [{ functionResponse: { id: 'c2', name: 'x' } }] } },
    ]);
    await subject.first.append(key, [says('c'), answers('d')]);
    const ids = (await readAll(subject.first, key)).map((event) => event.invocationId);
    assert.equal(new Set(ids.slice(0, 5)).size, 1, 'what follows a question joins its invocation');
    assert.equal(ids[5], ids[6]);
    assert.notEqual(ids[4], ids[5], 'a question begins an invocation');
  },
  'event.invocation-given': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [
      says('a', { invocationId: 'i1' }),
      answers('b'),
      says('c', { invocationId: 'i1' }),
      answers('d', { invocationId: 'i2' }),
    ]);
    same(
      (await readAll(subject.second, key)).map((event) => event.invocationId),
      ['i1', 'i1', 'i1', 'i2'],
    );
  },
  'event.late-answer': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a', { invocationId: 'i1' }), says('b', { invocationId: 'i2' })]);
    await subject.second.append(key, [answers('late', { invocationId: 'i1' })]);
    await subject.first.append(key, [answers('next')]);
    const [, , late, next] = (await readAll(subject.second, key)).map((event) => event.invocationId);
    same([late, next], ['i1', 'i2']);
  },
  'event.bookkeeping-invocation': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [
      says('a'),
      answers('b'),
      pins(1),
      overflows({ why: 'ceiling' }),
      compacts([[2, 2]]),
    ]);
    await subject.second.append(key, [answers('c')]);
    const [a, b, pin, overflow, compaction, c] = (await readAll(subject.first, key)).map((event) => event.invocationId);
    assert.equal(new Set([a, pin, overflow, compaction]).size, 4, 'bookkeeping has an invocation of its own');
    same([b, c], [a, a], 'the conversation goes on in its invocation');
  },
  'event.times': async (subject) => {
    const key = await begin(subject);
    subject.clock.advance(1234);
    const given = says('a', { timestamp: '2025-06-01T08:00:00+08:00' });
    await subject.first.append(key, [given, answers('b')]);
    const [a, b] = await readAll(subject.second, key);
    const now = '2026-01-01T00:00:01.234Z';
    same([a?.timestamp, a?.recordedAt, b?.timestamp, b?.recordedAt], ['2025-06-01T00:00:00.000Z', now, now, now]);
    await refused(subject.first.append(key, [says('c', { timestamp: 'yesterday' })]), 'INVALID_ARGUMENT');
  },
  'event.time-zone': async (subject) => {
    const key = await begin(subject, { timeZone: 'Asia/Shanghai' });
    await subject.first.append(key, [says('早上好')]);
    assert.equal((await readAll(subject.second, key))[0]?.timeZone, 'Asia/Shanghai');
    assert.equal((await subject.second.open(key))?.timeZone, 'Asia/Shanghai');
  },
  'event.every-field': async (subject) => {
    const key = await begin(subject);
    const { event, expected } = fullEvent();
    await subject.first.append(key, [event]);
    for (const service of [subject.first, subject.second]) {
      const [stored] = await readAll(service, key);
      for (const name of Object.keys(expected))
        same(Reflect.get(stored ?? {}, name), Reflect.get(expected, name), name);
    }
  },
  'event.bytes': async (subject) => {
    const key = await begin(subject);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const data = Buffer.from(bytes).toString('base64');
    const content = {
      parts: [
        { inlineData: { mimeType: 'image/png', data: bytes } },
        { text: 'hm', thought: true, thoughtSignature: bytes },
      ],
    };
    await subject.first.append(key, [{ author: 'assistant', content }]);
    same((await readAll(subject.second, key))[0]?.content?.parts, [
      { inlineData: { mimeType: 'image/png', data } },
      { text: 'hm', thought: true, thoughtSignature: data },
    ]);
    const bad = { author: 'assistant', content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'é' } }] } };
    await refused(subject.first.append(key, [bad]), 'INVALID_EVENT');
  },
  'event.call-ids-kept': async (subject) => {
    const key = await begin(subject);
    const nameless = { author: 'assistant', content: { parts: [{ functionCall: { name: 'f', args: {} } }] } };
    const stored = await subject.first.append(key, [calls('adk-7f3'), returns('adk-7f3'), nameless]);
    const events = await readAll(subject.second, key);
    same(events, stored.events);
    same(events[0]?.content?.parts[0]?.functionCall?.id, 'adk-7f3');
    same(events[2]?.content?.parts[0]?.functionCall, { name: 'f', args: {} });
  },
  'event.large-chinese': async (subject) => {
    const key = await begin(subject);
    const long = '覆写本羊皮纸𠮷'.repeat(100_000);
    const { events } = await subject.first.append(key, [says(long), sets({ k: long.slice(0, 100_000) })]);
    same(events[0]?.content?.parts[0]?.text?.length, long.length);
    assert.ok((await readAll(subject.second, key))[0]?.content?.parts[0]?.text === long, 'the text came back changed');
    assert.ok((await stateOf(subject.second, key)).k === long.slice(0, 100_000), 'the state came back changed');
  },
  'event.too-large': async (subject) => {
    const key = await begin(subject);
    await unchanged8MiB(subject, key);
  },
  'event.error-message-cut': async (subject) => {
    const key = await begin(subject);
    const short = '错'.repeat(65_536);
    const long = '𠮷'.repeat(9 * 1024 * 1024);
    await subject.first.append(key, [
      { author: 'assistant', errorCode: 'OVERLOADED', errorMessage: short },
      { author: 'assistant', errorCode: 'OVERLOADED', errorMessage: long },
    ]);
    const [whole, cut] = await readAll(subject.second, key);
    assert.ok(whole?.errorMessage === short, 'a message within the limit was changed');
    const points = [...(cut?.errorMessage ?? '')];
    assert.ok(points.length <= 65_536 && points.length > 65_000, `the cut message has ${points.length} code points`);
    assert.match(cut?.errorMessage ?? '', /^𠮷+… \[cut\]$/u);
  },
  'event.surrogates': async (subject) => {
    const key = await begin(subject);
    const { replacedSurrogates } = await subject.first.append(key, [
      says('a\ud800b\udc00'),
      sets({ k: ['\udfff', '𠮷'] }),
    ]);
    assert.equal(replacedSurrogates, 3);
    same(textsOf(await readAll(subject.second, key)), ['a\ufffdb\ufffd', '']);
    same(await stateOf(subject.second, key), { k: ['\ufffd', '𠮷'] });
  },
  'event.nul': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a\u0000b'), sets({ 'k\u0000': '\u0000', 'user:n\u0000': 'x\u0000y' })]);
    same(textsOf(await readAll(subject.second, key)), ['a\u0000b', '']);
    same(await stateOf(subject.second, key), { 'k\u0000': '\u0000', 'user:n\u0000': 'x\u0000y' });
  },
  'event.frozen': async (subject) => {
    const key = await begin(subject, { state: { 'app:config': { theme: { dark: true } }, list: [{ a: 1 }] } });
    const { events } = await subject.first.append(key, [fullEvent().event, says('b')]);
    for (const event of events) assertDeepFrozen(event, 'appended');
    for (const service of [subject.first, subject.second]) {
      for (const event of (await service.read(key)).items) assertDeepFrozen(event, 'read');
    }
    for (const service of [subject.first, subject.second]) assertDeepFrozen((await service.open(key))?.state, 'state');
    assert.equal(events[1]?.actions, (await subject.second.read(key, { fromSeq: 3 })).items[0]?.actions);
  },
  'event.not-json': async (subject) => {
    const key = await begin(subject);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const bad: readonly (readonly [unknown, RegExp])[] = [
      [{ a: { when: new Date(0) } }, /stateDelta\.a\.when$/],
      [{ a: [1, Number.NaN] }, /stateDelta\.a\[1\]$/],
      [{ a: 1n }, /stateDelta\.a$/],
      [{ f: () => 1 }, /stateDelta\.f$/],
      [{ m: new Map() }, /stateDelta\.m$/],
      [{ a: { list: [Symbol('s')] } }, /stateDelta\.a\.list\[0\]$/],
      [circle, /stateDelta\.self/],
    ];
    await subject.first.append(key, [says('a')]);
    for (const [stateDelta, path] of bad) {
      const event = { author: 'assistant', actions: { stateDelta } } as EventInput;
      assert.match((await refused(subject.first.append(key, [event]), 'NOT_JSON')).details.path, path);
    }
    same(await stateOf(subject.second, key), {});
    assert.equal((await subject.second.open(key))?.version, 1);
  },
  'event.tokens': async (subject) => {
    const key = await begin(subject);
    const forged = { ...says('five words of plain English'), tokens: { n: 1_000_000, by: 'me' } };
    const { events } = await subject.first.append(key, [forged, says('今天的天气怎么样'), sets({ k: 1 })]);
    const [english, chinese] = events.map((event) => event.tokens);
    assert.ok(english && english.n > 0 && english.n < 100 && english.by !== 'me', 'English');
    assert.ok(chinese && chinese.n > 0, 'Chinese');
    same(
      (await readAll(subject.second, key)).map((event) => event.tokens),
      events.map((event) => event.tokens),
    );
  },
} satisfies Checks<SessionSubject>;

async function unchanged8MiB(subject: SessionSubject, key: SessionKey): Promise<void> {
  const limit = 8 * 1024 * 1024;
  const error = await refused(subject.first.append(key, [says('ok'), says('x'.repeat(limit))]), 'EVENT_TOO_LARGE', {
    limit,
  });
  assert.ok(error.details.bytes > limit, 'the size that is told is within the limit');
  await refused(subject.first.append(key, [says('页'.repeat(limit / 3))]), 'EVENT_TOO_LARGE');
  same(await readAll(subject.second, key), []);
  await subject.first.append(key, [says('x'.repeat(limit - 2000))]);
  assert.equal((await subject.second.open(key))?.version, 1);
}

/** An event with every field that a caller may set, and what must come back. */
function fullEvent(): { event: EventInput; expected: object } {
  const parts = [
    { text: 'thinking', thought: true, thoughtSignature: 'AAEC' },
    { fileData: { fileUri: 'https://example.org/a.png', mimeType: 'image/png', displayName: 'a' } },
    { functionCall: { id: 'c1', name: 'f', args: { city: '上海', nested: [null, true, 1.5] } } },
    { functionResponse: { id: 'c0', name: 'f', response: { grounding: [{ uri: 'x' }] } } },
    { executableCode: { code: '1+1', language: 'PYTHON' } },
    { codeExecutionResult: { outcome: 'OK', output: '2' } },
    { thoughtSignature: 'AAEC' },
    { text: '', extensions: { toolCall: { id: 's1' } } },
  ];
  const event = {
    id: 'full',
    invocationId: 'i1',
    author: 'assistant',
    timestamp: '2025-05-05T05:05:05.005Z',
    content: { role: 'model' as const, parts },
    turnComplete: true,
    interrupted: false,
    errorCode: 'E',
    errorMessage: 'message',
    finishReason: 'STOP',
    usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 5, raw: { promptTokenCount: 10 } },
    branch: 'root.agent_1',
    isolationScope: 'sealed',
    longRunningToolIds: ['c1'],
    inputTranscription: { text: 'in', finished: true },
    outputTranscription: { text: '出' },
    customMetadata: { a: [1, { b: null }] },
    extensions: { groundingMetadata: { chunks: [] } },
    actions: {
      stateDelta: { k: 1, n: null, deep: { a: [1, 2, { b: '深' }] } },
      stateRemoved: ['gone'],
      artifactDelta: { 'a.txt': 0, 'b.txt': 3 },
      transferToAgent: 'other',
      escalate: true,
      skipSummarization: true,
      endOfAgent: true,
      agentState: { step: 2 },
      requestedToolConfirmations: { c1: { hint: 'sure?' } },
      requestedAuthConfigs: { c2: { scheme: 'oauth' } },
    },
  };
  return { event, expected: event };
}
