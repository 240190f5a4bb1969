import { expect, test } from 'vitest';
import { type EventActionsInput, isBookkeeping, prepareEvent } from '../events/index.ts';
import { isBookkeepingInput } from './is-bookkeeping-input.ts';

test.each<EventActionsInput>([
  {
    compaction: {
      covers: [[1, 2]],
      content: { role: 'model', parts: [{ text: '概要' }] },
      trigger: 't',
      sourceHash: '',
    },
  },
  { rewind: { beforeInvocationId: 'i1' } },
  { pin: { seqs: [1] } },
  { unpin: { seqs: [1] } },
  { trim: { seqs: [1], keepChars: 0 } },
  { overflow: { why: 'ceiling', agentName: '助手' } },
  { sessionEnd: true },
  { stateDelta: { 语言: 'zh' } },
  { endOfAgent: true },
  {},
])('says before an append what the log will say of %j', (actions) => {
  const input = { author: 'system', actions };
  expect(isBookkeepingInput(input)).toBe(isBookkeeping(prepareEvent(input, 'event').draft));
});

test('says of what has no bookkeeping among its actions that it is none', () => {
  expect(isBookkeepingInput({ author: '助手', content: '你好' })).toBe(false);
  expect(isBookkeepingInput({ author: 'system', actions: JSON.parse('[]') })).toBe(false);
});
