import type { Provider } from '../../events/index.ts';
import type { CacheFacts, CacheRuleRow, CacheSource } from './cache-facts.ts';
import { cacheRuleRows } from './cache-rule-rows.ts';

/** All that is known of a model, and how well. */
export interface CacheRules extends CacheFacts {
  readonly provider: Provider;
  readonly model: string;
  /** A row names the model, or only its family, or none does and these are careful guesses. */
  readonly basis: 'model' | 'family' | 'default';
  /** Of the rows, from the most general to the most particular. */
  readonly sources: readonly CacheSource[];
}

/** What is taken of a model that nothing is known of: that it caches nothing and takes nothing. */
const unknownModel = Object.freeze({
  minimumTokens: 4096,
  stepTokens: 1,
  ttlSeconds: Object.freeze([300]),
  mostBreakpoints: 0,
  takesKey: false,
  holdsObjects: false,
  readFactor: 1,
  writeFactor: 1,
});

/**
 * The rules of a model: those of the rows whose `model` fits it, a name over a beginning of names, a longer one over a
 * shorter one, and rows of the caller over those of the library. A row of the caller for `*` is a default of their own.
 */
export function cacheRulesFor(
  { provider, model }: { readonly provider: Provider; readonly model: string },
  rows: readonly CacheRuleRow[] = [],
): CacheRules {
  const name = plainName(model);
  const fits = (row: CacheRuleRow) => row.provider === provider && isNamedBy(name, row.model);
  const found = [...byLength(cacheRuleRows.filter(fits)), ...byLength(rows.filter(fits))];
  const isFamily = found.every((row) => row.model.endsWith('*'));
  return Object.freeze({
    ...unknownModel,
    usage: provider,
    ...factsOf(found),
    provider,
    model,
    basis: found.length === 0 ? 'default' : isFamily ? 'family' : 'model',
    sources: found.map(({ source, date }) => ({ source, date })),
  });
}

function factsOf(rows: readonly CacheRuleRow[]): Partial<CacheFacts> {
  const facts: Partial<CacheFacts> = {};
  for (const { provider: _, model: __, source: ___, date: ____, ...some } of rows) Object.assign(facts, some);
  return facts;
}

/** A model's name without what gateways and clouds put in front of it. */
function plainName(model: string): string {
  const name = model.toLowerCase();
  return name.slice(name.lastIndexOf('/') + 1).replace(/^(?:[a-z-]+\.)*anthropic\./, '');
}

/** What may follow a model's name without making it another model: previews, dates, revisions. */
const version = /^(-preview|-latest)?([-@]\d{3,8}|-\d{4}-\d{2}-\d{2}|-\d{2}-\d{4})?(-v\d+(:\d+)?)?$/;

function isNamedBy(name: string, pattern: string): boolean {
  if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1));
  return name.startsWith(pattern) && version.test(name.slice(pattern.length));
}

/** Families before models, and shorter names before longer ones. */
function byLength(rows: readonly CacheRuleRow[]): readonly CacheRuleRow[] {
  const rank = ({ model }: CacheRuleRow) => (model.endsWith('*') ? 0 : 1);
  return [...rows].sort((a, b) => rank(a) - rank(b) || a.model.length - b.model.length);
}
