import { expect, test } from 'vitest';
import { isPalimpsestError } from '../../errors/index.ts';
import { parseModelChoice, providerOfChoice } from './model-choice.ts';

test.each([
  ['google:gemini-2.5-flash', { from: 'google', name: 'gemini-2.5-flash' }, 'gemini'],
  ['openai:gpt-5-mini', { from: 'openai', name: 'gpt-5-mini' }, 'openai'],
  ['anthropic:claude-sonnet-4-5', { from: 'anthropic', name: 'claude-sonnet-4-5' }, 'anthropic'],
  ['openai:ft:gpt-4o:acme', { from: 'openai', name: 'ft:gpt-4o:acme' }, 'openai'],
  ['http://localhost:11434/v1', { from: 'server', baseUrl: 'http://localhost:11434/v1' }, 'openai'],
  ['http://localhost:11434', { from: 'server', baseUrl: 'http://localhost:11434/v1' }, 'openai'],
  [
    'https://models.example/api/v1/#qwen3:8b',
    { from: 'server', baseUrl: 'https://models.example/api/v1', name: 'qwen3:8b' },
    'openai',
  ],
  [
    'HTTP://[::1]:8080/v1#%E5%8D%83%E9%97%AE',
    { from: 'server', baseUrl: 'http://[::1]:8080/v1', name: '千问' },
    'openai',
  ],
] as const)('%s', (text, choice, provider) => {
  expect(parseModelChoice(text)).toEqual(choice);
  expect(providerOfChoice(parseModelChoice(text))).toBe(provider);
});

test.each([
  '',
  'gpt-5',
  'google',
  'google:',
  'openai: ',
  'acme:model',
  'ftp://host/v1',
  'http://',
  'http://h/v1#%',
  '千问',
])('%j is refused with the forms there are', (text) => {
  try {
    parseModelChoice(text);
    expect.unreachable();
  } catch (error) {
    expect(isPalimpsestError(error, 'INVALID_ARGUMENT') && error.details).toMatchObject({ argument: '--model' });
    expect(String(error)).toContain('google:<name>, openai:<name>, anthropic:<name> or http://host:port/v1[#name]');
  }
});

test('a password in an address is refused, and not repeated', () => {
  expect(() => parseModelChoice('http://me:geheim@host/v1')).toThrow('OPENAI_API_KEY');
  expect(() => parseModelChoice('http://me:geheim@host/v1')).not.toThrow('geheim');
});
