import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { isBase64, readContent } from './read-content.ts';

const read = (value: unknown) => readContent(value, 'content', { replacedSurrogates: 0, size: 0 }, 'model');

function refusal(value: unknown): unknown {
  try {
    read(value);
  } catch (error) {
    return error instanceof PalimpsestError ? [error.code, error.details] : error;
  }
  return 'accepted';
}

const parts = [
  { text: '中文 text' },
  { text: '' },
  { text: 'hm', thought: true, thoughtSignature: 'AQID' },
  { inlineData: { mimeType: 'image/png', data: 'AQID', displayName: 'a.png' } },
  { inlineData: { mimeType: 'image/png', data: '-_8=' } },
  { fileData: { fileUri: 'artifact:a', mimeType: 'text/plain' } },
  { functionCall: { id: 'c', name: 'f', args: { city: '北京' } }, thoughtSignature: 'AQID' },
  { functionCall: { name: 'f' } },
  { functionResponse: { id: 'c', name: 'f', response: { ok: true } } },
  { functionResponse: { name: 'f', response: [1, null, 'x'] } },
  { executableCode: { code: 'print(1)', language: 'PYTHON', id: 'x' } },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
  { extensions: { somebody: { else: 1 } } },
  {},
];

describe('readContent', () => {
  it.each(parts)('keeps the part %j', (part) => {
    const content = read({ role: 'model', parts: [part] });
    expect(content).toEqual({ role: 'model', parts: [part] });
    expect(Object.isFrozen(content.parts[0])).toBe(true);
  });

  it('takes a text for one text part', () => {
    expect(read('hi')).toEqual({ role: 'model', parts: [{ text: 'hi' }] });
  });

  it('takes bytes, also a view into more of them', () => {
    const view = new Uint8Array([0, 1, 2, 3, 0]).subarray(1, 4);
    expect(read({ parts: [{ inlineData: { mimeType: 'a/b', data: view } }] }).parts[0]?.inlineData?.data).toBe('AQID');
  });

  it('gives a missing role: the user’s side for responses, else the fallback', () => {
    expect(read({ parts: [{ functionResponse: { name: 'f' } }] }).role).toBe('user');
    expect(read({ parts: [] }).role).toBe('model');
    expect(read({ role: 'user', parts: [] }).role).toBe('user');
  });

  it.each<[string, unknown]>([
    ['', 7],
    ['', [{ text: 'x' }]],
    ['.parts', {}],
    ['.parts', { parts: 'x' }],
    ['.role', { role: 'assistant', parts: [] }],
    ['.parts[0]', { parts: ['x'] }],
    ['.parts[1]', { parts: [{ text: 'x' }, { text: 'x', functionCall: { name: 'f' } }] }],
    ['.parts[0].txt', { parts: [{ txt: 'x' }] }],
    ['.parts[0].text', { parts: [{ text: 1 }] }],
    ['.parts[0].thought', { parts: [{ text: 'x', thought: 1 }] }],
    ['.parts[0].thoughtSignature', { parts: [{ text: 'x', thoughtSignature: 'no base64!' }] }],
    ['.parts[0].inlineData.mimeType', { parts: [{ inlineData: { data: 'AQID' } }] }],
    ['.parts[0].inlineData.data', { parts: [{ inlineData: { mimeType: 'a/b', data: 'ä' } }] }],
    ['.parts[0].inlineData.data', { parts: [{ inlineData: { mimeType: 'a/b', data: [1] } }] }],
    ['.parts[0].fileData.fileUri', { parts: [{ fileData: {} }] }],
    ['.parts[0].functionCall.name', { parts: [{ functionCall: { args: {} } }] }],
    ['.parts[0].functionCall.arguments', { parts: [{ functionCall: { name: 'f', arguments: {} } }] }],
    ['.parts[0].functionResponse.name', { parts: [{ functionResponse: { response: 1 } }] }],
    ['.parts[0].executableCode.code', { parts: [{ executableCode: {} }] }],
    ['.parts[0].codeExecutionResult.outcome', { parts: [{ codeExecutionResult: {} }] }],
  ])('refuses a bad content%s', (field, value) => {
    expect(refusal(value)).toMatchObject(['INVALID_EVENT', { field: `content${field}` }]);
  });

  it('refuses values that are not JSON, naming their path', () => {
    const call = { parts: [{ functionCall: { name: 'f', args: { at: [new Date()] } } }] };
    expect(refusal(call)).toMatchObject(['NOT_JSON', { path: 'content.parts[0].functionCall.args.at[0]' }]);
    const answer = { parts: [{ functionResponse: { name: 'f', response: Number.NaN } }] };
    expect(refusal(answer)).toMatchObject(['NOT_JSON', { path: 'content.parts[0].functionResponse.response' }]);
  });
});

describe('isBase64', () => {
  it.each<[string, boolean]>([
    ['', true],
    ['AQID', true],
    ['AQ==', true],
    ['-_8', true],
    ['AQ==\n', false],
    ['A Q', false],
    ['=AQ', false],
    ['中', false],
  ])('tells %j: %s', (text, expected) => {
    expect(isBase64(text)).toBe(expected);
  });
});
