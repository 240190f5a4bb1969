import { hitOf, type ProviderRules, requestCost } from './provider-rules.ts';
import { operator, summaryCost, summaryLength } from './summarizer.ts';
import type { CallTable } from './trace.ts';

/** What stands in a prompt before the newest events: a summary, or a question that a fold has left where it stood. */
interface Head {
  /** Index of the event; of a summary a number of its own below 0. */
  readonly id: number;
  readonly tokens: number;
}

/** How a policy folds. */
export interface FoldWay {
  /** What stays verbatim. */
  readonly retain: { readonly tokens: number } | { readonly events: number };
  /** Which older summaries are written anew. */
  readonly merge: 'none' | 'all' | 'asTheRegionHasIt';
  /** The most tokens that a summary has. */
  readonly mostSummary: number;
}

/** A fold in numbers alone. */
export interface LedgerFold {
  /** Index of the first event that stays behind the summary. */
  readonly cut: number;
  readonly folded: number;
  readonly merged: number;
  readonly stays: number;
  readonly summary: number;
  /** What stands before the cut after it. */
  readonly heads: readonly Head[];
}

/** The product's own fold, as planFold() makes it. */
export const ownWay: FoldWay = {
  retain: { tokens: operator.tail },
  merge: 'asTheRegionHasIt',
  mostSummary: operator.summaryRegion / 4,
};

const shortSummary = 200;

/**
 * What a trace costs under a schedule of folds, in numbers alone: as the product folds and as the replay bills, but so
 * fast that hundreds of thousands of schedules can be tried. Between two requests a fold can be made, before a question
 * or behind a tool's result.
 */
export class Ledger {
  readonly table: CallTable;
  readonly rules: ProviderRules;
  cost = 0;
  promptTokens = 0;
  cachedTokens = 0;
  /** Tokens that each fold left verbatim. */
  readonly verbatim: number[] = [];
  #call = 0;
  #from = 0;
  #heads: readonly Head[] = [];
  #headTokens = 0;
  #sent: { readonly heads: readonly Head[]; readonly from: number; readonly tokens: number };

  constructor(table: CallTable, rules: ProviderRules) {
    this.table = table;
    this.rules = rules;
    this.#sent = { heads: [], from: 0, tokens: 0 };
  }

  /** Index of the call that comes next. */
  get call(): number {
    return this.#call;
  }

