import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';
import type { Event, Page, SessionKey } from '../../events/index.ts';
import type { SummarizerPatience } from './ask-summarizer.ts';
import { checkCount } from './check-count.ts';
import type {
  ComingRequest,
  CompactionOutcome,
  CompactOptions,
  Compactor,
  CompactorOptions,
  InvocationReport,
  OngoingInvocation,
  SentRequest,
} from './compactor.ts';
import { type CompactorSettings, readCompactorOptions } from './compactor-settings.ts';
import { type FiredTrigger, foldAtCeiling } from './decide.ts';
import { decideFold, sizeTriggers, toldBy, toldTriggers } from './due-folds.ts';
import { type ExpandOptions, expandSummary } from './expand-summary.ts';
import { FoldLine } from './fold-line.ts';
import { FoldMemory, nameOfSession } from './fold-memory.ts';
import { type FoldWindow, foldPlaceOf } from './fold-window.ts';
import { makeFold } from './make-fold.ts';
import { openInvocations } from './open-invocations.ts';
import type { FoldOptions } from './plan-fold.ts';
import { newestSummary, type SessionSurvey, takeSurvey, type WorkPlace } from './take-survey.ts';
import { countOutcome, tellOutcome } from './tell-outcome.ts';
import { trimToFit, trimWhenItPays } from './trim-results.ts';

/** Makes a compactor over a log and a model. Throws INVALID_ARGUMENT for options that cannot be. */
export function createCompactor(options: CompactorOptions): Compactor {
  return new FoldingCompactor(readCompactorOptions(options));
}

const mostFolds = 20;

/** A summary is made from at most this share of the context window: that much any model takes, marked and instructed. */
const sourceShare = 0.5;

/** A prompt that a fold could not bring below the ceiling is folded again when it has grown by that share of it. */
const growthShare = 0.1;

const lastInvocation = Object.freeze({ invocations: 1 });

/** Whose prompt is looked at where nobody says. */
const anyAgent = 'agent';

const notDue: CompactionOutcome = Object.freeze({ status: 'nothingToDo', why: 'notDue' });
const backingOff: CompactionOutcome = Object.freeze({ status: 'nothingToDo', why: 'backingOff' });
const stale: CompactionOutcome = Object.freeze({ status: 'stale' });

/** For folds by the run that is under way itself, or beside it. */
const noRuns = (): ReadonlySet<string> => new Set();

/** A fold that somebody wants. */
interface WantedFold {
  readonly trigger: string;
  readonly fold: FoldOptions;
  readonly focus?: string | undefined;
}

/** What a turn of folding came to. */
interface TurnEnd {
  readonly outcome: CompactionOutcome;
  /** What is left of the fold, where one summary did not take all. */
  readonly rest?: WantedFold;
  /** For whom and why it was tried. */
  readonly about?: { readonly agentName: string; readonly trigger: string };
}

class FoldingCompactor implements Compactor {
  readonly #settings: CompactorSettings;
  readonly #memory = new FoldMemory();
  readonly #line = new FoldLine();

  constructor(settings: CompactorSettings) {
    this.#settings = settings;
  }

