import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ModelRequest, modelText, text } from '../../events/index.ts';
import { cacheReasons } from './cache-reason.ts';
import { cacheRulesFor } from './cache-rules.ts';
import { fingerprintPrefix, type PrefixScope } from './fingerprint-prefix.ts';
import { type GeminiCacheInput, geminiCacheDecision, type HeldPrefix } from './gemini-cache-decision.ts';
import { planOf, requestsOf, type SampleInvocation, sampleTools } from './sample-conversation.ts';

const rules = cacheRulesFor({ provider: 'gemini', model: 'gemini-2.5-flash' });
const scope: PrefixScope = { model: 'gemini-2.5-flash', backend: { vendor: 'google' } };
const now = '2026-11-30T10:00:00.000Z';
const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString();

const requestOf = (turns: number): ModelRequest => ({
  instruction: ['你是助手。'],
  tools: sampleTools,
  contents: [
    ...Array.from({ length: turns }, (_, at) => [text(`问${at}`), modelText(`答${at}`)]).flat(),
    text('现在？'),
  ],
  transient: [],
});

function held(turns: number, seconds?: number, changed: Partial<ModelRequest> = {}): HeldPrefix {
  const fingerprint = fingerprintPrefix(planOf({ ...requestOf(turns), ...changed }), scope);
  return {
    fingerprint,
    ...(seconds === undefined ? {} : { object: { name: 'cachedContents/旧', expiresAt: later(seconds) } }),
  };
}

function decide(turns: number, more: Partial<GeminiCacheInput> = {}) {
  return geminiCacheDecision({ plan: planOf(requestOf(turns)), scope, rules, uses: 1, now, ...more });
}

describe('geminiCacheDecision', () => {
  it('makes nothing in the first invocation, and tells what was seen', () => {
    const seen = fingerprintPrefix(planOf(requestOf(0)), scope);
    expect(decide(0)).toEqual({ action: 'none', reason: 'firstTurn', seen });
    expect(decide(0, { held: held(0), uses: 0 })).toEqual({ action: 'none', reason: 'firstTurn', seen });
  });

  it('makes an object in the second one, also of instruction and tools alone', () => {
    expect(decide(1, { held: held(0) })).toMatchObject({
      action: 'create',
      reason: 'seenBefore',
      contents: 2,
      ttlSeconds: 1800,
    });
    expect(decide(0, { held: held(0), options: { ttlSeconds: 60 } })).toMatchObject({
      action: 'create',
      contents: 0,
      ttlSeconds: 60,
    });
  });

  it('makes none of a prefix that is too short, of itself or for the caller', () => {
    const plan = planOf(requestOf(0), { instruction: 1000, tools: 1047 });
    expect(decide(0, { plan, held: held(0) })).toMatchObject({ action: 'none', reason: 'tooSmall' });
    expect(decide(0, { held: held(0), options: { minimumTokens: 4001 } })).toMatchObject({ reason: 'tooSmall' });
    expect(decide(0, { held: held(0), options: { minimumTokens: 4000 } })).toMatchObject({ action: 'create' });
  });

  it('uses what is held while it lasts', () => {
    expect(decide(3, { held: held(2, 31), uses: 9 })).toEqual({
      action: 'reuse',
      reason: 'held',
      name: 'cachedContents/旧',
      contents: 4,
    });
    const expired = { action: 'replace', reason: 'expired', release: 'cachedContents/旧', contents: 6 };
    expect(decide(3, { held: held(2, 30) })).toMatchObject(expired);
    expect(decide(3, { held: held(2, 100), options: { marginSeconds: 100 } })).toMatchObject(expired);
    const broken = { ...held(2), object: { name: 'cachedContents/旧', expiresAt: 'some time' } };
    expect(decide(3, { held: broken })).toMatchObject(expired);
  });

  it('replaces what was used often enough by more, and keeps it where there is no more', () => {
    const replaced = { action: 'replace', reason: 'usesSpent', release: 'cachedContents/旧', contents: 6 };
    expect(decide(3, { held: held(2, 900), uses: 10 })).toMatchObject(replaced);
    expect(decide(3, { held: held(2, 900), uses: 2, options: { mostUses: 2 } })).toMatchObject(replaced);
    expect(decide(2, { held: held(2, 900), uses: 10 })).toMatchObject({
      action: 'reuse',
      reason: 'nothingNew',
      contents: 4,
    });
  });

  it('lets go of what no longer begins the request', () => {
    const other = held(2, 900, { instruction: ['别的'] });
    const none = { action: 'none', reason: 'prefixChanged', release: 'cachedContents/旧' };
    expect(decide(3, { held: other })).toMatchObject(none);
    expect(decide(1, { held: held(2, 900) })).toMatchObject(none);
    expect(decide(3, { held: held(2, 900), scope: { ...scope, model: 'gemini-2.5-pro' } })).toMatchObject(none);
    expect(decide(3, { held: held(2, undefined, { tools: [] }), declaredBreak: true })).not.toHaveProperty('release');
  });

  it('holds the new prefix at once where a declared reason broke the old one', () => {
    const input = { held: held(2, 900, { instruction: ['别的'] }), declaredBreak: true };
    expect(decide(3, input)).toMatchObject({ action: 'replace', reason: 'declaredBreak', contents: 6 });
    expect(decide(3, { ...input, options: { minimumTokens: 99_999 } })).toMatchObject({
      reason: 'tooSmall',
      release: 'cachedContents/旧',
    });
    expect(decide(3, { held: held(2, 900), declaredBreak: true })).toMatchObject({ action: 'reuse' });
  });

  it('makes no objects for models that do not take them', () => {
    const unknown = cacheRulesFor({ provider: 'gemini', model: 'gemini-9' });
    expect(decide(1, { held: held(0), rules: unknown })).toMatchObject({ action: 'none', reason: 'unknownModel' });
    const openai = cacheRulesFor({ provider: 'openai', model: 'gpt-5.5' });
    expect(decide(1, { held: held(0), rules: openai })).toMatchObject({ action: 'none', reason: 'notSupported' });
  });
});

