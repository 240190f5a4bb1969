import type { FunctionResponse, Part } from './content.ts';

/**
 * What of a part is counted as tokens: text, thoughts and code as they stand, calls and responses as their name and what
 * they carry, as models are given it: JSON, but a result that is a text as that text. Media have none; whoever counts a
 * request adds what they cost.
 */
export function countedText(part: Part): string {
  const { text, functionCall, functionResponse, executableCode, codeExecutionResult } = part;
  if (text !== undefined) return text;
  if (functionCall) return functionCall.name + JSON.stringify(functionCall.args ?? {});
  if (functionResponse) return functionResponse.name + resultText(functionResponse);
  return executableCode?.code ?? codeExecutionResult?.output ?? '';
}

function resultText({ response }: FunctionResponse): string {
  return typeof response === 'string' ? response : JSON.stringify(response ?? null);
}
