import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { randomLog } from '../../../test/logs/random-log.ts';
import { type Block, type ModelRequest, modelText, type Provider, text } from '../../events/index.ts';
import { assemble } from './assemble.ts';
import { buildRequest, validateRequest } from './index.ts';

const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];

const stable = (kind: Block['kind'], value: string): Block => ({ kind, stable: true, content: text(value) });
const memory = (value: string): Block => ({ kind: 'memory', stable: false, content: text(value) });

function build(inputs: readonly LoggedInput[], provider: Provider, transient: readonly Block[] = []): ModelRequest {
  const assembly = assemble(buildLog(inputs), { agentName: 'assistant', history: 'full', provider });
  return buildRequest(
    {
      instruction: [stable('instruction', 'Answer briefly.'), stable('profile', '喜欢摄氏度')],
      tools: [
        { name: 'search', description: 's' },
        { name: 'book', description: 'b' },
      ],
      documents: [stable('document', 'the manual')],
      assembly,
      transient,
    },
    provider,
  );
}

/** Each part with its role, in order, and whether it is transient. */
function flatten({ contents, transient, transientParts }: ModelRequest) {
  return contents.flatMap(({ role, parts }, content) =>
    parts.map((part, index) => ({
      wire: `${role} ${JSON.stringify(part)}`,
      isTransient:
        transient.includes(content) ||
        (transientParts?.content === content && index >= transientParts.from && index < transientParts.to),
    })),
  );
}

const stableOnly = (request: ModelRequest) =>
  flatten(request).flatMap(({ wire, isTransient }) => (isTransient ? [] : wire));

const turn = (seq: number, author: string, content: LoggedInput['content'], invocationId = 'i1'): LoggedInput => ({
  seq,
  author,
  invocationId,
  ...(content === undefined ? {} : { content }),
});

const call = (id: string) => ({ parts: [{ functionCall: { id, name: 'search' } }] });
const answer = (id: string) => ({ parts: [{ functionResponse: { id, name: 'search', response: {} } }] });

describe('buildRequest', () => {
  it('looks at each content again where it cannot know that it keeps the rules, and comes to the same', () => {
    const blocks = fc.array(
      fc.record({
        kind: fc.constantFrom<Block['kind']>('instruction', 'document', 'example', 'memory'),
        stable: fc.boolean(),
        content: fc.constantFrom(text('说明'), text(' '), modelText('an example')),
      }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(
        randomLog,
        fc.constantFrom(...providers),
        blocks,
        blocks,
        (inputs, provider, documents, transient) => {
          const view = { agentName: 'assistant', history: 'full', provider } as const;
          const { provider: _, ...assembly } = assemble(buildLog(inputs), view);
          const parts = { instruction: [], tools: [], documents, transient };
          expect(buildRequest({ ...parts, assembly: { ...assembly, provider } }, provider)).toEqual(
            buildRequest({ ...parts, assembly }, provider),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('puts stable blocks first and sorts the tools', () => {
    const request = build([turn(1, 'user', 'q')], 'gemini', [memory('recalled')]);
    expect(request.instruction).toEqual(['Answer briefly.']);
    expect(request.tools.map(({ name }) => name)).toEqual(['book', 'search']);
    expect(request.contents.map(({ parts }) => parts[0]?.text)).toEqual(['喜欢摄氏度', 'the manual', 'q', 'recalled']);
    expect(request.transient).toEqual([3]);
  });

  it('keeps transient blocks behind the question while tools are called', () => {
    const log = [turn(1, 'user', 'q'), turn(2, 'assistant', call('c')), turn(3, 'assistant', answer('c'))];
    const openai = build(log, 'openai', [memory('recalled'), memory('')]);
    expect(openai.contents.map(({ parts }) => parts[0]?.text)).toEqual([
      '喜欢摄氏度',
      'the manual',
      'q',
      'recalled',
      undefined,
      undefined,
    ]);
    const anthropic = build(log, 'anthropic', [memory('recalled')]);
    expect(anthropic.contents[0]?.parts.map((part) => part.text)).toEqual([
      '喜欢摄氏度',
      'the manual',
      'q',
      'recalled',
    ]);
    expect(anthropic.transient).toEqual([]);
    expect(anthropic.transientParts).toEqual({ content: 0, from: 3, to: 4 });
    for (const provider of providers)
      expect(validateRequest(build(log, provider, [memory('r')]), provider)).toEqual([]);
  });

  it('places blocks that are not stable as transient ones, and media never in the instruction', () => {
    const assembly = assemble(buildLog([turn(1, 'user', 'q')]), {
      agentName: 'assistant',
      history: 'full',
      provider: 'gemini',
    });
    const date: Block = { kind: 'instruction', stable: false, content: text('Today is Monday.') };
    const image: Block = {
      kind: 'profile',
      stable: true,
      content: { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
    };
    const request = buildRequest(
      { instruction: [date, image, stable('instruction', ' ')], tools: [], assembly, transient: [] },
      'gemini',
    );
    expect(request.instruction).toEqual([]);
    expect(request.contents.map(({ parts }) => parts[0]?.text)).toEqual([undefined, 'q', 'Today is Monday.']);
    expect(request.transient).toEqual([2]);
  });

  it('opens a request that would begin with the model', () => {
    const assembly = assemble([], { agentName: 'assistant', history: 'full', provider: 'anthropic' });
    const example: Block = { kind: 'example', stable: true, content: modelText('like this') };
    const request = buildRequest(
      { instruction: [], tools: [], examples: [example], assembly, transient: [memory('m')] },
      'anthropic',
    );
    expect(request.contents.map(({ role }) => role)).toEqual(['user', 'model', 'user']);
    expect(request.transient).toEqual([2]);
  });

  it('makes the stable part of one request the beginning of the next one', () => {
    const rounds = fc.array(fc.constantFrom('tool', 'tools', 'remark', 'say'), { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(rounds, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...providers),
        (invocations, provider) => {
          const log: LoggedInput[] = [];
          let before: { request: ModelRequest; invocation: number } | undefined;
          const add = (author: string, content: LoggedInput['content'], invocation: number) =>
            log.push(turn(log.length + 1, author, content, `i${invocation}`));
          const ask = (invocation: number) => {
            const request = build(log, provider, [memory(`recalled for ${invocation}`)]);
            expect(validateRequest(request, provider)).toEqual([]);
            if (before !== undefined) {
              const old = stableOnly(before.request);
              expect(stableOnly(request).slice(0, old.length)).toEqual(old);
              const whole = flatten(before.request);
              if (before.invocation === invocation) expect(flatten(request).slice(0, whole.length)).toEqual(whole);
            }
            before = { request, invocation };
          };
          invocations.forEach((steps, invocation) => {
            add('user', `question ${invocation}`, invocation);
            ask(invocation);
            steps.forEach((step, index) => {
              const id = `c${invocation}_${index}`;
              if (step === 'remark') add('critic', 'hm', invocation);
              else if (step === 'say')
                add('assistant', { parts: [{ text: 'looking' }, ...call(id).parts] }, invocation);
              else
                add(
                  'assistant',
                  step === 'tool' ? call(id) : { parts: [...call(id).parts, ...call(`${id}b`).parts] },
                  invocation,
                );
              if (step === 'tools') add('assistant', answer(`${id}b`), invocation);
              if (step !== 'remark') add('assistant', answer(id), invocation);
              ask(invocation);
            });
            add('assistant', `answer ${invocation}`, invocation);
          });
        },
      ),
      { numRuns: 150 },
    );
  });
});
