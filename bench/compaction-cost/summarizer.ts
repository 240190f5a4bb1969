/** The summariser that all policies share: what it writes, and what that costs where the agent's model takes 1 a token. */
export const summarizer = {
  /** Tokens of a summary for each that it stands for. */
  ratio: 0.12,
  /** It writes no less. */
  shortest: 250,
  /** Price of a token that it reads. */
  factor: 0.2,
  /** Tokens of what it is told besides the conversation. */
  instructionTokens: 400,
} as const;

/** How policies fold that keep what was said last. */
export const operator = {
  /** Tokens that a fold leaves verbatim at least. */
  tail: 6000,
  /** The most tokens that summaries in force hold together. */
  summaryRegion: 8000,
} as const;

/** How long the summary of so many tokens is, if it may have `most`. */
export function summaryLength(tokens: number, most: number): number {
  return Math.min(most, Math.max(summarizer.shortest, Math.round(summarizer.ratio * tokens)));
}

/** What it costs to read so many tokens and to write a summary of so many. */
export function summaryCost(read: number, summary: number, outputFactor: number): number {
  return summarizer.factor * (read + summarizer.instructionTokens + outputFactor * summary);
}
