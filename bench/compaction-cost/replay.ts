import { type ContextView, createContextView } from '../../src/context/assembly/index.ts';
import {
  checkSummary,
  compactionInput,
  decide,
  type FoldPlan,
  type FoldPrices,
  freshTriggerState,
  planFold,
  readFacts,
  rentOrBuy,
  type Trigger,
} from '../../src/context/compaction/index.ts';
import {
  type Content,
  countedText,
  type Event,
  type EventInput,
  estimateTokens,
  modelText,
  type Part,
  type Provider,
  type View,
} from '../../src/events/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionService } from '../../src/index.ts';
import { canonicalJson, sha256 } from '../../src/internal/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { PrefixCache, type Segment } from './prefix-cache.ts';
import { hitOf, type ProviderRules, requestCost } from './provider-rules.ts';
import { sizedPart, sizedText } from './sized-text.ts';
import { operator, summarizer, summaryCost, summaryLength } from './summarizer.ts';
import type { CallTable } from './trace.ts';

/** What a replay came to. */
export interface Replayed {
  readonly cost: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Tokens that each fold left verbatim. */
  readonly verbatim: readonly number[];
  /** Requests that do not begin with the one before, */
  readonly breaks: number;
  /** and those of them that no fold explains. */
  readonly undeclaredBreaks: number;
}

/** How a replay goes. */
export interface ReplayOptions {
  readonly rules: ProviderRules;
  readonly provider: Provider;
  /** Default `[rentOrBuy()]`. */
  readonly triggers?: readonly Trigger[];
  /** Decisions are told which requests found their prefix gone. */
  readonly tellsCold?: boolean;
  /** It is also decided before requests that find their prefix gone. */
  readonly foldsWhenCold?: boolean;
  /** It is also decided beside the requests within a turn, as a run of an agent has it. Default: after replies alone. */
  readonly foldsInTurns?: boolean;
  /** Told of each fold, with the number of the call before it. */
  readonly onFold?: (call: number) => void;
}

const agentName = 'assistant';
const key = { appName: 'bench', userId: 'u', sessionId: 's' };

/**
 * Runs a trace through the product: its events appended to a session, every request taken from a context view over them
 * and sent to a modelled provider, and after each reply the triggers asked and a fold made as a compactor makes it.
 */
export async function replay(table: CallTable, options: ReplayOptions): Promise<Replayed> {
  const run = new Replay(table, options);
  await run.start();
  for (const call of table.places.keys()) await run.call(call);
  return run.result();
}

class Replay {
  readonly #table: CallTable;
  readonly #options: ReplayOptions;
  readonly #triggers: readonly Trigger[];
  readonly #prices: FoldPrices;
  readonly #clock = new ManualClock();
  readonly #service: SessionService;
  readonly #view: View;
  readonly #context: ContextView;
  readonly #cache: PrefixCache;
  readonly #verbatim: number[] = [];
  #state = freshTriggerState;
  #requests = { all: 0, cold: 0 };
  #before: readonly Segment[] = [];
  #foldsBefore = 0;
  #cost = 0;
  #promptTokens = 0;
  #cachedTokens = 0;
  #breaks = 0;
  #undeclaredBreaks = 0;

  constructor(table: CallTable, options: ReplayOptions) {
    const { rules, provider, triggers = [rentOrBuy({ retain: { tokens: operator.tail } })] } = options;
    this.#table = table;
    this.#options = options;
    this.#triggers = triggers;
    this.#prices = { ...rules, summarizerFactor: summarizer.factor };
    this.#view = { agentName, history: 'full', provider };
    this.#context = createContextView(this.#view);
    this.#cache = new PrefixCache(rules.ttlSeconds);
    this.#service = createSessionService({ store: createInMemorySessionStore(), clock: this.#clock });
  }

  async start(): Promise<void> {
    await this.#service.create(key);
  }

