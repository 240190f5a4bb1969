import { PalimpsestError } from '../../errors/index.ts';
import type { Provider } from '../../events/index.ts';

/** A provider whose models are named as `provider:model`. */
export type NamedProvider = 'google' | 'openai' | 'anthropic';

/** Which model is meant: one of a provider, or one of a server that speaks the chat API of OpenAI. */
export type ModelChoice =
  | { readonly from: NamedProvider; readonly name: string }
  | { readonly from: 'server'; readonly baseUrl: string; readonly name?: string };

const namedProviders: ReadonlySet<string> = new Set<NamedProvider>(['google', 'openai', 'anthropic']);

/** What can be given for `--model`, as told to a person. */
export const modelForms = 'google:<name>, openai:<name>, anthropic:<name> or http://host:port/v1[#name]';

/** Reads what stands for `--model`. Throws INVALID_ARGUMENT that lists the forms. */
export function parseModelChoice(text: string): ModelChoice {
  if (/^https?:\/\//i.test(text)) return serverChoice(text);
  const [from = '', ...rest] = text.split(':');
  // Names such as `llama3:8b` have colons of their own.
  const name = rest.join(':').trim();
  if (!isNamedProvider(from) || name === '') throw refused(text);
  return { from, name };
}

/** Whose rules the requests to a model keep. */
export function providerOfChoice({ from }: ModelChoice): Provider {
  return from === 'google' ? 'gemini' : from === 'anthropic' ? 'anthropic' : 'openai';
}

function serverChoice(text: string): ModelChoice {
  if (!URL.canParse(text)) throw refused(text);
  const { origin, pathname, hash, username, password } = new URL(text);
  if (username !== '' || password !== '')
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: '--model',
      reason: 'may not hold a user or a password; a key is read from OPENAI_API_KEY',
    });
  const path = pathname.replace(/\/+$/, '');
  const baseUrl = `${origin}${path === '' ? '/v1' : path}`;
  const name = nameIn(hash, text);
  return name === '' ? { from: 'server', baseUrl } : { from: 'server', baseUrl, name };
}

function nameIn(hash: string, text: string): string {
  try {
    return decodeURIComponent(hash.slice(1)).trim();
  } catch {
    throw refused(text);
  }
}

function isNamedProvider(text: string): text is NamedProvider {
  return namedProviders.has(text);
}

function refused(text: string): PalimpsestError {
  const reason = `must be ${modelForms}, not ${JSON.stringify(text)}`;
  return new PalimpsestError('INVALID_ARGUMENT', { argument: '--model', reason });
}
