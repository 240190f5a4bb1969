import { expect, test } from 'vitest';
import { connectModel } from './connect-model.ts';
import { installed, installedPackages, type ProviderPackages } from './provider-packages.ts';

const signal = new AbortController().signal;

const keys = {
  google: 'GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY',
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
} as const;

test.each(Object.entries(keys))('%s without a key: the variable is named', async (from, argument) => {
  for (const env of [{}, { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', GEMINI_API_KEY: '' }]) {
    await expect(connectModel({ from: from as keyof typeof keys, name: 'm' }, { env, signal })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { argument, reason: expect.stringContaining(`${from}:m`) },
    });
  }
});

test.each([
  [{ from: 'google', name: 'g' }, { GEMINI_API_KEY: 'k' }, 'GEMINI_API_KEY', 'gemini'],
  [
    { from: 'google', name: 'g' },
    { GOOGLE_GENERATIVE_AI_API_KEY: 'k', GEMINI_API_KEY: 'l' },
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'gemini',
  ],
  [{ from: 'anthropic', name: 'a' }, { ANTHROPIC_API_KEY: 'k' }, 'ANTHROPIC_API_KEY', 'anthropic'],
  [{ from: 'openai', name: 'o' }, { OPENAI_API_KEY: 'k' }, 'OPENAI_API_KEY', 'openai'],
  [{ from: 'server', name: '千问', baseUrl: 'http://127.0.0.1:1/v1' }, {}, 'OPENAI_API_KEY', 'openai'],
] as const)('%j is ready without a request', async (choice, env, keyName, provider) => {
  const { model, ...rest } = await connectModel(choice, { env, signal });
  expect(model).toMatchObject({ name: choice.name, provider });
  expect(rest).toMatchObject({ keyName });
});

function missing(name: string): Promise<never> {
  const error = Object.assign(new Error(`Cannot find package '${name}' imported from /somewhere/cli.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  return installed(name, () => Promise.reject(error));
}

const none: ProviderPackages = {
  google: () => missing('@ai-sdk/google'),
  anthropic: () => missing('@ai-sdk/anthropic'),
  openai: () => missing('@ai-sdk/openai-compatible'),
};

test.each([
  [{ from: 'google', name: 'm' }, '@ai-sdk/google'],
  [{ from: 'anthropic', name: 'm' }, '@ai-sdk/anthropic'],
  [{ from: 'openai', name: 'm' }, '@ai-sdk/openai-compatible'],
  [{ from: 'server', name: 'm', baseUrl: 'http://127.0.0.1:1/v1' }, '@ai-sdk/openai-compatible'],
] as const)('%j without its package: what to install', async (choice, name) => {
  const env = { GEMINI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' };
  await expect(connectModel(choice, { env, signal, packages: none })).rejects.toMatchObject({
    code: 'MISSING_PACKAGE',
    details: { package: name, install: `npm install ${name}` },
  });
});

test('a package that is broken inside is not called missing', async () => {
  const inner = Object.assign(new Error("Cannot find package 'zod' imported from /x/@ai-sdk/google/index.mjs"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  const packages = { ...installedPackages, google: () => installed('@ai-sdk/google', () => Promise.reject(inner)) };
  const connecting = connectModel({ from: 'google', name: 'm' }, { env: { GEMINI_API_KEY: 'k' }, signal, packages });
  await expect(connecting).rejects.toBe(inner);
});

test.each([
  ['ANTHROPIC_BASE_URL', 'anthropic', 'http://127.0.0.1:1', 'http://127.0.0.1:1/v1'],
  ['ANTHROPIC_BASE_URL', 'anthropic', 'http://127.0.0.1:1/v1/', 'http://127.0.0.1:1/v1'],
  ['OPENAI_BASE_URL', 'openai', 'http://127.0.0.1:1/api', 'http://127.0.0.1:1/api'],
  ['GOOGLE_GENERATIVE_AI_BASE_URL', 'google', ' http://127.0.0.1:1/v1beta ', 'http://127.0.0.1:1/v1beta'],
] as const)('%s moves %s to %s', async (variable, from, given, baseUrl) => {
  const env = { GEMINI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', [variable]: given };
  await expect(connectModel({ from, name: 'm' }, { env, signal })).resolves.toMatchObject({ baseUrl });
});

test('a base address that is none is refused by its variable', async () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'localhost' };
  await expect(connectModel({ from: 'openai', name: 'm' }, { env, signal })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { argument: 'OPENAI_BASE_URL' },
  });
});
