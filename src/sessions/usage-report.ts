import { type Event, type Page, type Provider, parseId, type SessionKey, type Usage } from '../events/index.ts';
import { requireHead } from './commit-loop.ts';
import { maxPageSize, readEvents } from './read-events.ts';
import { infoOf } from './session-head.ts';
import type { SessionParts } from './session-parts.ts';
import type { ListOptions, SessionInfo } from './session-service.ts';
import { unlessGone } from './unless-gone.ts';

/** Sums of what providers counted, without their own records. */
export type TokenSums = Omit<Usage, 'raw'>;

/** What calls of one model have used. */
export interface ModelUsage {
  /** As the request named it; absent where the log does not say. */
  readonly model?: string;
  readonly calls: number;
  readonly tokens: TokenSums;
  /** In USD, exact, such as `0.0123`; absent if a price is not known. */
  readonly cost?: string;
}

/** What calls have used. */
export interface UsageSums extends Omit<ModelUsage, 'model'> {
  /** By name. */
  readonly byModel: readonly ModelUsage[];
}

/** What a session's calls have used: those of its agents, and apart from them those that made its summaries. */
export interface UsageReport extends UsageSums {
  readonly compaction: UsageSums;
}

/** Whose usage is asked for: a user's, or that within one project. */
export interface UsageOwner {
  readonly appName: string;
  readonly userId: string;
  readonly projectId?: string;
}

/** One call of a model, as an event tells of it. */
export interface ModelUse {
  readonly model?: string;
  readonly provider?: Provider;
  /** Nothing where the provider did not tell. */
  readonly usage: Usage;
}

/** Adds up what calls cost. */
export interface CostSum {
  add(use: ModelUse): void;
  /** In USD, exact; `undefined` if the price of one of the calls is not known. */
  total(): string | undefined;
}

/** What the calls of a session have used. Throws SESSION_NOT_FOUND. */
export async function readUsage(parts: SessionParts, key: SessionKey): Promise<UsageReport> {
  const tally = new UsageTally(parts.sumCosts);
  await addSession(parts, tally, infoOf(await requireHead(parts, key)));
  return tally.report();
}

/** What the calls of a user's sessions have used. */
export async function readUsageOfUser(
  parts: SessionParts,
  { appName, userId, projectId }: UsageOwner,
  list: (options: ListOptions) => Promise<Page<SessionInfo>>,
): Promise<UsageReport> {
  const whose = { appName, userId: parseId(userId, 'userId'), ...(projectId === undefined ? {} : { projectId }) };
  const tally = new UsageTally(parts.sumCosts);
  for (let cursor: string | undefined; ; ) {
    const page = await list({ ...whose, limit: maxPageSize, ...(cursor === undefined ? {} : { cursor }) });
    for (const session of page.items) await unlessGone(() => addSession(parts, tally, session));
    if (page.nextCursor === undefined) return tally.report();
    cursor = page.nextCursor;
  }
}

/** What was copied from another session was used there. */
async function addSession(parts: SessionParts, tally: UsageTally, { key, forkedFrom }: SessionInfo): Promise<void> {
  for (let fromSeq = (forkedFrom?.atSeq ?? 0) + 1; ; ) {
    const { items, nextCursor } = await readEvents(parts, key, { fromSeq, limit: maxPageSize });
    for (const event of items) tally.add(event);
    if (nextCursor === undefined) return;
    fromSeq = (items.at(-1)?.seq ?? fromSeq) + 1;
  }
}

/** Adds up the calls of events, rewound ones as well: they were made. */
class UsageTally {
  readonly #answers: UsageSum;
  readonly #summaries: UsageSum;

  constructor(sumCosts: (() => CostSum) | undefined) {
    this.#answers = new UsageSum(sumCosts);
    this.#summaries = new UsageSum(sumCosts);
  }

  add({ usage, request, customMetadata, actions }: Event): void {
    const summarizer = actions.compaction?.summarizer;
    if (summarizer !== undefined) this.#summaries.add(summarizer);
    if (usage === undefined && request === undefined) return;
    // A request of a callback's own has no journal; then the provider's word for the model is all there is.
    const model: unknown = request?.model ?? customMetadata?.modelVersion;
    const provider = request?.view?.provider;
    this.#answers.add({
      ...(typeof model === 'string' ? { model } : {}),
      ...(provider === undefined ? {} : { provider }),
      usage: usage ?? {},
    });
  }

  report(): UsageReport {
    return Object.freeze({ ...this.#answers.sums(), compaction: this.#summaries.sums() });
  }
}

class UsageSum {
  readonly #sumCosts: (() => CostSum) | undefined;
  readonly #all: CallSum;
  readonly #byModel = new Map<string | undefined, CallSum>();

  constructor(sumCosts: (() => CostSum) | undefined) {
    this.#sumCosts = sumCosts;
    this.#all = new CallSum(sumCosts?.());
  }

  add(use: ModelUse): void {
    const sum = this.#byModel.get(use.model) ?? new CallSum(this.#sumCosts?.());
    this.#byModel.set(use.model, sum);
    for (const one of [this.#all, sum]) one.add(use);
  }

  sums(): UsageSums {
    const byModel = [...this.#byModel]
      .map(([model, sum]) => Object.freeze({ ...(model === undefined ? {} : { model }), ...sum.total() }))
      .sort(({ model: a = '' }, { model: b = '' }) => (a < b ? -1 : a > b ? 1 : 0));
    return Object.freeze({ ...this.#all.total(), byModel: Object.freeze(byModel) });
  }
}

const tokenNames = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWriteLongTokens',
  'reasoningTokens',
  'totalTokens',
] as const;

class CallSum {
  #calls = 0;
  readonly #tokens: { -readonly [name in keyof TokenSums]: TokenSums[name] } = {};
  readonly #cost: CostSum | undefined;

  constructor(cost: CostSum | undefined) {
    this.#cost = cost;
  }

  add(use: ModelUse): void {
    this.#calls++;
    this.#cost?.add(use);
    for (const name of tokenNames) {
      const count = use.usage[name];
      if (count !== undefined) this.#tokens[name] = (this.#tokens[name] ?? 0) + count;
    }
  }

  total(): Omit<ModelUsage, 'model'> {
    const cost = this.#cost?.total();
    return { calls: this.#calls, tokens: Object.freeze({ ...this.#tokens }), ...(cost === undefined ? {} : { cost }) };
  }
}