describe('decisions in a conversation', () => {
  const conversations = fc.array(
    fc.record<SampleInvocation>({
      parts: fc.integer({ min: 1, max: 3 }),
      recalls: fc.boolean(),
      calls: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 8 },
  );
  const gaps = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 40, maxLength: 40 });

  it('never leave a request without contents, name only what stands and begins it, and use it no more often than told', () => {
    fc.assert(
      fc.property(conversations, gaps, fc.integer({ min: 1, max: 4 }), (conversation, pauses, mostUses) => {
        const objects = new Map<string, { readonly begins: string; readonly expires: number }>();
        let [time, uses, last, made] = [0, 0, 0, 0];
        let kept: HeldPrefix | undefined;
        for (const [at, { request, invocation }] of requestsOf(conversation).entries()) {
          time += pauses[at] ?? 1;
          if (invocation !== last) uses++;
          last = invocation;
          const plan = planOf(request);
          const decision = geminiCacheDecision({
            plan,
            scope,
            rules,
            held: kept,
            uses,
            now: later(time),
            options: { mostUses },
          });
          expect(cacheReasons).toContain(decision.reason);
          if ('release' in decision && decision.release !== undefined) objects.delete(decision.release);
          if (decision.action === 'none') {
            kept = { fingerprint: decision.seen };
            continue;
          }
          expect(decision.contents).toBeLessThan(request.contents.length);
          const begins = JSON.stringify(request.contents.slice(0, decision.contents));
          if (decision.action === 'reuse') {
            expect(objects.get(decision.name)?.begins).toBe(begins);
            expect(objects.get(decision.name)?.expires).toBeGreaterThan(time + 30);
            expect(uses < mostUses || decision.reason === 'nothingNew').toBe(true);
            continue;
          }
          expect(invocation).toBeGreaterThan(0);
          const object = { name: `cachedContents/${++made}`, expiresAt: later(time + decision.ttlSeconds) };
          objects.set(object.name, { begins, expires: time + decision.ttlSeconds });
          [kept, uses] = [{ fingerprint: decision.fingerprint, object }, 0];
          expect(objects.size).toBe(1);
        }
      }),
    );
  });
});
