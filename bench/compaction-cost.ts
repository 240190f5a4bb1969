import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger, runLedger } from './compaction-cost/ledger.ts';
import type { ProviderRules } from './compaction-cost/provider-rules.ts';
import { type Replayed, replay } from './compaction-cost/replay.ts';
import { rivals } from './compaction-cost/rivals.ts';
import { type CallTable, type Trace, tableOf } from './compaction-cost/trace.ts';

interface Fixtures {
  readonly traces: readonly Trace[];
  readonly rules: Readonly<Record<string, ProviderRules>>;
  readonly optimum: {
    readonly steps: number;
    readonly seed: number;
    readonly values: Readonly<Record<string, Readonly<Record<string, { cost: number; folds: number }>>>>;
  };
}

/** One policy over one trace at one provider. */
interface Row extends Pick<Replayed, 'cost' | 'promptTokens' | 'cachedTokens' | 'verbatim'> {
  readonly policy: string;
  readonly breaks?: Pick<Replayed, 'breaks' | 'undeclaredBreaks'>;
}

const providers = { anthropic: 'anthropic', openai: 'openai', gemini: 'gemini' } as const;
const ours = 'ours';
/** The bars are those of agents at work. */
const barred = 'agent';

/**
 * What sessions cost by how they are compacted: fixed traces of calls through the product's events, context view and
 * rentOrBuy, at modelled providers; beside other policies with the same summariser and the cheapest schedule that was
 * found by knowing the trace beforehand. Tokens of replies are left out: they are the same for all. Figures are the worst
 * over the agent traces and providers.
 */
export async function benchCompactionCost(print: (line: string) => void): Promise<Record<string, number>> {
  const { traces, rules, optimum } = readFixtures();
  print(`optimum: annealed, ${optimum.steps} steps, seed ${optimum.seed}; one uncached token costs 1`);
  const worst = { vsOptimum: 0, vsNever: 0, vsAdk51: 0, vsAdk51AsShort: 0, undeclaredBreaks: 0 };
  for (const trace of traces) {
    const table = tableOf(trace);
    for (const [provider, one] of Object.entries(rules)) {
      const best = optimum.values[trace.name]?.[provider]?.cost ?? Number.NaN;
      const rows = await measure(table, provider, one);
      print(`${trace.name}, ${provider}: optimum ${thousands(best)}`);
      for (const row of rows) print(`  ${tell(row, best)}`);
      const [own] = rows;
      worst.undeclaredBreaks += own?.breaks?.undeclaredBreaks ?? 0;
      if (own === undefined || !trace.name.startsWith(barred)) continue;
      const against = (policy: string) => own.cost / (rows.find((row) => row.policy === policy)?.cost ?? Number.NaN);
      worst.vsOptimum = Math.max(worst.vsOptimum, own.cost / best);
      worst.vsNever = Math.max(worst.vsNever, against('never'));
      worst.vsAdk51 = Math.max(worst.vsAdk51, against('ADK (5,1)'));
      worst.vsAdk51AsShort = Math.max(worst.vsAdk51AsShort, against('ADK (5,1) short'));
    }
  }
  return worst;
}

/** Ours comes first. */
async function measure(table: CallTable, name: string, rules: ProviderRules): Promise<readonly Row[]> {
  const provider = Object.entries(providers).find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'openai';
  const own = await replay(table, { rules, provider, tellsCold: true, foldsInTurns: true });
  const replies = await replay(table, { rules, provider, tellsCold: true });
  const untold = await replay(table, { rules, provider });
  const eager = await replay(table, { rules, provider, foldsWhenCold: true });
  return [
    { policy: ours, ...own, breaks: own },
    { policy: 'ours, after replies', ...replies, breaks: replies },
    { policy: '…, not told of cold', ...untold, breaks: untold },
    { policy: '…, also when cold', ...eager, breaks: eager },
    ...Object.entries(rivals).map(([policy, make]) => rowOf(policy, runLedger(table, rules, make()))),
  ];
}

function rowOf(policy: string, { cost, promptTokens, cachedTokens, verbatim }: Ledger): Row {
  return { policy, cost, promptTokens, cachedTokens, verbatim };
}

function tell({ policy, cost, promptTokens, cachedTokens, verbatim, breaks }: Row, best: number): string {
  const hitRate = ((100 * cachedTokens) / promptTokens).toFixed(1);
  const mean = verbatim.reduce((sum, tokens) => sum + tokens, 0) / verbatim.length;
  const kept =
    verbatim.length === 0 ? '' : `, verbatim ${Math.min(...verbatim)} at least, ${mean.toFixed(0)} on average`;
  const broken = breaks && `, ${breaks.breaks} breaks, ${breaks.undeclaredBreaks} undeclared`;
  const times = (cost / best).toFixed(3);
  return `${policy.padEnd(22)}${thousands(cost).padStart(7)} = ${times} × optimum, hit rate ${hitRate} %, ${verbatim.length} folds${kept}${broken ?? ''}`;
}

function thousands(cost: number): string {
  return `${Math.round(cost / 1000)}k`;
}

function readFixtures(): Fixtures {
  const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8'));
  return {
    traces: read('compaction-traces.json'),
    rules: read('provider-rules.json'),
    optimum: read('compaction-optimum.json'),
  };
}
