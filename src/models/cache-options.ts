import type { ModelRequest, Provider } from '../events/index.ts';
import type { AiSdkProviderOptions } from './ai-sdk-language-model.ts';
import type { CacheDirections, CacheMark, ModelCall } from './language-model.ts';
import type { PromptCaching } from './to-prompt.ts';

/** Who is told: whose rules hold, and how options reach the wire. */
export interface CachingModel {
  readonly provider: Provider;
  /** As the AI SDK names it, such as `openai.chat`. */
  readonly vendor: string;
  /** Options go into the body under the names that they are given, as `@ai-sdk/openai-compatible` has it. */
  readonly sendsOptionsAsGiven: boolean;
  /** OpenAI itself is asked, which takes marks. */
  readonly takesMarks: boolean;
}

/** What caching changes in a call. */
export interface CallCaching {
  readonly prompt: PromptCaching;
  /** What goes with the last tool. */
  readonly lastTool?: AiSdkProviderOptions | undefined;
  /** The provider holds the tools: they are left out. */
  readonly holdsTools?: true;
  /** What goes with the whole call. */
  readonly options?: AiSdkProviderOptions;
}

/** Anthropic refuses a request with more marks. */
const mostMarks = 4;
const longSeconds = 3600;
const unchanged: CallCaching = Object.freeze({ prompt: Object.freeze({}) });

/**
 * Directions for a provider's cache, in the words of its AI SDK package. What the caller's own provider options say about
 * caching goes before.
 */
export function callCaching(call: ModelCall, model: CachingModel): CallCaching {
  const { cache, request } = call;
  if (cache === undefined) return unchanged;
  const { breakpoints: marks = [], cacheKey } = cache;
  const given = call.settings?.providerOptions ?? {};
  switch (model.provider) {
    case 'anthropic':
      return given.anthropic?.cacheControl === undefined ? marked(marks.slice(0, mostMarks), control) : unchanged;
    case 'openai': {
      const takesMarks = model.takesMarks && given.openai?.promptCacheOptions === undefined;
      return { ...marked(takesMarks ? marks.filter(isNotOnTools) : [], explicit), ...keyed(cacheKey, model) };
    }
    case 'gemini':
      return given.google?.cachedContent === undefined && isFreeOfChoice(call) ? held(cache, request) : unchanged;
  }
}

function marked(marks: readonly CacheMark[], optionsOf: (mark: CacheMark) => AiSdkProviderOptions): CallCaching {
  const options = new Map(marks.map((mark) => [nameOf(mark), optionsOf(mark)]));
  return {
    prompt: {
      instruction: options.get('instruction'),
      part: (content, part) => options.get(`${content}.${part}`),
    },
    lastTool: options.get('tools'),
  };
}

function isNotOnTools({ at }: CacheMark): boolean {
  return at !== 'tools';
}

function nameOf(mark: CacheMark): string {
  return mark.at === 'content' ? `${mark.content}.${mark.part}` : mark.at;
}

function control({ ttlSeconds }: CacheMark): AiSdkProviderOptions {
  const ttl = ttlSeconds >= longSeconds ? { ttl: '1h' } : {};
  return { anthropic: { cacheControl: { type: 'ephemeral', ...ttl } } };
}

/** Without a time: what is kept for longer than the shortest one has a price that no row tells. */
function explicit(): AiSdkProviderOptions {
  return { openai: { promptCacheBreakpoint: { mode: 'explicit' } } };
}

function keyed(
  cacheKey: string | undefined,
  { vendor, sendsOptionsAsGiven }: CachingModel,
): Pick<CallCaching, 'options'> {
  if (cacheKey === undefined) return {};
  const [name = ''] = vendor.split('.');
  return {
    options: sendsOptionsAsGiven
      ? { [name.trim()]: { prompt_cache_key: cacheKey } }
      : { openai: { promptCacheKey: cacheKey } },
  };
}

function held({ cachedContent }: CacheDirections, { contents }: ModelRequest): CallCaching {
  if (cachedContent === undefined || cachedContent.contents >= contents.length) return unchanged;
  return {
    prompt: { heldContents: cachedContent.contents },
    holdsTools: true,
    options: { google: { cachedContent: cachedContent.name } },
  };
}

/** Gemini takes no choice of tools beside an object that holds them. */
function isFreeOfChoice({ settings }: ModelCall): boolean {
  return settings?.toolChoice === undefined || settings.toolChoice === 'auto';
}
