import { describe, expect, it } from 'vitest';
import type { Content, ModelRequest, Part, Provider } from '../../../events/index.ts';
import { validateRequest } from './validate-request.ts';

const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const model = (...parts: Part[]): Content => ({ role: 'model', parts });
const question = user({ text: 'q' });
const call = (id?: string, name = 'f'): Part => ({ functionCall: { name, ...(id === undefined ? {} : { id }) } });
const answer = (id?: string, response: Part['text'] | object = {}): Part => ({
  functionResponse: {
    name: 'f',
    response: typeof response === 'string' ? response : {},
    ...(id === undefined ? {} : { id }),
  },
});

function problems(
  provider: Provider,
  contents: readonly Content[],
  more: Partial<ModelRequest> = {},
): readonly string[] {
  return validateRequest({ instruction: [], tools: [], contents, transient: [], ...more }, provider);
}

const tool = (name: string) => ({ name, description: '' });
const all: readonly Provider[] = ['gemini', 'anthropic', 'openai'];

describe('validateRequest', () => {
  it('finds nothing wrong with an ordinary request', () => {
    const contents = [
      question,
      model({ text: 'a' }, call('c1'), call('c2')),
      user(answer('c1'), answer('c2')),
      model({ text: 'b' }),
    ];
    for (const provider of all)
      expect(problems(provider, contents, { tools: [tool('f')], instruction: ['i'] })).toEqual([]);
  });

  const wrong: readonly (readonly [what: string, providers: readonly Provider[], contents: readonly Content[]])[] = [
    ['no contents', all, []],
    ['the model first', all, [model({ text: 'a' })]],
    ['a content without parts', all, [question, user()]],
    ['an empty text', all, [user({ text: '' })]],
    ['a blank text', ['anthropic'], [user({ text: ' \n' })]],
    ['a part without data', ['gemini', 'anthropic'], [user({})]],
    ['two payloads in a part', ['gemini'], [user({ text: 'a', inlineData: { mimeType: 'a/b', data: 'aa' } })]],
    ['no bytes', ['gemini', 'anthropic'], [user({ inlineData: { mimeType: 'a/b', data: '' } })]],
    ['two user contents in a row', ['anthropic'], [question, question]],
    ['two model contents in a row', ['anthropic'], [question, model({ text: 'a' }), model({ text: 'b' })]],
    ['a call right after the model', ['gemini'], [question, model({ text: 'a' }), model(call('c')), user(answer('c'))]],
    ['a call without a response', all, [question, model(call('c'))]],
    ['a call, then talk', all, [question, model(call('c')), question]],
    ['one of two calls answered', all, [question, model(call('c1'), call('c2')), user(answer('c1'))]],
    ['a response without a call', all, [question, model({ text: 'a' }), user(answer('c'))]],
    ['a response twice', all, [question, model(call('c')), user(answer('c'), answer('c'))]],
    ['a response behind text', all, [question, model(call('c')), user({ text: 'a' }, answer('c'))]],
    ['another id in the response', all, [question, model(call('c')), user(answer('d'))]],
    ['no ids', ['anthropic', 'openai'], [question, model(call()), user(answer())]],
    ['an id with a space', ['anthropic'], [question, model(call('a b')), user(answer('a b'))]],
    ['a long id', ['openai'], [question, model(call('c'.repeat(41))), user(answer('c'.repeat(41)))]],
    [
      'an id used again',
      ['anthropic'],
      [question, model(call('c')), user(answer('c')), model(call('c')), user(answer('c'))],
    ],
    ['a call of the user', all, [user({ text: 'q' }, call('c')), user(answer('c'))]],
    ['a response of the model', all, [question, model(call('c')), model(answer('c'))]],
    ['a text as response', ['gemini'], [question, model(call('c')), user(answer('c', 'x'))]],
    ['a name with a space', all, [question, model(call('c', 'a b')), user(answer('c'))]],
    ['unsigned thinking', ['anthropic', 'openai'], [question, model({ text: 'hm', thought: true }, { text: 'a' })]],
    [
      'thinking at the end',
      ['anthropic'],
      [question, model({ text: 'a' }, { text: 'hm', thought: true, thoughtSignature: 'cw==' })],
    ],
    [
      'thinking of the user',
      ['anthropic'],
      [user({ text: 'q' }, { text: 'hm', thought: true, thoughtSignature: 'cw==' })],
    ],
  ];

  for (const [what, providers, contents] of wrong) {
    it(`finds ${what}`, () => {
      for (const provider of providers) expect(problems(provider, contents), provider).not.toEqual([]);
    });
  }

  it('finds unfit tools and instructions', () => {
    for (const provider of all) {
      expect(problems(provider, [question], { tools: [tool('a b')] })).toHaveLength(1);
      expect(problems(provider, [question], { tools: [tool('f'), tool('f')] })).toHaveLength(1);
      expect(problems(provider, [question], { instruction: [''] })).toHaveLength(1);
    }
  });
});
