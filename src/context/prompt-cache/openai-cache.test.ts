import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../events/index.ts';
import type { Breakpoint, BreakpointInput } from './breakpoint.ts';
import { cacheRulesFor } from './cache-rules.ts';
import { openAiBreakpoints, openAiCacheKey } from './openai-cache.ts';
import { planOf, requestsOf, type SampleInvocation } from './sample-conversation.ts';

const rules = cacheRulesFor({ provider: 'openai', model: 'gpt-5.6' });
const session = { appName: '天气', userId: 'u1', sessionId: 's1' };

function decide(request: ModelRequest, more: Partial<BreakpointInput> = {}) {
  return openAiBreakpoints({ plan: planOf(request), request, rules, ...more });
}

/** What such a provider does: it keeps what stands up to the last three marks and to the end, and looks up marks only. */
class OpenAiServer {
  readonly #kept = new Set<string>();

  send(request: ModelRequest, marks: readonly Breakpoint[]): string {
    const prefixes = marks.map((mark) => prefixOf(request, mark));
    const found = prefixes.slice(-80).findLast((prefix) => this.#kept.has(prefix)) ?? '';
    for (const prefix of prefixes.slice(-3)) this.#kept.add(prefix);
    return found;
  }
}

function prefixOf({ contents }: ModelRequest, mark: Breakpoint): string {
  if (mark.at !== 'content') return '[';
  const last = contents[mark.content];
  return JSON.stringify([
    ...contents.slice(0, mark.content),
    { ...last, parts: last?.parts.slice(0, mark.part + 1) },
  ]).slice(0, -3);
}

const invocation: SampleInvocation = { parts: 2, recalls: true, calls: [2] };

describe('openAiCacheKey', () => {
  it('is short, says nothing of whose it is, and is the same for a session and agent', () => {
    const key = openAiCacheKey({ session, agentName: '助手' });
    expect(key).toMatch(/^[0-9a-f]{40}$/);
    expect(openAiCacheKey({ session: { ...session }, agentName: '助手', purpose: 'answer' })).toBe(key);
  });

  it('is another one for another session, agent or purpose', () => {
    const scopes = fc.record({
      session: fc.record({ appName: fc.string(), userId: fc.string(), sessionId: fc.string() }),
      agentName: fc.string(),
      purpose: fc.string(),
    });
    fc.assert(
      fc.property(scopes, scopes, (a, b) => {
        const areSame = JSON.stringify(a) === JSON.stringify(b);
        expect(openAiCacheKey(a) === openAiCacheKey(b)).toBe(areSame);
      }),
    );
    const keys = ['s', 'sx'].flatMap((sessionId) =>
      ['xa', 'a'].map((agentName) => openAiCacheKey({ session: { ...session, sessionId }, agentName })),
    );
    expect(new Set(keys).size).toBe(4);
  });
});

describe('openAiBreakpoints', () => {
  it('leaves models without marks alone, and unknown ones', () => {
    const [{ request } = { request: undefined }] = requestsOf([invocation]);
    if (request === undefined) return expect.unreachable();
    const of = (model: string) => decide(request, { rules: cacheRulesFor({ provider: 'openai', model }) });
    expect(of('gpt-5.5')).toEqual({ reason: 'automatic', breakpoints: [] });
    expect(of('qwen3-max')).toEqual({ reason: 'unknownModel', breakpoints: [] });
    expect(decide(request, { plan: planOf(request, { tools: 100, instruction: 100 }) }).reason).toBe('tooSmall');
  });

  it('marks the instruction and the ends of what the user side said, up to the transient', () => {
    const request = requestsOf([invocation, invocation], { joins: false }).at(-1)?.request;
    if (request === undefined) return expect.unreachable();
    const head = { at: 'instruction', ttlSeconds: 1800 };
    const lasting = [head, { content: 0, part: 1 }, { content: 2, part: 1 }, { content: 4, part: 1 }];
    expect(decide(request).breakpoints).toMatchObject(lasting);
    expect(decide(request).breakpoints).toHaveLength(4);
    const steps = [
      { content: 5, part: 0, invocationOnly: true },
      { content: 7, part: 1, invocationOnly: true },
    ];
    expect(decide(request, { moreSteps: true }).breakpoints).toMatchObject([...lasting, ...steps]);
  });

  it('marks as many places as are looked up, and no more', () => {
    const long = requestsOf(Array.from({ length: 100 }, () => ({ parts: 1, recalls: false, calls: [] }))).at(
      -1,
    )?.request;
    if (long === undefined) return expect.unreachable();
    const { breakpoints } = decide(long);
    expect(breakpoints).toHaveLength(80);
    expect(breakpoints.at(-1)).toMatchObject({ content: 198 });
  });

  it('lets each request of a conversation find what the one before had and this one has too', () => {
    const conversations = fc.array(
      fc.record<SampleInvocation>({
        parts: fc.integer({ min: 1, max: 3 }),
        recalls: fc.boolean(),
        calls: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 6 }),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(conversations, fc.boolean(), fc.boolean(), (conversation, joins, moreSteps) => {
        const server = new OpenAiServer();
        let before: { readonly prefixes: readonly string[]; readonly invocation: number } | undefined;
        for (const { request, invocation: at } of requestsOf(conversation, { joins })) {
          const { breakpoints } = decide(request, { moreSteps });
          const found = server.send(request, breakpoints);
          if (before !== undefined)
            expect(found.length).toBeGreaterThanOrEqual(
              before.prefixes.at(at === before.invocation ? -1 : 0)?.length ?? 0,
            );
          const lasting = breakpoints.filter((mark) => !('invocationOnly' in mark));
          const ends = [lasting.at(-1), breakpoints.at(-1)];
          before = { prefixes: ends.map((mark) => (mark ? prefixOf(request, mark) : '')), invocation: at };
        }
      }),
    );
  });
});
