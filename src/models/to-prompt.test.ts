import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Content, type ModelRequest, type Part, type Provider, text } from '../events/index.ts';
import type { AiSdkMessage } from './ai-sdk-language-model.ts';
import { toPrompt } from './to-prompt.ts';

const requestOf = (...contents: Content[]): ModelRequest => ({ instruction: [], tools: [], contents, transient: [] });
const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const model = (...parts: Part[]): Content => ({ role: 'model', parts });
const prompt = (provider: Provider, ...contents: Content[]) => toPrompt(requestOf(...contents), provider);

/** The parts of the only message. */
function only(provider: Provider, content: Content): AiSdkMessage['content'] | undefined {
  const messages = prompt(provider, content);
  expect(messages.length).toBeLessThanOrEqual(1);
  return messages[0]?.content;
}

describe('toPrompt', () => {
  it('writes instructions, questions, calls, results and answers', () => {
    const request: ModelRequest = {
      ...requestOf(
        text('北京天气?'),
        model({ text: '看看' }, { functionCall: { id: 'c1', name: 'weather', args: { city: '北京' } } }),
        user({ functionResponse: { id: 'c1', name: 'weather', response: { sky: '晴' } } }),
        model({ text: '晴' }),
      ),
      instruction: ['Be brief.', 'Use Celsius.'],
    };
    expect(toPrompt(request, 'openai')).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Use Celsius.' },
      { role: 'user', content: [{ type: 'text', text: '北京天气?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '看看' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: '北京' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'weather',
            output: { type: 'json', value: { sky: '晴' } },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: '晴' }] },
    ]);
  });

  it('splits a content where a tool speaks, in order', () => {
    const response = { functionResponse: { id: 'c', name: 'f', response: 'x' } };
    const messages = prompt('gemini', user(response, { text: 'a' }, { text: 'b' }, response));
    expect(messages.map(({ role, content }) => [role, content.length])).toEqual([
      ['tool', 1],
      ['user', 2],
      ['tool', 1],
    ]);
    expect(messages[0]?.content).toMatchObject([{ output: { type: 'text', value: 'x' } }]);
  });

  it('gives ids by place where there are none, and none twice', () => {
    const call = (name: string, id?: string): Part => ({ functionCall: id === undefined ? { name } : { name, id } });
    const answer = (name: string, id?: string): Part => ({
      functionResponse: { name, response: {}, ...(id === undefined ? {} : { id }) },
    });
    const messages = prompt(
      'gemini',
      model(call('f', 'call-1'), call('f'), call('g'), call('f')),
      user(answer('f', 'call-1'), answer('g'), answer('f'), answer('f')),
      model(call('f')),
      user(answer('f')),
    );
    const ids = messages.map(({ content }) =>
      typeof content === 'string' ? [] : content.map((part) => 'toolCallId' in part && part.toolCallId),
    );
    expect(ids).toEqual([
      ['call-1', 'call-1_', 'call-2', 'call-3'],
      ['call-1', 'call-2', 'call-1_', 'call-3'],
      ['call-4'],
      ['call-4'],
    ]);
  });

  it('writes files as bytes or URLs, and names those that cannot be fetched', () => {
    expect(
      only(
        'gemini',
        user(
          { inlineData: { mimeType: 'image/png', data: 'AQID', displayName: '图.png' } },
          { fileData: { fileUri: 'https://example.org/a.pdf', mimeType: 'application/pdf' } },
          { fileData: { fileUri: 'artifact:r.pdf', mimeType: 'application/pdf', displayName: '报告' } },
          { fileData: { fileUri: 'https://' } },
        ),
      ),
    ).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'AQID', filename: '图.png' },
      { type: 'file', mediaType: 'application/pdf', data: new URL('https://example.org/a.pdf') },
      { type: 'text', text: '[file 报告, artifact:r.pdf, application/pdf]' },
      { type: 'text', text: '[file https://]' },
    ]);
    // Gemini's package refuses a URL on the model's side.
    expect(only('gemini', model({ fileData: { fileUri: 'https://example.org/a' } }))).toMatchObject([{ type: 'text' }]);
  });

  it('writes code and what it gave as text', () => {
    const parts = [
      { executableCode: { code: 'print(1)', language: 'PYTHON' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
    ];
    expect(only('openai', model(...parts))).toEqual([
      { type: 'text', text: '```python\nprint(1)\n```' },
      { type: 'text', text: '[OUTCOME_OK]\n1' },
    ]);
  });

  it('says nothing for parts that say nothing', () => {
    expect(prompt('openai', model({}, { text: '' }, { extensions: { somebody: 1 } }))).toEqual([]);
  });
});

