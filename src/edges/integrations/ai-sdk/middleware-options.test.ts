import { describe, expect, it } from 'vitest';
import { openPalimpsest } from '../../../index.ts';
import { memoryTools, palimpsestMiddleware } from './index.ts';
import { readCallOptions } from './middleware-options.ts';

const app = { appName: 'chat' };
const base = { userId: 'u1', sessionId: 's1' };
const read = (given: object, palimpsest?: Record<string, unknown>) =>
  readCallOptions(app, given, { prompt: [], ...(palimpsest && { providerOptions: { palimpsest } }) });

describe('the options of a call', () => {
  it('are those of the middleware, with those of the call before them', async () => {
    expect(await read({ ...base, agentName: '助手' })).toEqual({
      key: { appName: 'chat', userId: 'u1', sessionId: 's1' },
      agentName: '助手',
      waitMs: 0,
      toolLoopMs: 30_000,
    });
    const own = {
      sessionId: 's2',
      projectId: 'p',
      recall: false,
      onBusy: { waitMs: 5 },
      provider: 'gemini',
      prompt: 'whole',
    };
    expect(await read({ ...base, recall: true }, own)).toEqual({
      key: { appName: 'chat', userId: 'u1', sessionId: 's2' },
      agentName: 'assistant',
      projectId: 'p',
      recall: false,
      provider: 'gemini',
      prompt: 'whole',
      waitMs: 5,
      toolLoopMs: 30_000,
    });
  });

  it('may come from a function of the call, also later', async () => {
    const ofCall = async (params: { headers?: unknown }) => ({ ...base, userId: String(params.headers) });
    const options = await readCallOptions(app, ofCall, { prompt: [], headers: '用户' } as never);
    expect(options.key.userId).toBe('用户');
  });

  it.each([
    ['a missing user', { sessionId: 's1' }, undefined, 'INVALID_ARGUMENT', /userId is missing: give it to/],
    ['a missing session', { userId: 'u1' }, undefined, 'INVALID_ARGUMENT', /sessionId is missing/],
    ['an id that is none', { ...base, userId: ' u1' }, undefined, 'INVALID_ID', /userId/],
    ['a misspelt option', { ...base, recal: true }, undefined, 'INVALID_ARGUMENT', /recal is no known option/],
    ['one of the call', base, { sessionID: 's2' }, 'INVALID_ARGUMENT', /providerOptions\.palimpsest\.sessionID is no/],
    ['an agent called user', { ...base, agentName: 'user' }, undefined, 'INVALID_ARGUMENT', /agentName may not be/],
    ['an unknown provider', { ...base, provider: 'x' }, undefined, 'INVALID_ARGUMENT', /provider must be one of/],
    ['a recall that is none', { ...base, recall: 3 }, undefined, 'INVALID_ARGUMENT', /recall must be/],
    ['a time that is none', { ...base, toolLoopMs: '1' }, undefined, 'INVALID_ARGUMENT', /toolLoopMs must be/],
    [
      'a prompt that is none',
      { ...base, prompt: 'half' },
      undefined,
      'INVALID_ARGUMENT',
      /prompt must be tail or whole/,
    ],
    ['a wait that is none', { ...base, onBusy: { waitMs: -1 } }, undefined, 'INVALID_ARGUMENT', /onBusy must be/],
  ])('refuse %s', async (_what, given, ofCall, code, message) => {
    await expect(read(given, ofCall)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.each([
    ['nothing', undefined, /palimpsest must be an open Palimpsest: give/],
    ['an object that is none', { appName: 'chat' }, /palimpsest must be an open Palimpsest: give/],
    ['a promise of one', Promise.resolve(), /not a promise of one: give what `await openPalimpsest\(\)` gives/],
  ])('come with a Palimpsest, not with %s', (_what, given, message) => {
    const wanted = expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) });
    expect(() => palimpsestMiddleware(given as never, base)).toThrow(wanted);
    expect(() => memoryTools(given as never, base)).toThrow(wanted);
  });

  it('are checked before the first call where they are fixed', async () => {
    await using palimpsest = await openPalimpsest({ sweepSeconds: 0 });
    const wrong: object = { userID: 'u1' };
    expect(() => palimpsestMiddleware(palimpsest, wrong)).toThrow(/userID is no known option/);
    expect(() => palimpsestMiddleware(palimpsest, 'u1' as never)).toThrow(/options must be an object/);
  });
});
