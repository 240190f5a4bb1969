import type { Provider } from '../../events/index.ts';

/**
 * What a chat request costs besides its texts, in tokens, as of 2026-11-30. A message is three marks and its role, and
 * three begin the answer: so the chat encoding of gpt-tokenizer 4.0.0 writes them, and so OpenAI's guide to counting
 * tokens counts them. A call is three more than its name and arguments: `countChatCompletionTokens` of the same package.
 * Providers that say nothing of the kind are counted alike; what they report corrects it.
 */
export const messageConstants = Object.freeze({ message: 4, reply: 3, call: 3 });

/**
 * What tool declarations cost besides their texts, as of 2026-11-30, from OpenAI's guide for the models that use
 * o200k_base: each tool, its list of parameters, each parameter, a list of allowed values and each of these, and once
 * for all tools.
 */
export const toolConstants = Object.freeze({
  tool: 7,
  parameters: 3,
  parameter: 3,
  allowedValues: -3,
  allowedValue: 3,
  allTools: 12,
});

/**
 * What one medium is taken for, as of 2026-11-30, since its size is not known: the image of 1024 by 1024 pixels of
 * OpenAI's vision guide, a tile of Gemini's, and the square of 1092 pixels of Anthropic's.
 */
export const mediaTokens: Readonly<Record<Provider, number>> = Object.freeze({
  openai: 765,
  gemini: 258,
  anthropic: 1590,
});
