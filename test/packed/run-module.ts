import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WireServer } from '../wire-server/index.ts';

/** What a program left behind. */
export interface RanModule {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Sends what is meant for the services to the local server, whatever address the program has for them. */
const redirect = `
const places = { 'generativelanguage.googleapis.com': 'gemini', 'api.anthropic.com': 'anthropic', 'api.openai.com': 'openai' };
const wire = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const { hostname, pathname, search } = new URL(String(input));
  const place = places[hostname];
  if (place === undefined) throw new TypeError('nothing is served at ' + hostname);
  return wire(process.env.WIRE_SERVER + '/' + place + pathname + search, init);
};
`;

/** Runs a module as it stands, with keys in its environment and a local server in the place of the model services. */
export async function runModule(file: string, server: WireServer): Promise<RanModule> {
  const loader = join(dirname(file), 'redirect.mjs');
  writeFileSync(loader, redirect);
  const keys = { GOOGLE_GENERATIVE_AI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' };
  const child = spawn(process.execPath, ['--import', loader, file], {
    cwd: dirname(file),
    env: { ...process.env, ...keys, WIRE_SERVER: server.url },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status, stdout, stderr };
}
