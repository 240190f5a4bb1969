import { type Content, type Event, estimateTokens, type Part } from '../../events/index.ts';
import { canonicalJson } from '../../internal/index.ts';

/** Gemini counts an image tile as 258 tokens; other media and other providers are of that order. */
const mediaTokens = 258;

/** Tokens of what an event brings into a request: as counted at append, else estimated. */
export function tokensOf(event: Event): number {
  const { compaction } = event.actions;
  if (compaction !== undefined) return tokensOfContent(compaction.content);
  if (event.tokens !== undefined) return event.tokens.n;
  if (event.content !== undefined) return tokensOfContent(event.content);
  return estimateTokens.count((event.inputTranscription ?? event.outputTranscription)?.text ?? '');
}

function tokensOfContent(content: Content): number {
  let sum = 0;
  for (const part of content.parts) sum += tokensOfPart(part);
  return sum;
}

function tokensOfPart(part: Part): number {
  if (part.text !== undefined) return estimateTokens.count(part.text);
  if (part.inlineData !== undefined || part.fileData !== undefined) return mediaTokens;
  return estimateTokens.count(
    canonicalJson(part.functionCall ?? part.functionResponse ?? part.executableCode ?? part.codeExecutionResult ?? ''),
  );
}
