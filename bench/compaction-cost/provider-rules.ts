/** What a provider takes for tokens, where one that it reads uncached is 1, and how it keeps prefixes. */
export interface ProviderRules {
  readonly readFactor: number;
  readonly writeFactor: number;
  /** A prefix is kept for so long after its last use. */
  readonly ttlSeconds: number;
  /** Shorter prefixes are not kept, */
  readonly minimumTokens: number;
  /** and others in whole steps of so many. */
  readonly stepTokens: number;
  /** Price of a token that a model writes, in prices of one that it reads. */
  readonly outputFactor: number;
}

/** How many of the tokens that a request shares with one before it are read from the cache. */
export function hitOf(shared: number, { minimumTokens, stepTokens }: ProviderRules): number {
  return shared < minimumTokens ? 0 : Math.floor(shared / stepTokens) * stepTokens;
}

/** What a request costs, but for the reply, which is the same whatever was folded. */
export function requestCost(prompt: number, hit: number, rules: ProviderRules): number {
  const { readFactor, writeFactor, minimumTokens } = rules;
  return readFactor * hit + (prompt < minimumTokens ? 1 : writeFactor) * (prompt - hit);
}
