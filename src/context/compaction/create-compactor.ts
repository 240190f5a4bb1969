import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';
import type { Event, Page, SessionKey, View } from '../../events/index.ts';
import { silentLogger } from '../../models/index.ts';
import type { SummarizerPatience } from './ask-summarizer.ts';
import { checkCount } from './check-count.ts';
import type {
  ComingRequest,
  CompactionFor,
  CompactionOutcome,
  CompactOptions,
  Compactor,
  CompactorOptions,
  InvocationReport,
} from './compactor.ts';
import { ceilingOf, decide, type FiredTrigger } from './decide.ts';
import { type ExpandOptions, expandSummary } from './expand-summary.ts';
import { FoldLine } from './fold-line.ts';
import { FoldMemory, nameOfSession, type SessionMemory } from './fold-memory.ts';
import { foldPricesOf } from './fold-prices.ts';
import { type FoldWindow, foldPlaceOf } from './fold-window.ts';
import { makeFold } from './make-fold.ts';
import { openInvocations } from './open-invocations.ts';
import type { FoldOptions } from './plan-fold.ts';
import { observedOverhead, readFacts, type WindowFacts } from './read-facts.ts';
import { defaultSummaryRegion } from './summaries-to-merge.ts';
import { tellOutcome } from './tell-outcome.ts';
import { rentOrBuy, type Trigger } from './triggers.ts';
import type { Summarizer } from './write-summary.ts';

/** Makes a compactor over a log and a model. Throws INVALID_ARGUMENT for options that cannot be. */
export function createCompactor(options: CompactorOptions): Compactor {
  return new FoldingCompactor(options);
}

const mostFolds = 20;
const defaultContextWindow = 128_000;
const defaultWaits = { beforeRequest: 20_000, background: 120_000 };

/** A summary is made from at most this share of the context window: that much any model takes, marked and instructed. */
const sourceShare = 0.5;

const lastInvocation = Object.freeze({ invocations: 1 });

/** Whose prompt is looked at where nobody says. */
const anyAgent = 'agent';

const notDue: CompactionOutcome = Object.freeze({ status: 'nothingToDo', why: 'notDue' });
const backingOff: CompactionOutcome = Object.freeze({ status: 'nothingToDo', why: 'backingOff' });
const stale: CompactionOutcome = Object.freeze({ status: 'stale' });
const noRuns: ReadonlySet<string> = new Set();

/** A session at work. */
interface Place {
  readonly key: SessionKey;
  readonly session: SessionMemory;
}

/** What stands in a session at one moment, as an agent sees it. */
interface Survey extends Place {
  readonly agentName: string;
  readonly view: View;
  readonly window: FoldWindow;
  readonly facts: WindowFacts;
  /** The runs under way whose events are left alone. */
  readonly openIn: (window: FoldWindow) => ReadonlySet<string>;
}

/** A fold that somebody wants. */
interface WantedFold {
  readonly trigger: string;
  readonly fold: FoldOptions;
  readonly focus?: string | undefined;
}

/** A fold that the size of a request asks for. */
interface Due {
  readonly survey: Survey;
  readonly fires: FiredTrigger;
}

/** What a turn of folding came to. */
interface TurnEnd {
  readonly outcome: CompactionOutcome;
  /** What is left of the fold, where one summary did not take all. */
  readonly rest?: WantedFold;
}

class FoldingCompactor implements Compactor {
  readonly #options: CompactorOptions;
  readonly #summarizer: Summarizer;
  readonly #triggers: readonly Trigger[];
  readonly #contextWindow: number;
  readonly #summaryRegion: number;
  readonly #waits: typeof defaultWaits;
  readonly #memory = new FoldMemory();
  readonly #line = new FoldLine();

