import { PalimpsestError } from '../errors/index.ts';
import { isPlainObject, toInstant } from '../events/index.ts';
import { geminiContents, geminiTools } from './gemini-contents.ts';
import type { CachedObject, CachedPrefix, PromptCacheClient } from './prompt-cache-client.ts';

/** Where a Gemini API is reached. */
export interface GeminiPromptCacheOptions {
  readonly apiKey: string;
  /** Default: Google's own, with the version. */
  readonly baseUrl?: string;
  /** Default: that of the platform. */
  readonly fetch?: typeof globalThis.fetch;
}

const googleUrl = 'https://generativelanguage.googleapis.com/v1beta';
const mostToldCharacters = 500;

/**
 * Makes and removes `cachedContents` of the Gemini API. Throws INVALID_ARGUMENT without a key; its calls throw
 * MODEL_FAILED. Google takes a price for keeping an object, by token and hour.
 *
 * @example
 * const palimpsest = await openPalimpsest({ cache: { client: geminiPromptCacheClient({ apiKey }) } });
 */
export function geminiPromptCacheClient(options: GeminiPromptCacheOptions): PromptCacheClient {
  const { apiKey, baseUrl = googleUrl } = options ?? {};
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'apiKey', reason: 'must be a key of the Gemini API' });
  if (!URL.canParse(baseUrl))
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'baseUrl', reason: 'is no URL' });
  return new GeminiPromptCache({ ...options, baseUrl: baseUrl.replace(/\/+$/, '') });
}

interface Sent {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  /** For errors. */
  readonly model: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

class GeminiPromptCache implements PromptCacheClient {
  readonly #options: GeminiPromptCacheOptions & { readonly baseUrl: string };

  constructor(options: GeminiPromptCacheOptions & { readonly baseUrl: string }) {
    this.#options = options;
  }

  async create(prefix: CachedPrefix, { signal }: { readonly signal?: AbortSignal } = {}): Promise<CachedObject> {
    const { model } = prefix;
    const made = await this.#send({ method: 'POST', path: 'cachedContents', model, body: bodyOf(prefix), signal });
    const { name, expireTime } = isPlainObject(made) ? made : {};
    const expires = typeof expireTime === 'string' ? Date.parse(expireTime) : Number.NaN;
    if (typeof name !== 'string' || Number.isNaN(expires)) throw failed(model, 'its answer names no object');
    return { name, expiresAt: toInstant(expires) };
  }

  async delete(name: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#send({ method: 'DELETE', path: name, model: name, signal });
  }

  async #send({ method, path, model, body, signal }: Sent): Promise<unknown> {
    const { baseUrl, apiKey, fetch = globalThis.fetch } = this.#options;
    const response = await fetch(`${baseUrl}/${path}`, {
      method,
      headers: { 'x-goog-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw failed(model, String(error), { cause: error });
    });
    const text = await response.text();
    if (response.ok) return parsed(text);
    if (method === 'DELETE' && response.status === 404) return undefined;
    throw failed(model, text.slice(0, mostToldCharacters), { status: response.status });
  }
}

function bodyOf({ model, instruction, tools, contents, ttlSeconds }: CachedPrefix): object {
  const said = geminiContents(contents);
  const declared = geminiTools(tools);
  return {
    model: model.includes('/') ? model : `models/${model}`,
    ...(instruction.length === 0 ? {} : { systemInstruction: { parts: instruction.map((text) => ({ text })) } }),
    ...(declared.length === 0 ? {} : { tools: declared }),
    ...(said.length === 0 ? {} : { contents: said }),
    ttl: `${ttlSeconds}s`,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(
  model: string,
  reason: string,
  { status, cause }: { readonly status?: number; readonly cause?: unknown } = {},
): PalimpsestError {
  const details = {
    model,
    reason: `cachedContents: ${reason}`,
    attempts: 1,
    ...(status === undefined ? {} : { status }),
  };
  return new PalimpsestError('MODEL_FAILED', details, cause === undefined ? {} : { cause });
}
