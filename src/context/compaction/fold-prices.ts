import type { LanguageModel } from '../../models/index.ts';
import { cacheRulesFor } from '../prompt-cache/index.ts';
import type { FoldPrices } from './fold-costs.ts';

type NamedModel = Pick<LanguageModel, 'provider' | 'name'>;

/** What the providers of most models take for a token that they write, in prices of one that they read. */
const usualOutputFactor = 5;

/** The prices to weigh folds with, as far as rules and list prices of the models are known; else careful guesses. */
export function foldPricesOf({
  agent,
  summarizer,
}: {
  readonly agent: NamedModel;
  readonly summarizer: NamedModel;
}): FoldPrices {
  const rules = rulesOf(agent);
  const own = rules.prices;
  const other = rulesOf(summarizer).prices;
  return Object.freeze({
    readFactor: rules.readFactor,
    writeFactor: rules.writeFactor,
    ttlSeconds: rules.readFactor < 1 ? (rules.ttlSeconds[0] ?? 0) : 0,
    summarizerFactor: own === undefined || other === undefined ? 1 : other.input / own.input,
    outputFactor: other === undefined ? usualOutputFactor : other.output / other.input,
  });
}

function rulesOf({ provider, name }: NamedModel): ReturnType<typeof cacheRulesFor> {
  return cacheRulesFor({ provider, model: name });
}
