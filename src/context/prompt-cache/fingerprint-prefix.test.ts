import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ModelRequest, modelText, text } from '../../events/index.ts';
import { canonicalJson, sha256 } from '../../internal/index.ts';
import { fingerprintPrefix, isExtensionOf, type PrefixScope } from './fingerprint-prefix.ts';
import { planOf, requestsOf, sampleTools } from './sample-conversation.ts';

const request: ModelRequest = {
  instruction: ['你是助手。'],
  tools: sampleTools,
  contents: [text('你好'), modelText('您好'), text('天气？')],
  transient: [],
};
const scope: PrefixScope = { model: 'gemini-2.5-flash', backend: { vendor: 'google', project: '项目' } };
const hashOf = (changed: Partial<ModelRequest> = {}, in_: PrefixScope = scope) =>
  fingerprintPrefix(planOf({ ...request, ...changed }), in_).hash;

describe('fingerprintPrefix', () => {
  it('is SHA-256 over one line for scope, instruction and tools each, and one for each content', () => {
    const lines = [
      { model: scope.model, backend: scope.backend, config: {} },
      request.instruction,
      [sampleTools[1], sampleTools[0]],
      ...request.contents.slice(0, 2),
    ];
    expect(fingerprintPrefix(planOf(request), scope)).toEqual({
      hash: sha256(lines.map((line) => canonicalJson(line)).join('\n')),
      contents: 2,
    });
  });

  it('knows no order of tools, nor of members', () => {
    const [weather, clock] = sampleTools;
    const parameters = { properties: {}, type: 'object' };
    expect(hashOf({ tools: [clock, { parameters, description: '天气', name: 'weather' }] as typeof sampleTools })).toBe(
      hashOf({ tools: [weather, clock] as typeof sampleTools }),
    );
    expect(hashOf({}, { backend: { project: '项目', vendor: 'google' }, model: scope.model })).toBe(hashOf());
  });

  it('is another one for anything that begins the request otherwise, or is cached elsewhere', () => {
    const hashes = [
      hashOf(),
      hashOf({ instruction: ['你是助手'] }),
      hashOf({ tools: [] }),
      hashOf({ contents: [text('你好！'), ...request.contents.slice(1)] }),
      hashOf({}, { ...scope, model: 'gemini-2.5-pro' }),
      hashOf({}, { ...scope, backend: { vendor: 'google', project: 'other' } }),
      hashOf({}, { ...scope, backend: { ...scope.backend, baseUrl: 'https://proxy.example' } }),
      hashOf({}, { ...scope, backend: { ...scope.backend, location: 'europe-west4' } }),
      hashOf({}, { ...scope, config: { toolChoice: 'none' } }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not see what stands behind the prefix', () => {
    expect(hashOf({ contents: [...request.contents.slice(0, 2), text('别的')] })).toBe(hashOf());
  });

  it('takes lines that are known already for contents', () => {
    const plan = planOf(request);
    const lineOf = (content: object) => canonicalJson(content);
    expect(fingerprintPrefix(plan, scope, lineOf)).toEqual(fingerprintPrefix(plan, scope));
    expect(fingerprintPrefix(plan, scope, () => 'x').hash).not.toBe(hashOf());
  });
});

describe('isExtensionOf', () => {
  const conversation = fc.array(
    fc.record({
      parts: fc.integer({ min: 1, max: 2 }),
      recalls: fc.boolean(),
      calls: fc.array(fc.constant(1), { maxLength: 2 }),
    }),
    { minLength: 2, maxLength: 4 },
  );

  it('holds from each request of a conversation to each later one, and to none before with less', () => {
    fc.assert(
      fc.property(conversation, fc.boolean(), (invocations, joins) => {
        const plans = requestsOf(invocations, { joins }).map(({ request }) => planOf(request));
        for (const [at, plan] of plans.entries()) {
          for (const [olderAt, olderPlan] of plans.entries()) {
            const older = fingerprintPrefix(olderPlan, scope);
            const expected = olderAt <= at || older.contents === plan.contents.length;
            expect(isExtensionOf({ plan, scope }, older)).toBe(expected);
          }
        }
      }),
    );
  });

  it('holds no more once a content that was there is different, or the model is', () => {
    const older = fingerprintPrefix(planOf(request), scope);
    const longer = { ...request, contents: [...request.contents, modelText('晴'), text('谢谢')] };
    expect(isExtensionOf({ plan: planOf(longer), scope }, older)).toBe(true);
    expect(isExtensionOf({ plan: planOf(longer), scope: { ...scope, model: 'gemini-3-flash' } }, older)).toBe(false);
    const summarised = { ...longer, contents: [text('[摘要]'), ...longer.contents.slice(1)] };
    expect(isExtensionOf({ plan: planOf(summarised), scope }, older)).toBe(false);
  });
});