  async call(call: number): Promise<void> {
    const { trace, places } = this.#table;
    const seconds = (trace.seconds[call] ?? 0) - (trace.seconds[call - 1] ?? 0);
    this.#clock.advance(1000 * seconds);
    const beginsTurn = places[call] === 0;
    if (this.#options.foldsWhenCold === true && beginsTurn && call > 0)
      await this.#fold(call - 1, { isBeforeRequest: true });
    await this.#append(
      beginsTurn ? question(trace.incoming[call] ?? 0, call) : result(trace.incoming[call] ?? 0, call),
    );
    const usage = this.#send(trace.seconds[call] ?? 0);
    const endsTurn = (places[call + 1] ?? 0) === 0;
    const reply = endsTurn ? answer : toolCall;
    await this.#append({ ...reply(trace.replies[call] ?? 0, call), usage });
    if (endsTurn || this.#options.foldsInTurns === true) await this.#fold(call, { isWithinRun: !endsTurn });
  }

  result(): Replayed {
    return {
      cost: this.#cost,
      promptTokens: this.#promptTokens,
      cachedTokens: this.#cachedTokens,
      verbatim: this.#verbatim,
      breaks: this.#breaks,
      undeclaredBreaks: this.#undeclaredBreaks,
    };
  }

  async #append(event: EventInput): Promise<void> {
    const { events } = await this.#service.append(key, [event]);
    for (const one of events)
      if (this.#context.push(one) !== 'ok') throw new TypeError(`The view cannot go on from event ${one.seq}.`);
  }

  #send(second: number): NonNullable<Event['usage']> {
    const segments = this.#segments();
    const { rules } = this.#options;
    const inputTokens = segments.reduce((sum, { tokens }) => sum + tokens, 0);
    const cacheReadTokens = hitOf(this.#cache.use(segments, second), rules);
    this.#cost += requestCost(inputTokens, cacheReadTokens, rules);
    this.#promptTokens += inputTokens;
    this.#cachedTokens += cacheReadTokens;
    this.#requests.all++;
    if (this.#before.length > 0 && cacheReadTokens === 0) this.#requests.cold++;
    if (this.#before.some(({ id }, at) => segments[at]?.id !== id)) {
      this.#breaks++;
      if (this.#verbatim.length === this.#foldsBefore) this.#undeclaredBreaks++;
    }
    this.#before = segments;
    this.#foldsBefore = this.#verbatim.length;
    return { inputTokens, cacheReadTokens };
  }

  #segments(): readonly Segment[] {
    const { contents } = this.#context.assembly();
    return [{ id: 'base', tokens: this.#table.trace.base }, ...contents.flatMap(segmentsOf)];
  }

  async #fold(
    call: number,
    when: { readonly isBeforeRequest?: boolean; readonly isWithinRun?: boolean },
  ): Promise<void> {
    const window = await this.#service.readLive(key, this.#view);
    const { summaryRegion } = operator;
    const read = { view: this.#view, now: this.#clock.now(), overheadTokens: this.#table.trace.base, summaryRegion };
    const facts = {
      ...readFacts(window, this.#triggers, read),
      ...when,
      requests: this.#requests.all,
      ...(this.#options.tellsCold === true ? { coldRequests: this.#requests.cold } : {}),
      prices: this.#prices,
      summaryRegion,
    };
    const { state, fires } = decide(this.#triggers, facts, this.#state);
    this.#requests = { all: 0, cold: 0 };
    this.#state = state;
    if (fires === undefined) return;
    const outcome = planFold(window, { summaryRegion, ...fires.fold });
    if (outcome.status !== 'plan') return;
    await this.#append(
      compactionInput(outcome.plan, this.#summarize(outcome.plan), { trigger: fires.trigger, model: 'm' }),
    );
    this.#verbatim.push(outcome.plan.tokens.stays);
    this.#state = fires.stateAfter;
    this.#options.onFold?.(call);
  }

  #summarize(plan: FoldPlan): string {
    const { tokens, mostTokens } = plan;
    const read = tokens.folded + tokens.merged;
    const length = summaryLength(read, mostTokens);
    const content = modelText(sizedText(length, this.#verbatim.length, 'noted'));
    const check = checkSummary({ content, finishReason: 'stop' }, plan);
    if (check.status === 'refused') throw new TypeError(`The summary was refused: ${check.refusal.why}.`);
    this.#cost += summaryCost(read, check.tokens, this.#prices.outputFactor);
    return check.text;
  }
}

function question(tokens: number, number: number): EventInput {
  return { author: 'user', content: { parts: [{ text: sizedText(tokens, 2 * number) }] } };
}

function answer(tokens: number, number: number): EventInput {
  return { author: agentName, content: { parts: [{ text: sizedText(tokens, 2 * number + 1) }] } };
}

function toolCall(tokens: number, number: number): EventInput {
  const make = (问: string): Part => ({ functionCall: { id: `c${number}`, name: 'look_up', args: { 问 } } });
  return { author: agentName, content: { parts: [sizedPart(tokens, 2 * number + 1, make)] } };
}

/** Of the call before. */
function result(tokens: number, number: number): EventInput {
  const id = `c${number - 1}`;
  const make = (response: string): Part => ({ functionResponse: { id, name: 'look_up', response } });
  return { author: agentName, content: { parts: [sizedPart(tokens, 2 * number, make)] } };
}

const segmentOfPart = new WeakMap<Part, Segment>();

/** A provider keeps what it has read token by token: so a content that grows by a part begins as it did. */
function segmentsOf({ role, parts }: Content): readonly Segment[] {
  return parts.map((part) => {
    const known = segmentOfPart.get(part);
    if (known !== undefined) return known;
    const segment = { id: `${role} ${sha256(canonicalJson(part))}`, tokens: estimateTokens.count(countedText(part)) };
    segmentOfPart.set(part, segment);
    return segment;
  });
}
