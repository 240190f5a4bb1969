import { describe, expect, it } from 'vitest';
import { assemble } from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { openQuiet, runToEnd } from '../agents/run-to-end.ts';
import { answer, call, logged, notes, providers, says } from './shown-requests.ts';

describe('what a request costs', () => {
  it('J6: with a window, a session of many turns does not grow the request', async () => {
    const palimpsest = await openQuiet({ ingest: 'never' });
    const model = new ScriptedModel(() => '这是一个长度总是一样的回答。');
    const agent = palimpsest.agent({
      name: 'assistant',
      model,
      history: { window: { invocations: 8 } },
      recall: false,
    });
    for (let turn = 0; turn < 40; turn++) await runToEnd(agent, { message: `第${String(turn).padStart(2, '0')}问` });
    const sizes = model.calls.map(({ request }) => request.contents.length);
    expect(Math.max(...sizes)).toBe(2 * (8 + 1) - 1);
    expect(Math.min(...sizes.slice(8))).toBe(2 * 8 - 1);
    await palimpsest.close();
  });

  it('J7: a stale search result is cut where it stands, the log keeps it whole', () => {
    const page = { page: '旧'.repeat(3000) };
    const log = logged(
      says('user', '查一查'),
      says('assistant', [call('search', 's1')]),
      says('assistant', [answer('search', 's1', page)]),
      says('assistant', '查到了'),
      notes({ trim: { seqs: [3], keepChars: 0 } }),
      says('user', '再查'),
    );
    const cut = '[cut: 3011 characters; expand_history 3]';
    for (const provider of ['anthropic', 'openai'] as const) {
      const { contents } = assemble(log, { agentName: 'assistant', history: 'full', provider });
      expect(contents[2]?.parts[0]?.functionResponse?.response).toBe(cut);
    }
    const { contents, placement } = assemble(log, { agentName: 'assistant', history: 'full', provider: 'gemini' });
    expect(contents[2]?.parts[0]?.functionResponse?.response).toEqual({ result: cut });
    expect(placement(3)).toEqual({ outcome: 'trimmed' });
    expect(log[2]?.content?.parts[0]?.functionResponse?.response).toEqual(page);
  });

  it('J8: what is sent shares its parts with the log, and nobody can change either', () => {
    const log = logged(
      says('user', '你好'),
      says('assistant', [call('look', 'c1', { deep: { list: [1] } })]),
      says('assistant', [answer('look', 'c1', { n: 1 })]),
    );
    for (const provider of providers) {
      const { contents } = assemble(log, { agentName: 'assistant', history: 'full', provider });
      const args = contents[1]?.parts[0]?.functionCall?.args;
      expect(args).toBe(log[1]?.content?.parts[0]?.functionCall?.args);
      const deep = args?.deep as { readonly list: readonly number[] };
      expect([contents[1]?.parts, args, deep, deep.list].every(Object.isFrozen)).toBe(true);
    }
  });
});
