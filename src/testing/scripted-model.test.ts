import { describe, expect, it } from 'vitest';
import { type ModelCall, type ModelPiece, modelText, type Provider, text } from '../index.ts';
import { ScriptedModel } from './scripted-model.ts';

async function piecesOf(model: ScriptedModel, contents: ModelCall['request']['contents']): Promise<ModelPiece[]> {
  const pieces: ModelPiece[] = [];
  const request = { instruction: [], tools: [], contents, transient: [] };
  for await (const piece of model.call({ request, signal: new AbortController().signal })) pieces.push(piece);
  return pieces;
}

const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];

describe('ScriptedModel', () => {
  it('answers a request that its provider would take', async () => {
    for (const provider of providers) {
      const pieces = await piecesOf(new ScriptedModel(['好'], { provider }), [text('问题')]);
      expect(pieces[0]).toEqual({ type: 'text', text: '好' });
    }
  });

  it('refuses, and keeps, one that its provider would refuse, and says why', async () => {
    for (const provider of providers) {
      const model = new ScriptedModel(['never said'], { provider });
      await expect(piecesOf(model, [modelText('I speak first')])).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(new RegExp(`call\\.request would be refused by ${provider}: .*\\[0\\]`)),
      });
      expect(model.calls).toHaveLength(1);
    }
  });

  it('keeps to the rules of its own provider', async () => {
    const twice = [text('one'), text('二')];
    await expect(piecesOf(new ScriptedModel(['ok'], { provider: 'anthropic' }), twice)).rejects.toThrow('alternate');
    expect(await piecesOf(new ScriptedModel(['ok'], { provider: 'gemini' }), twice)).not.toEqual([]);
  });
});
