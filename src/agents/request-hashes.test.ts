import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SettledFold } from '../context/assembly/index.ts';
import type { Content, ModelRequest } from '../events/index.ts';
import { canonicalJson, sha256 } from '../internal/index.ts';
import { hashRequest, type RequestLines } from './request-hashes.ts';

/** The same by the definition, over all contents at once. */
function hashesOf(request: ModelRequest, model: string) {
  const json = (value: unknown) => sha256(canonicalJson(value));
  const head = [json(request.instruction), json(request.tools)];
  const ofContent = ({ role, parts }: Content) => sha256([role, ...parts.map(json)].join('\n'));
  const lines: string[] = [];
  let before: string | undefined;
  for (const [index, { role, parts }] of request.contents.entries()) {
    if (request.transient.includes(index)) continue;
    const span = request.transientParts?.content === index ? request.transientParts : undefined;
    for (const [at, part] of parts.entries()) {
      if (span !== undefined && at >= span.from && at < span.to) continue;
      lines.push(...(role === before ? [] : [role]), json(part));
      before = role;
    }
  }
  const prefixOf = (count: number) => sha256([model, ...head, ...lines.slice(0, count)].join('\n'));
  return { request: sha256([...head, ...request.contents.map(ofContent)].join('\n')), lines, prefixOf };
}

const part = fc.constantFrom('好', 'b', 'c').map((text) => Object.freeze({ text }));
const content: fc.Arbitrary<Content> = fc.record({
  role: fc.constantFrom('user', 'model'),
  parts: fc.array(part, { minLength: 1, maxLength: 3 }),
});
const request: fc.Arbitrary<ModelRequest> = fc
  .record({
    instruction: fc.constantFrom(['Be brief.'], []),
    contents: fc.array(content, { maxLength: 6 }),
    transient: fc.nat(12),
    within: fc.option(fc.nat(12), { nil: undefined }),
  })
  .map(({ instruction, contents, transient, within }) => {
    const shared = within === undefined ? undefined : contents[within];
    return {
      instruction,
      tools: [],
      contents,
      transient: transient < contents.length && transient !== within ? [transient] : [],
      ...(shared && within !== undefined
        ? { transientParts: { content: within, from: 0, to: Math.min(2, shared.parts.length - 1) } }
        : {}),
    };
  });

describe('hashRequest', () => {
  it('gives what the definition gives, whatever was hashed before', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(request, fc.nat(8)), { maxLength: 6 }), (requests) => {
        const fold = new SettledFold<RequestLines>();
        for (const [given, linesAsked] of requests) {
          const wanted = hashesOf(given, 'm');
          expect(hashRequest(given, { model: 'm', linesAsked }, fold)).toEqual({
            request: wanted.request,
            prefix: wanted.prefixOf(wanted.lines.length),
            stableLines: wanted.lines.length,
            prefixAsked: linesAsked > wanted.lines.length ? undefined : wanted.prefixOf(linesAsked),
          });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same for a conversation that grows, content by content', () => {
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 12 }), fc.boolean(), (contents, isChanged) => {
        const fold = new SettledFold<RequestLines>();
        let asked = 0;
        for (let length = 1; length <= contents.length; length++) {
          const instruction = isChanged && length > 4 ? ['Answer in Chinese.'] : ['请简短。'];
          const given = { instruction, tools: [], contents: contents.slice(0, length), transient: [] };
          const wanted = hashesOf(given, 'm');
          const hashes = hashRequest(given, { model: 'm', linesAsked: asked }, fold);
          expect(hashes).toMatchObject({ request: wanted.request, prefixAsked: wanted.prefixOf(asked) });
          asked = hashes.stableLines;
        }
      }),
    );
  });
});
