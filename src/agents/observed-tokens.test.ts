import { describe, expect, it } from 'vitest';
import { buildLog } from '../../test/logs/log-builder.ts';
import type { EventInput, JsonValue, RequestJournal, View } from '../events/index.ts';
import { observedTokens } from './observed-tokens.ts';

const view: View = { agentName: '助手', provider: 'gemini', history: 'full' };

function journalOf(tokens: JsonValue | undefined, more: Partial<View> = {}): RequestJournal {
  return {
    throughSeq: 1,
    view: { ...view, ...more },
    model: 'm',
    configHash: 'c',
    blocks: [],
    requestHash: 'r',
    rules: 1,
    prefixFingerprint: 'p',
    breaks: [],
    extensions: { stableLines: 1, ...(tokens === undefined ? {} : { tokens }) },
  };
}

const answer = (inputTokens: number | undefined, request?: RequestJournal): EventInput => ({
  author: '助手',
  content: '好',
  ...(inputTokens === undefined ? {} : { usage: { inputTokens } }),
  ...(request === undefined ? {} : { request }),
});
const observedIn = (...inputs: readonly EventInput[]) =>
  observedTokens(buildLog(inputs.map((input, index) => ({ ...input, seq: index + 1 }))), view);

describe('observedTokens', () => {
  it('finds the newest request of the agent that the provider told of', () => {
    const older = answer(90, journalOf({ unscaled: 100 }));
    expect(observedIn(older, answer(110, journalOf({ unscaled: 120 })))).toEqual({ inputTokens: 110, unscaled: 120 });
    const others = [
      answer(7, journalOf({ unscaled: 8 }, { provider: 'openai' })),
      answer(7, journalOf({ unscaled: 8 }, { agentName: 'other' })),
      answer(7),
      answer(undefined, journalOf({ unscaled: 8 })),
    ];
    expect(observedIn(older, ...others)).toEqual({ inputTokens: 90, unscaled: 100 });
    expect(observedIn(...others)).toBeUndefined();
    expect(observedIn()).toBeUndefined();
  });

  it.each([['text'], [{ unscaled: '8' }], [{ unscaled: 0 }], [{ unscaled: -3 }], [undefined], [null]])(
    'passes over what is no count: %j',
    (tokens) => {
      expect(observedIn(answer(7, journalOf(tokens)))).toBeUndefined();
    },
  );

  it('looks no further than twenty requests without usage', () => {
    const untold = Array.from({ length: 20 }, () => answer(undefined, journalOf({ unscaled: 8 })));
    const told = answer(90, journalOf({ unscaled: 100 }));
    expect(observedIn(told, ...untold.slice(1))).toBeDefined();
    expect(observedIn(told, ...untold)).toBeUndefined();
  });
});
