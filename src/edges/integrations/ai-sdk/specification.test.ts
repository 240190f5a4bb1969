import { describe, expect, it } from 'vitest';
import { promptAsV3, promptFor, resultAsV3, streamPartAsV3 } from './specification.ts';

const url = new URL('https://example.com/猫.png');
const bytes = new Uint8Array([104, 105]);

const result = (output: unknown) => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look', output }],
});

describe('a prompt of ai 7', () => {
  it('is read as v3 and written back as it was', () => {
    const prompt = [
      { role: 'system', content: '请简短回答。' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '看' },
          { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
        ],
      },
      result({
        type: 'content',
        value: [
          { type: 'text', text: '好' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
          { type: 'file', mediaType: 'application/octet-stream', data: { type: 'url', url } },
          { type: 'file', mediaType: 'image/png', data: { type: 'reference', reference: { openai: 'file-1' } } },
        ],
      }),
      result({ type: 'json', value: { a: 1 } }),
    ];
    const v3 = promptAsV3(prompt);
    expect(v3[1]?.content).toEqual([
      { type: 'text', text: '看' },
      { type: 'file', mediaType: 'image/png', data: url },
      { type: 'file', mediaType: 'image/png', data: 'aGk=' },
    ]);
    expect(JSON.stringify(v3[2])).toContain('"type":"file-data"');
    expect(promptFor('v4', v3)).toEqual(prompt);
    expect(promptFor('v3', v3)).toBe(v3);
  });

  it('may hold what v3 has no words for', () => {
    const content = [
      { type: 'custom', kind: 'openai.compaction' },
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
      { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: '你好' } },
    ];
    const [message] = promptAsV3([{ role: 'assistant', content }]);
    expect(message?.content).toEqual([
      { type: 'file', mediaType: 'text/plain', data: Buffer.from('你好').toString('base64') },
    ]);
    const lost = [{ role: 'user', content: [{ type: 'file', data: { type: 'reference', reference: {} } }] }];
    expect(() => promptAsV3(lost)).toThrow(/only its provider can find/);
  });

  it('of v3 is left alone', () => {
    const prompt = [
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: bytes }] },
      result({ type: 'content', value: [{ type: 'file-url', url: String(url) }] }),
    ];
    expect(promptAsV3(prompt)).toEqual(prompt);
  });
});

describe('an answer of ai 7', () => {
  it('shows its files as v3 does', () => {
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } };
    expect(resultAsV3({ content: [file, { type: 'text', text: '好' }] }).content).toEqual([
      { type: 'file', mediaType: 'image/png', data: bytes },
      { type: 'text', text: '好' },
    ]);
    expect(streamPartAsV3(file)).toEqual({ type: 'file', mediaType: 'image/png', data: bytes });
  });

  it('that only points to a file has none to be kept', () => {
    expect(streamPartAsV3({ type: 'file', mediaType: 'image/png', data: { type: 'url', url } }).type).toBe('source');
  });
});