describe('what a provider signed', () => {
  const signed = (provider: string, field: string, part: Part): Part => ({
    ...part,
    thoughtSignature: 'c2ln',
    extensions: { aiSdk: { signedBy: { provider, field }, providerOptions: { [provider]: { kept: 1 } } } },
  });
  const thought = { text: '嗯', thought: true };

  it.each<[Provider, string, string]>([
    ['anthropic', 'anthropic', 'signature'],
    ['anthropic', 'anthropic', 'redactedData'],
    ['anthropic', 'bedrock', 'signature'],
    ['gemini', 'google', 'thoughtSignature'],
    ['gemini', 'vertex', 'thoughtSignature'],
    ['openai', 'openai', 'reasoningEncryptedContent'],
  ])('goes back to %s under %s.%s', (provider, name, field) => {
    const providerOptions = { [name]: { [field]: 'c2ln', kept: 1 } };
    expect(only(provider, model(signed(name, field, thought)))).toEqual([
      { type: 'reasoning', text: '嗯', providerOptions },
    ]);
  });

  it('goes to no other: its thoughts are left out, its calls go without', () => {
    const call = { functionCall: { id: 'c', name: 'f', args: {} } };
    const google = [signed('google', 'thoughtSignature', thought), signed('google', 'thoughtSignature', call)];
    for (const provider of ['anthropic', 'openai'] as const) {
      const input = { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} };
      expect(only(provider, model(...google))).toEqual([input]);
    }
    expect(only('gemini', model(signed('anthropic', 'redactedData', { text: '', thought: true })))).toBeUndefined();
  });

  it('goes to any that signs, if nobody knows whose it is', () => {
    const part = { ...thought, thoughtSignature: 'c2ln' };
    expect(only('anthropic', model(part))).toMatchObject([{ providerOptions: { anthropic: { signature: 'c2ln' } } }]);
    expect(only('gemini', model(part))).toMatchObject([{ providerOptions: { google: { thoughtSignature: 'c2ln' } } }]);
    expect(only('openai', model(part))).toEqual([{ type: 'reasoning', text: '嗯' }]);
  });

  it('goes back to Gemini behind an OpenAI-shaped server under the name that is read there', () => {
    const call = signed('my-gemini', 'thoughtSignature', { functionCall: { id: 'c', name: 'f' } });
    expect(only('openai', model(call))).toMatchObject([
      { providerOptions: { google: { thoughtSignature: 'c2ln' }, 'my-gemini': { thoughtSignature: 'c2ln' } } },
    ]);
  });

  it('survives extensions of any shape', () => {
    for (const aiSdk of [
      null,
      7,
      [],
      { signedBy: 7 },
      { signedBy: {}, providerOptions: 'x', output: [], messageOptions: 1 },
    ]) {
      expect(only('gemini', model({ text: 'a', thoughtSignature: 'c2ln', extensions: { aiSdk } }))).toEqual([
        { type: 'text', text: 'a', providerOptions: { google: { thoughtSignature: 'c2ln' } } },
      ]);
    }
  });
});

const name = fc.constantFrom('f', 'g');
const id = fc.constantFrom(undefined, 'a', 'call-1', 'call-2');
const withId = (given: string | undefined) => (given === undefined ? {} : { id: given });
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ text: fc.constantFrom('a', '好', '') }),
  fc.record({ text: fc.constantFrom('想'), thought: fc.constant(true) }),
  fc.tuple(name, id).map(([tool, given]) => ({ functionCall: { name: tool, ...withId(given) } })),
  fc.tuple(name, id).map(([tool, given]) => ({ functionResponse: { name: tool, response: 'x', ...withId(given) } })),
  fc.constant({ fileData: { fileUri: 'https://example.org/a' } }),
);
const content: fc.Arbitrary<Content> = fc.record({
  role: fc.constantFrom('user', 'model'),
  parts: fc.array(part, { maxLength: 5 }),
});
const provider = fc.constantFrom<Provider>('gemini', 'anthropic', 'openai');

describe('a prompt', () => {
  it('is the same each time, and longer conversations begin with shorter ones', () => {
    fc.assert(
      fc.property(fc.array(content, { maxLength: 6 }), fc.nat(6), provider, (contents, length, whose) => {
        const whole = prompt(whose, ...contents);
        const start = prompt(whose, ...contents.slice(0, length));
        expect(JSON.stringify(whole)).toBe(JSON.stringify(prompt(whose, ...contents)));
        expect(JSON.stringify(whole.slice(0, start.length))).toBe(JSON.stringify(start));
      }),
    );
  });
});
