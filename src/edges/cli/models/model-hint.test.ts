import { expect, test } from 'vitest';
import { PalimpsestError } from '../../../errors/index.ts';
import { modelHint } from './model-hint.ts';

const failed = (reason: string, status?: number) =>
  new PalimpsestError('MODEL_FAILED', { model: 'm', reason, attempts: 1, ...(status === undefined ? {} : { status }) });

const cloud = { keyName: 'OPENAI_API_KEY' };
const local = { keyName: 'OPENAI_API_KEY', baseUrl: 'http://localhost:11434/v1' };

test.each([
  [failed('bad key', 401), cloud, /OPENAI_API_KEY/],
  [failed('no such model', 404), local, /a model of that name at http:\/\/localhost:11434\/v1/],
  [failed('slow down', 429), cloud, /quota/],
  [failed('gemma does not support tools', 400), local, /--no-tools/],
  [failed('Cannot connect to API (ECONNREFUSED)'), local, /Is the server at http:\/\/localhost:11434\/v1 running\?/],
  [failed('fetch failed (ENOTFOUND)'), cloud, /network/],
])('%s', (error, connected, hint) => {
  expect(modelHint(error, connected)).toMatch(hint);
});

test.each([failed('overloaded', 503), failed('odd'), new PalimpsestError('ABORTED', { what: 'The run' }), 'x'])(
  'nothing to add to %s',
  (error) => {
    expect(modelHint(error, cloud)).toBeUndefined();
  },
);