  async afterInvocation(key: SessionKey, report: InvocationReport): Promise<CompactionOutcome> {
    const place = this.#placeOf(key);
    if (place.session.passInvocation(this.#settings.now())) return backingOff;
    return this.#drain(place, report.signal, (rest, isFirst) =>
      this.#afterReply(place, isFirst ? report : plain(report), rest),
    );
  }

  async duringInvocation(key: SessionKey, run: OngoingInvocation): Promise<CompactionOutcome> {
    const { isBeforeRequest, now } = this.#settings;
    const place = this.#placeOf(key);
    if (isBeforeRequest || this.#line.isBusy(nameOfSession(key))) return notDue;
    if (place.session.isBackingOff(now())) return backingOff;
    const end = await this.#inTurn(place, run.signal, () => this.#besideRun(place, run));
    return end.outcome;
  }

  async beforeModelCall(key: SessionKey, request: ComingRequest): Promise<CompactionOutcome> {
    const { isBeforeRequest, ceiling } = this.#settings;
    const place = this.#placeOf(key);
    const due = isBeforeRequest ? await this.#foldWhatIsDue(place, request) : notDue;
    const { promptTokens, ...unmeasured } = request;
    if (due.status === 'compacted') {
      const full = await this.#foldIfFull(place, unmeasured);
      return full.status === 'nothingToDo' ? due : full;
    }
    return (promptTokens ?? Number.POSITIVE_INFINITY) < ceiling ? due : this.#foldIfFull(place, request);
  }

  rests(key: SessionKey, { agentName, promptTokens }: SentRequest): boolean {
    const { trim, triggers } = this.#settings;
    const agent = this.#placeOf(key).session.agent(agentName);
    const { rest } = agent;
    agent.sentTokens = promptTokens;
    // A fold, or a rewind, has made it shorter: it grows from there.
    agent.restsFrom = Math.min(agent.restsFrom, promptTokens);
    if (rest === undefined || trim !== undefined || triggers.some(({ kind }) => !sizeTriggers.has(kind))) return false;
    const requests = rest.requests - 1;
    agent.rest = { ...rest, requests };
    return requests >= 0 && promptTokens - agent.restsFrom < rest.growth;
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
    const patience = { waitMs: this.#settings.waits.background, ...(signal && { signal }) };
    return this.#drain(place, signal, async (rest, isFirst) => {
      const left = isFirst ? wanted : rest;
      if (left === undefined) return { outcome: notDue };
      const survey = await takeSurvey(this.#settings, place, { agentName }, { openIn: openInvocations });
      return this.#fold(survey, left, patience);
    });
  }

  expand(key: SessionKey, compactionSeq: number, options?: ExpandOptions): Promise<Page<Event>> {
    return expandSummary(this.#settings.log, key, compactionSeq, options);
  }

  #placeOf(key: SessionKey): WorkPlace {
    return { key, session: this.#memory.of(nameOfSession(key)) };
  }

  /** Makes fold after fold, each in a turn of its own, until one of them comes to something else. */
  async #drain(
    place: WorkPlace,
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

  async #inTurn(place: WorkPlace, signal: AbortSignal | undefined, work: () => Promise<TurnEnd>): Promise<TurnEnd> {
    const turn = async (): Promise<TurnEnd> => {
      const end = await guarded(work);
      const done = 'status' in end ? { outcome: end } : end;
      await this.#note(place, done);
      return done;
    };
    const end = await this.#line.run(nameOfSession(place.key), turn, signal);
    return end ?? { outcome: { status: 'failed', error: new PalimpsestError('ABORTED', { what: 'The fold' }) } };
  }

  async #afterReply(place: WorkPlace, report: InvocationReport, rest: WantedFold | undefined): Promise<TurnEnd> {
    const { isBeforeRequest, triggers: all, ceiling, waits } = this.#settings;
    const triggers = isBeforeRequest ? all.filter(({ kind }) => toldTriggers.has(kind)) : all;
    const survey = await takeSurvey(this.#settings, place, report, { openIn: openInvocations, triggers });
    const patience = { waitMs: waits.background, ...(report.signal && { signal: report.signal }) };
    if (rest !== undefined) return this.#fold(survey, rest, patience);
    const told = isBeforeRequest ? {} : { ceilingTokens: ceiling };
    const due = decideFold(this.#settings, survey, triggers, { ...told, ...toldBy(report) });
    if (due.fires === undefined) return this.#trim(survey, due.requests);
    const focus = due.fires.trigger === 'modelDriven' ? report.asked?.focus : undefined;
    return this.#foldAsFired(survey, { focus, ...due.fires }, patience);
  }

  async #besideRun(place: WorkPlace, { signal, ...run }: OngoingInvocation): Promise<TurnEnd> {
    const triggers = this.#settings.triggers.filter(({ kind }) => sizeTriggers.has(kind));
    const survey = await takeSurvey(this.#settings, place, run, { openIn: noRuns, triggers });
    const due = decideFold(this.#settings, survey, triggers, { isWithinRun: true });
    if (due.fires === undefined) return this.#trim(survey, due.requests);
    const patience = { waitMs: this.#settings.waits.background, ...(signal && { signal }) };
    return this.#foldAsFired(survey, due.fires, patience);
  }

  /** The folds that triggers ask for, before the request that waits for them. */
  async #foldWhatIsDue(place: WorkPlace, request: ComingRequest): Promise<CompactionOutcome> {
    if (place.session.isBackingOff(this.#settings.now())) return backingOff;
    const triggers = this.#settings.triggers.filter(({ kind }) => !toldTriggers.has(kind));
    const patience = this.#patienceOf(request);
    const outcome = await this.#drain(place, patience.signal, async (rest) => {
      const survey = await takeSurvey(this.#settings, place, request, { openIn: openInvocations, triggers });
      if (rest !== undefined) return this.#unlessLate(await this.#fold(survey, rest, patience), request);
      const due = decideFold(this.#settings, survey, triggers, { isBeforeRequest: true });
      if (due.fires === undefined) return this.#trim(survey, due.requests);
      return this.#unlessLate(await this.#foldAsFired(survey, due.fires, patience), request);
    });
    return this.#unlessLate({ outcome }, request).outcome;
  }

  /** One fold, or a trim, if the coming request has reached the hard ceiling. */
  async #foldIfFull(place: WorkPlace, request: ComingRequest): Promise<CompactionOutcome> {
    const { folds } = place.session;
    const before = await guarded(() => this.#surveyIfFull(place, request, { folds }));
    if (before === undefined) return notDue;
    if ('status' in before) return before;
    const { session } = place;
    if (session.isBackingOff(this.#settings.now()) && this.#line.isBusy(nameOfSession(place.key))) return backingOff;
    const patience = this.#patienceOf(request);
    let hadTurn = false;
    const end = await this.#inTurn(place, patience.signal, async () => {
      hadTurn = true;
      // Another fold may have been made while this one waited for its turn.
      const still = await this.#surveyIfFull(place, request, { folds, window: before.window });
      if (still === undefined) return { outcome: notDue };
      const trimmed = await trimToFit(this.#settings, still, still.promptTokens);
      if (trimmed !== undefined) return { outcome: { status: 'compacted', event: trimmed } };
      if (session.isBackingOff(this.#settings.now())) return { outcome: backingOff };
      const made = await this.#foldAsFired(still, this.#firedByCeiling(request), patience);
      if (made.outcome.status === 'compacted') await this.#measureAgain(still, request);
      return this.#unlessLate(made, request);
    });
    // Whoever has waited in vain behind another fold does not wait for it at each request.
    if (!hadTurn && request.signal?.aborted !== true) session.noteFailure(this.#settings.now());
    return this.#unlessLate(end, request).outcome;
  }

  async #surveyIfFull(
    place: WorkPlace,
    request: ComingRequest,
    before: { readonly folds: number; readonly window?: FoldWindow },
  ): Promise<(SessionSurvey & { readonly promptTokens: number }) | undefined> {
    const survey = await takeSurvey(this.#settings, place, request, { openIn: noRuns });
    const { window = survey.window } = before;
    const isCurrent = place.session.folds === before.folds && newestSummary(window) === newestSummary(survey.window);
    const promptTokens = (isCurrent ? request.promptTokens : undefined) ?? survey.facts.promptTokens ?? 0;
    const { ceiling } = this.#settings;
    const { fullAt = Number.POSITIVE_INFINITY } = place.session.agent(request.agentName);
    const isWaiting = promptTokens >= fullAt && promptTokens < fullAt + growthShare * ceiling;
    return promptTokens < ceiling || isWaiting ? undefined : { ...survey, promptTokens };
  }

  /** Remembers that a fold was not enough. */
  async #measureAgain(
    before: SessionSurvey & { readonly promptTokens: number },
    request: ComingRequest,
  ): Promise<void> {
    const { facts } = await takeSurvey(this.#settings, before, request, { openIn: noRuns });
    // Estimates are compared with estimates: what the provider counts may differ from them.
    const spared = Math.max(0, (before.facts.promptTokens ?? 0) - (facts.promptTokens ?? 0));
    const promptTokens = before.promptTokens - spared;
    before.session.agent(request.agentName).fullAt = promptTokens < this.#settings.ceiling ? undefined : promptTokens;
  }

  /** What an agent in a scope of its own sees becomes shorter only there. */
  #firedByCeiling(request: ComingRequest): FiredTrigger {
    const { ceiling: ceilingTokens, summaryRegion } = this.#settings;
    const fires = foldAtCeiling({ ceilingTokens, summaryRegion });
    return request.isolationScope === undefined
      ? fires
      : { ...fires, fold: { ...fires.fold, place: foldPlaceOf(request) } };
  }

  #patienceOf({ signal }: ComingRequest): Required<SummarizerPatience> {
    const waitMs = this.#settings.waits.beforeRequest;
    const limit = AbortSignal.timeout(waitMs);
    return { waitMs, signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) };
  }

  async #trim(survey: SessionSurvey, requests: number): Promise<TurnEnd> {
    const event = await trimWhenItPays(this.#settings, survey, { requests });
    if (event === undefined) return { outcome: notDue };
    return { outcome: { status: 'compacted', event }, about: { agentName: survey.agentName, trigger: 'trim' } };
  }

  async #foldAsFired(
    survey: SessionSurvey,
    fires: FiredTrigger & Pick<WantedFold, 'focus'>,
    patience: SummarizerPatience,
  ): Promise<TurnEnd> {
    const fold = { seenBy: survey.view, ...fires.fold };
    const end = await this.#fold(survey, { ...fires, fold }, patience);
    if (end.outcome.status === 'compacted') survey.session.agent(survey.agentName).triggers = fires.stateAfter;
    return end;
  }

  async #fold(survey: SessionSurvey, wanted: WantedFold, patience: SummarizerPatience): Promise<TurnEnd> {
    const { log, summarizer, summaryRegion, contextWindow, trim } = this.#settings;
    const { agentName, facts, session } = survey;
    const { secondsSinceRequest } = facts;
    const { trigger, focus } = wanted;
    const { outcome, isPartial } = await makeFold(log, summarizer, {
      ...survey,
      ...{ trigger, trim, patience },
      fold: { summaryRegion, ...wanted.fold },
      ...(focus === undefined ? {} : { focus }),
      // Whatever went wrong with the agent's own request may go wrong again.
      ...(session.hasFailed
        ? {}
        : { sharing: { agentName, ...(secondsSinceRequest === undefined ? {} : { secondsSinceRequest }) } }),
      mostTokens: Math.floor(sourceShare * contextWindow),
    });
    const about = { agentName, trigger };
    // Windows follow one another by themselves.
    return isPartial && wanted.fold.most === undefined ? { outcome, about, rest: wanted } : { outcome, about };
  }

  async #note({ key, session }: WorkPlace, { outcome, about }: TurnEnd): Promise<void> {
    const { logger, telemetry, now } = this.#settings;
    const isNews = outcome.status !== 'blocked' || session.isNewlyBlocked(outcome.by);
    if (outcome.status === 'compacted') session.noteSuccess();
    if (outcome.status === 'failed' && outcome.error.code !== 'ABORTED') session.noteFailure(now());
    if (isNews) tellOutcome(logger, key, outcome);
    countOutcome(telemetry, outcome, about?.trigger);
    if (isNews && outcome.status === 'blocked') await this.#logBlocked(key, outcome.by, about?.agentName);
  }

  /** The log says what keeps it from being folded. */
  async #logBlocked(key: SessionKey, by: readonly number[], agentName: string | undefined): Promise<void> {
    const overflow = { why: 'blocked' as const, by, ...(agentName === undefined ? {} : { agentName }) };
    await guarded(() => this.#settings.log.append(key, [{ author: 'system', actions: { overflow } }]));
  }

  /** A wait that was over before its caller ended it is the summariser's failure. */
  #unlessLate(end: TurnEnd, { signal }: ComingRequest): TurnEnd {
    const { outcome } = end;
    if (outcome.status !== 'failed' || outcome.error.code !== 'ABORTED' || signal?.aborted) return end;
    const { waits, summarizer } = this.#settings;
    const reason = `no summary came within ${waits.beforeRequest} ms`;
    const details = { model: summarizer.model.name, reason, attempts: 1 };
    const error = new PalimpsestError('MODEL_FAILED', details, { cause: outcome.error });
    return { ...end, outcome: { status: 'failed', error } };
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

/** A report without what has been told with the first decision. */
function plain({ isTaskComplete: _, asked: __, ...report }: InvocationReport): InvocationReport {
  return report;
}
