import { describe, expect, it } from 'vitest';
import { estimateTokens, type Part } from '../events/index.ts';
import { countContent } from './content-tokens.ts';

const length = { name: 'length', count: (text: string) => text.length };
const count = (...parts: Part[]) => countContent({ role: 'model', parts }, length);

describe('countContent', () => {
  it('counts text, thoughts, code, and calls and responses as name and JSON, texts as such; media as nothing', () => {
    expect(count({ text: '你好🙂' })).toEqual({ n: 4, by: 'length' });
    expect(count({ text: 'ab' }, { text: 'c', thought: true })).toEqual({ n: 3, by: 'length' });
    expect(count({ functionCall: { name: 'f', args: { a: 1 } } }).n).toBe('f{"a":1}'.length);
    expect(count({ functionCall: { name: 'f' } }).n).toBe('f{}'.length);
    expect(count({ functionResponse: { name: 'f', response: 'x' } }).n).toBe('fx'.length);
    expect(count({ functionResponse: { name: 'f' } }).n).toBe('fnull'.length);
    expect(count({ executableCode: { code: '1+1' } }, { codeExecutionResult: { outcome: 'OK', output: '2' } }).n).toBe(
      4,
    );
    expect(count({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }, { fileData: { fileUri: 'x' } }).n).toBe(0);
    expect(count()).toEqual({ n: 0, by: 'length' });
  });

  it('says who counted, and gives frozen counts, also great ones', () => {
    const great = countContent({ role: 'user', parts: [{ text: 'x'.repeat(50_000) }] }, estimateTokens);
    expect(great).toEqual({ n: 12_500, by: 'estimate' });
    const small = countContent({ role: 'user', parts: [{ text: 'x' }] }, estimateTokens);
    expect(small.by).toBe('estimate');
    expect(count({ text: 'x' }).by).toBe('length');
    expect([great, small].every(Object.isFrozen)).toBe(true);
  });
});
