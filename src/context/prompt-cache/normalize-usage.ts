import { isPlainObject, type Usage } from '../../events/index.ts';

/**
 * How a provider reports usage: with what was read from a cache and written to it beside the other input (`anthropic`), or
 * within it, writes told (`openaiWithWrites`, from GPT-5.6 on) or not (`openai`, `gemini`).
 */
export type UsageConvention = 'anthropic' | 'openai' | 'openaiWithWrites' | 'gemini';

/** Figures of one call; absent: not told. */
interface Figures {
  /** The whole prompt. */
  readonly input: number | undefined;
  readonly read: number | undefined;
  readonly written: number | undefined;
  /** Of what was written: what is kept longer. */
  readonly writtenLong: number | undefined;
  /** Reasoning included. */
  readonly output: number | undefined;
  readonly reasoning: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const readers: Readonly<Record<UsageConvention, (raw: Fields) => Figures>> = {
  anthropic: readAnthropic,
  openai: (raw) => ({ ...readOpenAi(raw), written: undefined, writtenLong: undefined }),
  openaiWithWrites: readOpenAi,
  gemini: readGemini,
};

/**
 * A provider's own record of usage as the log keeps it: `inputTokens` is the whole prompt whatever the convention.
 * Figures that are missing or no counts are left out; a prompt is never less than its cached parts. `undefined` if
 * nothing is told.
 */
export function normalizeUsage(raw: unknown, convention: UsageConvention): Usage | undefined {
  if (!isPlainObject(raw)) return undefined;
  const figures = readers[convention](raw);
  const written = atLeast(figures.written, figures.writtenLong);
  const inputTokens = atLeast(figures.input, sum(figures.read, written));
  const outputTokens = atLeast(figures.output, figures.reasoning);
  const counts = Object.entries({
    inputTokens,
    outputTokens,
    cacheReadTokens: figures.read,
    cacheWriteTokens: written,
    cacheWriteLongTokens: figures.writtenLong,
    reasoningTokens: figures.reasoning,
    totalTokens: inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens,
  }).filter(([, value]) => value !== undefined);
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

/** How many of the tokens that a call wrote to the cache are kept longer: an hour by Anthropic, twelve by OpenAI. */
export function longWriteTokensOf(raw: unknown): number {
  if (!isPlainObject(raw)) return 0;
  return readAnthropic(raw).writtenLong ?? readOpenAi(raw).writtenLong ?? 0;
}

function readAnthropic(raw: Fields): Figures {
  const read = countAt(raw, 'cache_read_input_tokens');
  const written = countAt(raw, 'cache_creation_input_tokens');
  const writtenLong = countAt(fieldsAt(raw, 'cache_creation'), 'ephemeral_1h_input_tokens');
  const input = sum(countAt(raw, 'input_tokens'), sum(read, written));
  return { input, read, written, writtenLong, output: countAt(raw, 'output_tokens'), reasoning: undefined };
}

/** Of chat completions as well as of responses. */
function readOpenAi(raw: Fields): Figures {
  const given = fieldsAt(raw, 'input_tokens_details') ?? fieldsAt(raw, 'prompt_tokens_details');
  const made = fieldsAt(raw, 'output_tokens_details') ?? fieldsAt(raw, 'completion_tokens_details');
  return {
    input: countAt(raw, 'input_tokens') ?? countAt(raw, 'prompt_tokens'),
    read: countAt(given, 'cached_tokens'),
    written: countAt(given, 'cache_write_tokens'),
    writtenLong: countAt(fieldsAt(given, 'cache_write_tokens_details'), 'ttl_12h_tokens'),
    output: countAt(raw, 'output_tokens') ?? countAt(raw, 'completion_tokens'),
    reasoning: countAt(made, 'reasoning_tokens'),
  };
}

/** What the provider's own tools gave the model is input beside the prompt; thoughts are output beside the answer. */
function readGemini(raw: Fields): Figures {
  const reasoning = countAt(raw, 'thoughtsTokenCount');
  return {
    input: sum(countAt(raw, 'promptTokenCount'), countAt(raw, 'toolUsePromptTokenCount')),
    read: countAt(raw, 'cachedContentTokenCount'),
    written: undefined,
    writtenLong: undefined,
    output: sum(countAt(raw, 'candidatesTokenCount'), reasoning),
    reasoning,
  };
}

function fieldsAt(raw: Fields | undefined, name: string): Fields | undefined {
  const value = raw?.[name];
  return isPlainObject(value) ? value : undefined;
}

function countAt(raw: Fields | undefined, name: string): number | undefined {
  const value = raw?.[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

function atLeast(value: number | undefined, part: number | undefined): number | undefined {
  return part === undefined ? value : Math.max(value ?? 0, part);
}
