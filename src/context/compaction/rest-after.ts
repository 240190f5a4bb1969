import { expectedFold, type FoldFacts, type TriggerState } from './decide.ts';
import { buyingPrice, isWorthwhile, shortestSummary, sparedBy } from './fold-costs.ts';
import type { RentOrBuyTrigger, Trigger } from './triggers.ts';

/** How long no trigger can fire: for so many further requests, and while the prompt has grown by fewer tokens than that. */
export interface TriggerRest {
  readonly requests: number;
  readonly growth: number;
}

/** Nothing can be folded yet: a fold pays for twice the shortest summary at least. */
const leastGrowth = 2 * shortestSummary;

/**
 * How long a decision that fired nothing need not be made again, where only the size of prompts fires triggers: until the
 * rent could have reached the price, if what a fold spares grew to twice what it is now. `undefined`: it must be made.
 */
export function restAfter(
  triggers: readonly Trigger[],
  facts: FoldFacts,
  state: TriggerState,
): TriggerRest | undefined {
  const { promptTokens } = facts;
  if (promptTokens === undefined) return undefined;
  const rests = triggers.map((trigger) => restOf(trigger, { ...facts, promptTokens }, state));
  if (rests.includes(undefined)) return undefined;
  const known = rests.filter((rest) => rest !== undefined);
  return {
    requests: Math.min(...known.map(({ requests }) => requests)),
    growth: Math.min(...known.map(({ growth }) => growth)),
  };
}

function restOf(
  trigger: Trigger,
  facts: FoldFacts & { readonly promptTokens: number },
  state: TriggerState,
): TriggerRest | undefined {
  if (trigger.kind === 'threshold')
    return {
      requests: Number.POSITIVE_INFINITY,
      growth: state.waitsBelow === undefined ? trigger.tokens - facts.promptTokens : 0,
    };
  return trigger.kind === 'rentOrBuy' ? restOfRent(trigger, facts, state) : undefined;
}

function restOfRent(trigger: RentOrBuyTrigger, facts: FoldFacts, { rent }: TriggerState): TriggerRest | undefined {
  const { prices } = facts;
  const fold = expectedFold(trigger, facts);
  if (fold === undefined) return { requests: Number.POSITIVE_INFINITY, growth: leastGrowth };
  const { folded, merged } = fold.tokens;
  if (!isWorthwhile(fold)) return { requests: Number.POSITIVE_INFINITY, growth: 2 * fold.summary - folded - merged };
  if (prices === undefined) return undefined;
  const spared = sparedBy(fold);
  // A request that comes late pays for writing the prefix anew.
  const dearest = Math.max(prices.readFactor, prices.writeFactor);
  const most = 2 * spared * (prices.ttlSeconds > 0 ? prices.readFactor : dearest);
  const requests = most === 0 ? 0 : Math.floor((buyingPrice(fold, prices) - rent) / most);
  return { requests, growth: spared };
}
