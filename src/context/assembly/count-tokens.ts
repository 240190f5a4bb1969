import { type Content, countedText, type Event, estimateTokens } from '../../events/index.ts';
import { isMedia } from './log-counts.ts';
import { mediaTokens } from './request-constants.ts';

/** Tokens of what an event brings into a request: as counted at append, else estimated; media at a figure of their own. */
export function tokensOf(event: Event): number {
  const { compaction } = event.actions;
  if (compaction !== undefined) return estimate(compaction.content) + tokensOfMedia(compaction.content);
  const { content, tokens } = event;
  if (content !== undefined) return (tokens?.n ?? estimate(content)) + tokensOfMedia(content);
  return tokens?.n ?? estimateTokens.count((event.inputTranscription ?? event.outputTranscription)?.text ?? '');
}

function estimate({ parts }: Content): number {
  return parts.reduce((sum, part) => sum + estimateTokens.count(countedText(part)), 0);
}

/** A window is the same for every provider. */
function tokensOfMedia({ parts }: Content): number {
  return parts.some(isMedia) ? parts.filter(isMedia).length * mediaTokens.gemini : 0;
}
