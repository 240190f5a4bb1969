import { describe, expect, it } from 'vitest';
import type { ModelPiece } from './language-model.ts';
import { ReplyCollector } from './reply-collector.ts';

function collect(...pieces: ModelPiece[]): ReplyCollector {
  const reply = new ReplyCollector();
  for (const piece of pieces) reply.add(piece);
  return reply;
}

describe('ReplyCollector', () => {
  it('has said nothing at first, nor after empty texts', () => {
    const nothing = { content: undefined, usage: undefined, finishReason: undefined, isWhole: false };
    expect(collect()).toMatchObject(nothing);
    expect(collect({ type: 'text', text: '' }, { type: 'end' })).toMatchObject(nothing);
  });

  it('joins texts until an end, a change of thought or another part', () => {
    const reply = collect(
      { type: 'text', text: '想', thought: true },
      { type: 'text', text: '想', thought: true },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'end', thoughtSignature: 'AQ==', extensions: { somebody: 1 } },
      { type: 'text', text: 'c' },
      { type: 'part', part: { functionCall: { name: 'f' } } },
      { type: 'text', text: 'd' },
    );
    expect(reply.content).toEqual({
      role: 'model',
      parts: [
        { text: '想想', thought: true },
        { text: 'ab', thoughtSignature: 'AQ==', extensions: { somebody: 1 } },
        { text: 'c' },
        { functionCall: { name: 'f' } },
        { text: 'd' },
      ],
    });
  });

  it('keeps a signature that comes without text', () => {
    const reply = collect({ type: 'part', part: { text: 'x' } }, { type: 'end', thoughtSignature: 'AQ==' });
    expect(reply.content?.parts).toEqual([{ text: 'x' }, { text: '', thoughtSignature: 'AQ==' }]);
  });

  it('shows what has come so far, and goes on', () => {
    const reply = collect({ type: 'text', text: 'a' });
    const early = reply.content;
    reply.add({ type: 'text', text: 'b' });
    reply.add({ type: 'finish', finishReason: 'stop', usage: { inputTokens: 1 }, modelVersion: 'm-1' });
    expect(early?.parts).toEqual([{ text: 'a' }]);
    expect(reply.content?.parts).toEqual([{ text: 'ab' }]);
    expect(reply).toMatchObject({
      isWhole: true,
      finishReason: 'stop',
      usage: { inputTokens: 1 },
      modelVersion: 'm-1',
    });
  });
});
