import { describe, expect, it } from 'vitest';
import { buildLog } from '../../../test/logs/log-builder.ts';
import { countedText, type EventInput, estimateTokens, type Part } from '../../events/index.ts';
import { tokensOf } from './count-tokens.ts';

const parts: readonly Part[] = [
  { text: '先想一想', thought: true },
  { text: 'Then look.' },
  { functionCall: { name: 'look', args: { 地点: '北京', days: 3 } } },
  { functionResponse: { name: 'look', response: '晴\n"20°C"' } },
  { functionResponse: { name: 'look', response: { 温度: 20 } } },
  { executableCode: { code: 'print("你好")' } },
  { codeExecutionResult: { outcome: 'OK', output: '你好' } },
];
const image: Part = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
const file: Part = { fileData: { fileUri: 'artifact:x', mimeType: 'image/png' } };
const tokens = { n: 5, by: 'characters' };

function eventOf(input: Omit<EventInput, 'author'> & { readonly tokens?: typeof tokens }) {
  const [event] = buildLog([{ seq: 1, author: 'assistant', ...input }]);
  return event === undefined ? expect.unreachable('no event') : tokensOf(event);
}

describe('tokensOf', () => {
  it('estimates an uncounted event by the rule that counts at append', () => {
    const atAppend = parts.reduce((sum, part) => sum + estimateTokens.count(countedText(part)), 0);
    expect(eventOf({ content: { role: 'model', parts } })).toBe(atAppend);
    expect(eventOf({ inputTranscription: { text: '转写的话' } })).toBe(4);
    expect(eventOf({})).toBe(0);
  });

  it('takes the count that is stored, and a figure for each medium with either', () => {
    expect(eventOf({ content: { role: 'model', parts }, tokens })).toBe(5);
    expect(eventOf({ content: { role: 'model', parts: [{ text: '图' }, image, file] }, tokens })).toBe(5 + 2 * 258);
    expect(eventOf({ content: { role: 'model', parts: [{ text: '图' }, image] } })).toBe(1 + 258);
  });

  it('takes a summary for its text', () => {
    const compaction = {
      covers: [[1, 1]] as const,
      content: { role: 'model' as const, parts: [{ text: '摘要' }] },
      trigger: 'window',
      sourceHash: 'x',
    };
    expect(eventOf({ actions: { compaction } })).toBe(2);
  });
});