  constructor(options: CompactorOptions) {
    const { model, requestOf, logger = silentLogger, triggers = [rentOrBuy()] } = options;
    const prices = options.prices ?? foldPricesOf({ agent: model, summarizer: model });
    this.#options = options;
    this.#summarizer = { model, prices, logger, ...(requestOf && { requestOf }) };
    this.#triggers = triggers;
    this.#contextWindow = checkCount('contextWindow', options.contextWindow ?? defaultContextWindow);
    this.#summaryRegion = checkCount('summaryRegion', options.summaryRegion ?? defaultSummaryRegion);
    this.#waits = { ...defaultWaits, ...options.waitMs };
    for (const [name, ms] of Object.entries(this.#waits)) checkCount(`waitMs.${name}`, ms);
  }

  async afterInvocation(key: SessionKey, report: InvocationReport): Promise<CompactionOutcome> {
    const place = this.#placeOf(key);
    const { session } = place;
    session.agent(report.agentName).requests += report.requests ?? 1;
    if (session.passInvocation(this.#now())) return backingOff;
    return this.#drain(place, undefined, (rest, isFirst) =>
      this.#afterReply(place, isFirst ? report : plain(report), rest),
    );
  }

  async beforeModelCall(key: SessionKey, request: ComingRequest): Promise<CompactionOutcome> {
    if ((request.promptTokens ?? Number.POSITIVE_INFINITY) < this.#ceiling) return notDue;
    const place = this.#placeOf(key);
    const due = await guarded(() => this.#dueAtCeiling(place, request));
    if (due === undefined) return notDue;
    if ('status' in due) return due;
    if (place.session.isBackingOff(this.#now())) return backingOff;
    const waitMs = this.#waits.beforeRequest;
    const limit = AbortSignal.timeout(waitMs);
    const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
    const end = await this.#inTurn(place, signal, async () => {
      // Another fold may have been made while this one waited for its turn.
      const still = await this.#dueAtCeiling(place, request, due.survey.window);
      if (still === undefined) return { outcome: notDue };
      const made = await this.#fold(still.survey, still.fires, { waitMs, signal });
      if (made.outcome.status === 'compacted') settle(still.survey, still.fires);
      return { outcome: this.#unlessLate(made.outcome, request.signal) };
    });
    return this.#unlessLate(end.outcome, request.signal);
  }

  async compact(key: SessionKey, options: CompactOptions = {}): Promise<CompactionOutcome> {
    const { throughSeq, trigger = 'asked', focus, agentName = anyAgent, signal } = options;
    const wanted: WantedFold = {
      trigger,
      fold:
        throughSeq === undefined ? { retain: lastInvocation } : { throughSeq: checkCount('throughSeq', throughSeq) },
      ...(focus === undefined ? {} : { focus }),
    };
    const place = this.#placeOf(key);
    const patience = { waitMs: this.#waits.background, ...(signal && { signal }) };
    return this.#drain(place, signal, async (rest, isFirst) => {
      const left = isFirst ? wanted : rest;
      if (left === undefined) return { outcome: notDue };
      return this.#fold(await this.#survey(place, { agentName }, openInvocations), left, patience);
    });
  }

  expand(key: SessionKey, compactionSeq: number, options?: ExpandOptions): Promise<Page<Event>> {
    return expandSummary(this.#options.log, key, compactionSeq, options);
  }

  get #ceiling(): number {
    return ceilingOf(this.#contextWindow);
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #placeOf(key: SessionKey): Place {
    return { key, session: this.#memory.of(nameOfSession(key)) };
  }

  /** Makes fold after fold, each in a turn of its own, until one of them comes to something else. */
  async #drain(
    place: Place,
    signal: AbortSignal | undefined,
    work: (rest: WantedFold | undefined, isFirst: boolean) => Promise<TurnEnd>,
  ): Promise<CompactionOutcome> {
    let last: TurnEnd = { outcome: notDue };
    for (let folds = 0; folds < mostFolds; folds++) {
      const { rest } = last;
      const end = await this.#inTurn(place, signal, () => work(rest, folds === 0));
      if (end.outcome.status !== 'compacted')
        return folds > 0 && end.outcome.status === 'nothingToDo' ? last.outcome : end.outcome;
      last = end;
    }
    return last.outcome;
  }

  async #inTurn(place: Place, signal: AbortSignal | undefined, work: () => Promise<TurnEnd>): Promise<TurnEnd> {
    const { key } = place;
    const turn = async (): Promise<TurnEnd> => {
      const end = await guarded(work);
      const done = 'status' in end ? { outcome: end } : end;
      this.#note(place, done.outcome);
      return done;
    };
    const end = await this.#line.run(nameOfSession(key), turn, signal);
    return end ?? { outcome: { status: 'failed', error: new PalimpsestError('ABORTED', { what: 'The fold' }) } };
  }

  async #afterReply(place: Place, report: InvocationReport, rest: WantedFold | undefined): Promise<TurnEnd> {
    const survey = await this.#survey(place, report, openInvocations, this.#triggers);
    const fires = rest === undefined ? this.#decideAfter(survey, report) : undefined;
    const wanted = rest ?? fires;
    if (wanted === undefined) return { outcome: notDue };
    const focus = wanted.trigger === 'modelDriven' ? report.asked?.focus : undefined;
    const end = await this.#fold(survey, { focus, ...wanted }, { waitMs: this.#waits.background });
    if (fires !== undefined && end.outcome.status === 'compacted') settle(survey, fires);
    return end;
  }

  #decideAfter({ session, agentName, facts }: Survey, { isTaskComplete = false, asked }: InvocationReport) {
    const agent = session.agent(agentName);
    const { prices } = this.#summarizer;
    const throughSeq = asked?.throughSeq;
    const { state, fires } = decide(
      this.#triggers,
      {
        ...facts,
        ceilingTokens: this.#ceiling,
        isTaskComplete,
        ...(asked && { asked: throughSeq === undefined ? {} : { throughSeq } }),
        requests: agent.requests,
        prices,
        summaryRegion: this.#summaryRegion,
      },
      agent.triggers,
    );
    agent.requests = 0;
    agent.triggers = state;
    return fires;
  }

  /** The fold that the hard ceiling asks for, if the coming request has reached it. */
  async #dueAtCeiling(place: Place, request: ComingRequest, before?: FoldWindow): Promise<Due | undefined> {
    const survey = await this.#survey(place, request, () => noRuns);
    const isCurrent = before === undefined || newestSummary(before) === newestSummary(survey.window);
    const promptTokens = (isCurrent ? request.promptTokens : undefined) ?? survey.facts.promptTokens ?? 0;
    const { fires } = decide(
      [],
      { ...survey.facts, promptTokens, ceilingTokens: this.#ceiling, summaryRegion: this.#summaryRegion },
      place.session.agent(request.agentName).triggers,
    );
    if (fires === undefined) return undefined;
    // What an agent in a scope of its own sees becomes shorter only there.
    const fold = request.isolationScope === undefined ? fires.fold : { ...fires.fold, place: foldPlaceOf(request) };
    return { survey, fires: { ...fires, fold } };
  }

  async #survey(
    { key, session }: Place,
    { agentName, provider = this.#options.model.provider, ...where }: CompactionFor,
    openIn: Survey['openIn'],
    triggers: readonly Trigger[] = [],
  ): Promise<Survey> {
    const view: View = { agentName, ...foldPlaceOf(where), history: 'full', provider };
    const window = await this.#options.log.readLive(key, view);
    const agent = session.agent(agentName);
    agent.overheadTokens = observedOverhead(window, view) ?? agent.overheadTokens;
    const facts = readFacts(window, triggers, {
      view,
      now: this.#now(),
      overheadTokens: agent.overheadTokens,
      openInvocations: openIn(window),
      summaryRegion: this.#summaryRegion,
    });
    return { key, session, agentName, view, window, facts, openIn };
  }

  async #fold(survey: Survey, wanted: WantedFold, patience: SummarizerPatience): Promise<TurnEnd> {
    const { agentName, facts, session } = survey;
    const { secondsSinceRequest } = facts;
    const { outcome, isPartial } = await makeFold(this.#options.log, this.#summarizer, {
      ...survey,
      trigger: wanted.trigger,
      fold: { summaryRegion: this.#summaryRegion, ...wanted.fold },
      ...(wanted.focus === undefined ? {} : { focus: wanted.focus }),
      // Whatever went wrong with the agent's own request may go wrong again.
      ...(session.hasFailed
        ? {}
        : { sharing: { agentName, ...(secondsSinceRequest === undefined ? {} : { secondsSinceRequest }) } }),
      patience,
      mostTokens: Math.floor(sourceShare * this.#contextWindow),
    });
    // Windows follow one another by themselves.
    return isPartial && wanted.fold.most === undefined ? { outcome, rest: wanted } : { outcome };
  }

  #note({ key, session }: Place, outcome: CompactionOutcome): void {
    const isNews = outcome.status !== 'blocked' || session.isNewlyBlocked(outcome.by);
    if (outcome.status === 'compacted') session.noteSuccess();
    if (outcome.status === 'failed' && outcome.error.code !== 'ABORTED') session.noteFailure(this.#now());
    if (isNews) tellOutcome(this.#summarizer.logger, key, outcome);
  }

  /** A wait that was over before its caller ended it is the summariser's failure. */
  #unlessLate(outcome: CompactionOutcome, signal: AbortSignal | undefined): CompactionOutcome {
    if (outcome.status !== 'failed' || outcome.error.code !== 'ABORTED' || signal?.aborted) return outcome;
    const reason = `no summary came within ${this.#waits.beforeRequest} ms`;
    const details = { model: this.#summarizer.model.name, reason, attempts: 1 };
    return { status: 'failed', error: new PalimpsestError('MODEL_FAILED', details, { cause: outcome.error }) };
  }
}

/** What a log throws, as an outcome, but for what its caller got wrong. */
async function guarded<T>(work: () => Promise<T>): Promise<T | CompactionOutcome> {
  try {
    return await work();
  } catch (error) {
    if (isPalimpsestError(error, 'SESSION_NOT_FOUND')) return stale;
    const isOfCaller = isPalimpsestError(error, 'INVALID_ID') || isPalimpsestError(error, 'INVALID_ARGUMENT');
    if (isOfCaller || !isPalimpsestError(error)) throw error;
    return { status: 'failed', error };
  }
}

function settle({ session, agentName }: Survey, { stateAfter }: FiredTrigger): void {
  session.agent(agentName).triggers = stateAfter;
}

function newestSummary({ coverage }: FoldWindow): number {
  return Math.max(0, ...coverage.summaries.map(({ seq }) => seq));
}

/** A report without what has been told with the first decision. */
function plain({ isTaskComplete: _, asked: __, ...report }: InvocationReport): InvocationReport {
  return report;
}
