import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildLog } from '../../../../test/logs/log-builder.ts';
import type { Overflow } from '../../../events/index.ts';
import { eventText } from './event-text.ts';

function overflowLine(overflow: Overflow): string {
  return buildLog([{ seq: 1, author: 'system', actions: { overflow } }])
    .map(eventText)
    .join();
}

test.each<[Overflow, string]>([
  [
    { why: 'ceiling', agentName: 'assistant', tokens: 9001, limit: 9000, leftOut: 12 },
    'a request for assistant was about to fill the context, 9001 tokens where 9000 fit: it was sent without the oldest 12 events',
  ],
  [
    { why: 'tooLong', agentName: '天气助手', tokens: 900, limit: 675, leftOut: 1 },
    'a request for 天气助手 was too long for its provider, 900 tokens where 675 fit: it was sent without the oldest 1 event',
  ],
  [
    { why: 'blocked', agentName: '天气助手', by: [3, 8] },
    'nothing could be folded for 天气助手: events 3, 8 must be answered first',
  ],
  [{ why: 'blocked', by: [3] }, 'nothing could be folded: event 3 must be answered first'],
  [{ why: 'blocked' }, 'nothing could be folded: what is open must be answered first'],
  [{ why: 'tooLong' }, 'a request was too long for its provider: it was sent without the oldest events'],
  [{ why: 'ceiling', tokens: 9001 }, 'a request was about to fill the context: it was sent without the oldest events'],
])('an overflow reads as a sentence: %j', (overflow, line) => {
  expect(overflowLine(overflow)).toBe(line);
});

test('an overflow is one line, whatever it says', () => {
  const some: fc.Arbitrary<Overflow> = fc.record(
    {
      why: fc.constantFrom('blocked', 'ceiling', 'tooLong'),
      agentName: fc.constantFrom('assistant', '天气助手🌦'),
      by: fc.array(fc.integer({ min: 1 }), { minLength: 1, maxLength: 4 }),
      tokens: fc.nat(),
      limit: fc.nat(),
      leftOut: fc.nat(),
    },
    { requiredKeys: ['why'] },
  );
  fc.assert(
    fc.property(some, (overflow) => {
      const line = overflowLine(overflow);
      expect(line).toMatch(/^(a request|nothing could be folded).*[a-z0-9]$/u);
      expect(line).not.toMatch(/\n|undefined|NaN|\[object/);
      if (overflow.agentName !== undefined) expect(line).toContain(`for ${overflow.agentName}`);
    }),
  );
});
