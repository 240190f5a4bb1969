import tokenizer from 'gpt-tokenizer/encoding/o200k_base';
import type { Content, JsonValue, ModelRequest } from '../../src/index.ts';

const plain = { disallowedSpecial: new Set<string>() };

/** Tokens of a text by the package's own encoder, what looks like a special token taken for text. */
export function tokensIn(text: string): number {
  return tokenizer.countTokens(text, plain);
}

/**
 * Tokens of a request's messages as OpenAI's models are given them, found without the library: every text by the
 * tokenizer, four for each message, three for each call and three for the answer to begin. Tools are left out.
 */
export function trueCount({ instruction, contents }: Pick<ModelRequest, 'instruction' | 'contents'>): number {
  const told = instruction.reduce((sum, text) => sum + 4 + tokensIn(text), 0);
  return contents.reduce((sum, content) => sum + tokensOfContent(content), told + 3);
}

function tokensOfContent({ role, parts }: Content): number {
  let sum = 0;
  let said = 0;
  for (const { text, functionCall: call, functionResponse: response } of parts) {
    if (response !== undefined) sum += 4 + tokensIn(response.name) + tokensIn(written(response.response));
    else said++;
    if (text !== undefined) sum += tokensIn(text);
    if (call !== undefined) sum += 3 + tokensIn(call.name) + tokensIn(JSON.stringify(call.args ?? {}));
  }
  return sum + (said > 0 || role === 'model' ? 4 : 0);
}

function written(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
