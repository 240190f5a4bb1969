import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, runToEnd } from './run-to-end.ts';

describe('a message', () => {
  it.each<[string, unknown, RegExp]>([
    ['no parts', { parts: [] }, /says nothing/],
    ['blank texts', { parts: [{ text: ' ' }, { text: '\n　' }] }, /says nothing/],
    ['thoughts alone', { parts: [{ text: '嗯', thought: true }] }, /says nothing/],
    ['null', null, /must be a text or/],
    ['a number', 5, /must be a text or/],
    ['a call', { parts: [{ text: 'x' }, { functionCall: { name: 'f' } }] }, /functionCall/],
    ['the words of a model', { role: 'model', parts: [{ text: 'x' }] }, /role "model"/],
    ['blank space', ' ', /blank/],
  ])('of %s is refused before anything is stored', async (_name, message, reason) => {
    const palimpsest = await openQuiet();
    const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['never']) });
    const { failure } = await runToEnd(agent, { message: message as string });
    const details = { argument: 'message', reason: expect.stringMatching(reason) };
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', details });
    expect((await palimpsest.sessions.list({ appName: 'test' })).items).toEqual([]);
  });

  it('may be left out only where the session has something to answer', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel(['好', '还有']);
    const agent = palimpsest.agent({ name: 'assistant', model });
    const refused = async (input: object) => {
      const { failure } = await runToEnd(agent, input);
      expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', details: { argument: 'message' } });
    };
    await refused({});
    await refused({ stateDelta: { a: 1 } });
    expect((await palimpsest.sessions.list({ appName: 'test' })).items).toEqual([]);
    const key = { appName: 'test', userId: 'u1', sessionId: 's1' };
    await palimpsest.sessions.create({ ...key, state: { a: 1 } });
    await refused({});
    expect(model.calls).toHaveLength(0);
    await runToEnd(agent, { message: '你好' });
    expect((await runToEnd(agent, {})).events.map(outline)).toEqual(['assistant: 还有']);
    expect((await logOf(palimpsest)).map(outline).slice(-3)).toEqual([
      'user: 你好',
      'assistant: 好',
      'assistant: 还有',
    ]);
  });
});

describe('an agent', () => {
  it.each<[object, string, RegExp]>([
    [{ settings: { temprature: 1 } }, 'settings.temprature', /temperature/],
    [{ recall: { limits: 3 } }, 'recall.limits', /limit, tokenBudget/],
    [{ retry: { retrys: 3 } }, 'retry.retrys', /retries/],
    [{ retry: { onRetry: 'log' } }, 'retry.onRetry', /function/],
    [{ history: { windows: {} } }, 'history', /window/],
    [{ history: { window: { turns: 3 } } }, 'history.window.turns', /invocations, tokens/],
    [{ history: { window: { invocations: 0 } } }, 'history.window.invocations', /1 or more/],
    [{ history: 'all' }, 'history', /full/],
    [{ tols: [] }, 'tols', /instruction, tools/],
    [{ beforeModel: () => undefined }, 'beforeModel', /under callbacks/],
  ])('with %j is refused, and what would do is named', async (options, argument, reason) => {
    const palimpsest = await openQuiet();
    try {
      palimpsest.agent({ name: 'a', model: new ScriptedModel([]), ...options });
      expect.unreachable();
    } catch (error) {
      if (!isPalimpsestError(error, 'INVALID_ARGUMENT')) throw error;
      expect(error.details.argument).toBe(argument);
      expect(error.details.reason).toMatch(reason);
    }
  });
});
