import { describe, expect, it } from 'vitest';
import { modelText, type Part, text } from '../events/index.ts';
import { readBlocks } from './check-agent-options.ts';

const document = (...parts: readonly Part[]) => ({
  kind: 'document',
  stable: true,
  content: { role: 'user', parts: [{ text: '手册' }, ...parts] },
});

describe('readBlocks', () => {
  it('takes text and media of the user side', () => {
    const inlineData = { mimeType: 'image/png', data: 'iVBORw==' };
    const blocks = [
      document({ inlineData }, { text: '🐉 图' }),
      { ...document({ fileData: { fileUri: 'https://example.com/手册.pdf' } }), kind: 'profile', stable: false },
    ];
    expect(readBlocks('documents', blocks)).toEqual(blocks);
  });

  it.each<Part>([
    { functionCall: { id: 'c1', name: 'forecast', args: { city: '大理' } } },
    { functionResponse: { id: 'c1', name: 'forecast', response: { celsius: 18 } } },
    { executableCode: { code: 'print("你好")', language: 'PYTHON' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '你好' } },
    { text: '想一想', thought: true },
    { thoughtSignature: 'c2ln' },
  ])('refuses %j, which no provider takes there, and names it', (part) => {
    for (const option of ['documents', 'examples']) {
      const argument = `${option}[1].content.parts[1]`;
      expect(() => readBlocks(option, [document(), document(part)])).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT', details: expect.objectContaining({ argument }) }),
      );
    }
  });

  const event = { kind: 'event', sessionId: '会话', incarnation: 'x', seq: 1, eventId: 'e' };
  const direct = { kind: 'direct', source: 'form', id: '表', at: '2026-01-01T00:00:00.000Z' };

  it('takes whole references to what a block quotes', () => {
    const blocks = [{ ...document(), source: [event, direct] }, { ...document(), source: [] }, document()];
    expect(readBlocks('documents', blocks)).toEqual(blocks);
  });

  it.each([
    { kind: 'url', url: 'https://example.com/手册' },
    { ...event, sessionId: undefined },
    { ...event, incarnation: undefined },
    { ...event, incarnation: '' },
    { ...event, eventId: 7 },
    { ...event, seq: 0 },
    { ...event, seq: 1.5 },
    { ...direct, source: undefined },
    { ...direct, id: undefined },
    { ...direct, at: 0 },
    'https://example.com',
    null,
    [],
  ])('refuses %j as what a block quotes, and names it', (ref) => {
    for (const option of ['documents', 'examples'])
      expect(() => readBlocks(option, [document(), { ...document(), source: [direct, ref] }])).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          details: { argument: `${option}[1].source[1]`, reason: expect.stringContaining('incarnation') },
        }),
      );
  });

  it('takes what the model says as an example only', () => {
    const example = { kind: 'example', stable: true, content: modelText('三度。') };
    expect(readBlocks('examples', [{ ...example, content: text('几度？') }, example])).toHaveLength(2);
    expect(() => readBlocks('documents', [{ ...example, kind: 'document' }])).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ argument: 'documents[0].content.role' }) }),
    );
  });
});
