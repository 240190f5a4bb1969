import { countedText, type Event, estimateTokens, type SummaryInForce, textOf } from '../../events/index.ts';

/** Tokens of what an event says: as counted at append, else estimated. Media count nothing. */
export function eventTokens({ content, tokens, inputTranscription, outputTranscription }: Event): number {
  if (tokens !== undefined) return tokens.n;
  const spoken = inputTranscription ?? outputTranscription;
  if (content === undefined) return estimateTokens.count(spoken?.text ?? '');
  return content.parts.reduce((sum, part) => sum + estimateTokens.count(countedText(part)), 0);
}

/** Tokens of summaries in force, estimated. */
export function summaryTokens(summaries: readonly SummaryInForce[]): number {
  return summaries.reduce((sum, { compaction }) => sum + estimateTokens.count(textOf(compaction.content)), 0);
}
