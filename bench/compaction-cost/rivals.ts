import { type FoldWay, type Ledger, ownWay } from './ledger.ts';
import { summarizer, summaryCost } from './summarizer.ts';

/** May fold, when it is asked before a request. A policy is used for one session. */
export type Policy = (ledger: Ledger) => void;

const unlimited = Number.POSITIVE_INFINITY;

/**
 * What others do, each with the summariser that all share. ADK's sliding windows leave nothing verbatim and set no limit
 * to summaries; `short` has them as short as ours may be.
 */
export const rivals: Readonly<Record<string, () => Policy>> = {
  never: () => () => undefined,
  'ADK (5,1)': () => sliding({ interval: 5, overlap: 1, mostSummary: unlimited }),
  'ADK (20,2)': () => sliding({ interval: 20, overlap: 2, mostSummary: unlimited }),
  'ADK (5,1) short': () => sliding({ interval: 5, overlap: 1, mostSummary: ownWay.mostSummary }),
  'token 100k': () => atContext(100_000, { retain: { events: 10 }, merge: 'all', mostSummary: unlimited }),
  'fork 150k': () => forkAt(150_000),
  'Mastra-like': () => atRaw(30_000),
};

/** Folds whenever so many turns have ended, all of them; the summariser reads the last ones before them once more. */
function sliding({
  interval,
  overlap,
  mostSummary,
}: {
  readonly interval: number;
  readonly overlap: number;
  readonly mostSummary: number;
}): Policy {
  let turns = 0;
  return (ledger) => {
    if (!ledger.beginsTurn) return;
    turns++;
    if (turns % interval !== 0) return;
    const plan = ledger.plan({ retain: { events: 0 }, merge: 'none', mostSummary });
    if (plan !== undefined) ledger.fold(plan, { read: tokensBefore(ledger, overlap) });
  };
}

/** Tokens of the turns that end where the newest summary does. */
function tokensBefore({ from, table: { places, sums } }: Ledger, turns: number): number {
  let call = from / 2;
  for (let left = turns; call > 0 && left > 0; ) {
    call--;
    if (places[call] === 0) left--;
  }
  return (sums[from] ?? 0) - (sums[2 * call] ?? 0);
}

function atContext(tokens: number, way: FoldWay): Policy {
  return (ledger) => {
    const plan = ledger.contextTokens() > tokens ? ledger.plan(way) : undefined;
    if (plan !== undefined) ledger.fold(plan);
  };
}

/** Folds all that there is, by the agent's own model over its warm prompt where that costs less. */
function forkAt(tokens: number): Policy {
  return (ledger) => {
    const context = ledger.contextTokens();
    const plan =
      context > tokens ? ledger.plan({ retain: { events: 0 }, merge: 'all', mostSummary: unlimited }) : undefined;
    if (plan === undefined) return;
    const { readFactor, outputFactor } = ledger.rules;
    const own = readFactor * context + summarizer.instructionTokens + outputFactor * plan.summary;
    const cost = Math.min(own, summaryCost(plan.folded + plan.merged, plan.summary, outputFactor));
    ledger.fold(plan, { cost });
  };
}

/** The same fold as ours, made at a fixed size. */
function atRaw(tokens: number): Policy {
  return (ledger) => {
    const plan = ledger.rawTokens() > tokens ? ledger.plan() : undefined;
    if (plan !== undefined) ledger.fold(plan);
  };
}