  /** The next call is the first of its turn. */
  get beginsTurn(): boolean {
    return this.table.places[this.#call] === 0;
  }

  /** Index of the first event behind the newest summary. */
  get from(): number {
    return this.#from;
  }

  /** Tokens of the events behind the newest summary. */
  rawTokens(): number {
    return this.#sumTo(this.#eventCount()) - this.#sumTo(this.#from);
  }

  /** Tokens of the next prompt, but for the question if it begins a turn. */
  contextTokens(): number {
    return this.table.trace.base + this.#headTokens + this.rawTokens();
  }

  /** How long ago the last request was when the next one is sent. */
  gap(): number {
    const { seconds } = this.table.trace;
    return (seconds[this.#call] ?? 0) - (seconds[this.#call - 1] ?? Number.NEGATIVE_INFINITY);
  }

  /** Sends the next request. */
  request(): void {
    const prompt = this.table.trace.base + this.#headTokens + this.#sumTo(2 * this.#call + 1) - this.#sumTo(this.#from);
    const hit = this.gap() <= this.rules.ttlSeconds ? hitOf(this.#shared(), this.rules) : 0;
    this.cost += requestCost(prompt, hit, this.rules);
    this.promptTokens += prompt;
    this.cachedTokens += hit;
    this.#sent = { heads: this.#heads, from: this.#from, tokens: prompt };
    this.#call++;
  }

  /** What a fold now would be about; `undefined` if there is nothing to fold. */
  plan({ retain, merge, mostSummary }: FoldWay = ownWay): LedgerFold | undefined {
    const count = this.#eventCount();
    const question = this.beginsTurn ? -1 : 2 * (this.#call - (this.table.places[this.#call] ?? 0));
    let cut = 'events' in retain ? count - retain.events : this.#firstRetained(count, retain.tokens);
    // A call and its result are not parted.
    if (cut % 2 === 0 && (this.table.places[cut / 2] ?? 0) > 0) cut--;
    if (cut <= this.#from) return undefined;
    const released = sumOf(this.#heads.filter(({ id }) => id >= 0 && id !== question));
    const heads = this.#heads.filter(({ id }) => id < 0 || id === question);
    let folded = this.#sumTo(cut) - this.#sumTo(this.#from) + released;
    if (question >= this.#from && question < cut) {
      const tokens = this.#sumTo(question + 1) - this.#sumTo(question);
      folded -= tokens;
      heads.push({ id: question, tokens });
    }
    if (folded <= 0) return undefined;
    const gone = mergedOf(heads, merge);
    const merged = sumOf(gone);
    const half = Math.max(shortSummary, Math.floor((folded + merged) / 2));
    const summary = summaryLength(folded + merged, Math.min(mostSummary, half));
    const left = heads.filter((head) => !gone.includes(head));
    const stays = sumOf(left.filter(({ id }) => id >= 0)) + this.#sumTo(count) - this.#sumTo(cut);
    return {
      cut,
      folded,
      merged,
      stays,
      summary,
      heads: [...left, { id: -1 - this.verbatim.length, tokens: summary }],
    };
  }

  /** Folds. `read`: what the summariser reads besides; `cost`: what it takes, if not the usual. */
  fold(plan: LedgerFold, { read = 0, cost }: { readonly read?: number; readonly cost?: number } = {}): void {
    const { folded, merged, summary, heads, cut, stays } = plan;
    this.cost += cost ?? summaryCost(folded + merged + read, summary, this.rules.outputFactor);
    this.#heads = heads;
    this.#headTokens = sumOf(heads);
    this.#from = cut;
    this.verbatim.push(stays);
  }

  #eventCount(): number {
    return 2 * this.#call + (this.beginsTurn ? 0 : 1);
  }

  #sumTo(count: number): number {
    return this.table.sums[count] ?? 0;
  }

  #firstRetained(count: number, tokens: number): number {
    const whole = this.#sumTo(count);
    let first = count;
    while (first > this.#from && whole - this.#sumTo(first) < tokens) first--;
    return whole - this.#sumTo(first) < tokens ? 0 : first;
  }

  /** Tokens with which the next request begins as the last one did. */
  #shared(): number {
    const { heads, from, tokens } = this.#sent;
    if (heads === this.#heads) return tokens;
    let shared = this.table.trace.base;
    for (const [at, head] of this.#heads.entries()) {
      if ((heads[at]?.id ?? from + at - heads.length) !== head.id) break;
      shared += head.tokens;
    }
    return shared;
  }
}

/** Runs a trace through; before each request but the first the policy may fold. */
export function runLedger(table: CallTable, rules: ProviderRules, policy?: (ledger: Ledger) => void): Ledger {
  const ledger = new Ledger(table, rules);
  for (const call of table.places.keys()) {
    if (call > 0) policy?.(ledger);
    ledger.request();
  }
  return ledger;
}

function mergedOf(heads: readonly Head[], merge: FoldWay['merge']): readonly Head[] {
  const summaries = heads.filter(({ id }) => id < 0);
  if (merge !== 'asTheRegionHasIt') return merge === 'all' ? summaries : [];
  let left = sumOf(summaries);
  if (left + ownWay.mostSummary <= operator.summaryRegion) return [];
  return summaries.filter(({ tokens }) => {
    if (left <= operator.summaryRegion / 2) return false;
    left -= tokens;
    return true;
  });
}

function sumOf(heads: readonly Head[]): number {
  let tokens = 0;
  for (const head of heads) tokens += head.tokens;
  return tokens;
}
