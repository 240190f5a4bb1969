import {
  type CacheRuleRow,
  type CacheRules,
  cacheRulesFor,
  costOf,
  dollarsOf,
  longWriteTokensOf,
  normalizeUsage,
  pricesOf,
} from '../context/prompt-cache/index.ts';
import type { Provider, Usage } from '../events/index.ts';
import type { CostSum, ModelUse } from '../sessions/index.ts';

const providers: readonly Provider[] = ['anthropic', 'openai', 'gemini'];

/**
 * Makes sums of costs: each call at the list price of its model as the rules have it, with the tier of its own length. A
 * call of which no tokens are told costs nothing.
 */
export function costSums(rows: readonly CacheRuleRow[]): () => CostSum {
  const known = new Map<string, CacheRules | undefined>();
  const rulesOf = ({ model = '', provider }: ModelUse): CacheRules | undefined => {
    const name = JSON.stringify([model, provider]);
    if (!known.has(name)) known.set(name, pricedRules(model, provider, rows));
    return known.get(name);
  };
  return () => new KnownCosts(rulesOf);
}

class KnownCosts implements CostSum {
  readonly #rulesOf: (use: ModelUse) => CacheRules | undefined;
  #picodollars = 0n;
  #isKnown = true;

  constructor(rulesOf: (use: ModelUse) => CacheRules | undefined) {
    this.#rulesOf = rulesOf;
  }

  add(use: ModelUse): void {
    if (Object.keys(use.usage).length === 0) return;
    const rules = this.#rulesOf(use);
    const usage = rules === undefined ? use.usage : withWrites(use.usage, rules);
    const prices = rules && pricesOf(rules, usage.inputTokens);
    const { cost } = costOf(usage, prices, longWriteTokensOf(usage.raw));
    if (cost === undefined) this.#isKnown = false;
    else this.#picodollars += cost.total;
  }

  total(): string | undefined {
    return this.#isKnown ? dollarsOf(this.#picodollars) : undefined;
  }
}

/** A model of one provider may be served in the shape of another; of one that made a summary only the name is known. */
function pricedRules(
  model: string,
  provider: Provider | undefined,
  rows: readonly CacheRuleRow[],
): CacheRules | undefined {
  const own = provider === undefined ? [] : [provider];
  return [...own, ...providers]
    .map((one) => cacheRulesFor({ provider: one, model }, rows))
    .find(({ prices }) => prices !== undefined);
}

/** Some packages pass on what was written to the cache only in the provider's own record. */
function withWrites(usage: Usage, rules: CacheRules): Usage {
  if (usage.cacheWriteTokens !== undefined) return usage;
  const cacheWriteTokens = normalizeUsage(usage.raw, rules.usage)?.cacheWriteTokens;
  return cacheWriteTokens === undefined ? usage : { ...usage, cacheWriteTokens };
}
