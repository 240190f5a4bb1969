import type { RequestTokens } from '../context/assembly/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import type { Event, EventInput, SessionKey, View } from '../events/index.ts';
import { type RequestText, type Session, textProblem } from '../sessions/index.ts';
import type { HeldEvents } from './held-events.ts';
import type { FinishReport, Invocation, PreparedRequest, RequestInput } from './invocation-driver.ts';
import { isBookkeepingInput } from './is-bookkeeping-input.ts';
import { nameOfSender } from './next-request.ts';
import { namedHashes } from './request-journal.ts';
import { type MadeRequest, RequestMaker } from './request-maker.ts';
import { appendHeld, type BegunInvocation, type SharedParts } from './shared-parts.ts';
import { hiddenByWindow, shortened, shorterThan } from './shorter-request.ts';

/** An invocation from its beginning to its end. */
export class RunningInvocation implements Invocation {
  readonly key: SessionKey;
  readonly invocationId: string;
  readonly session: Session;
  readonly begun: readonly Event[];
  readonly signal: AbortSignal;
  readonly #shared: SharedParts;
  readonly #begun: BegunInvocation;
  readonly #maker: RequestMaker;
  /** What journals of this invocation name by hash and is not kept yet: stored with the events that these stand on. */
  readonly #texts = new Map<string, { readonly text: RequestText; readonly held: HeldEvents }>();
  /** The last request. */
  #last: Pick<MadeRequest, 'name' | 'tokens' | 'view'> | undefined;
  #endsAgent = false;
  #finishing: Promise<void> | undefined;

  constructor(shared: SharedParts, begun: BegunInvocation) {
    this.#shared = shared;
    this.#begun = begun;
    this.#maker = new RequestMaker(shared, begun);
    this.key = begun.session.key;
    this.invocationId = begun.invocationId;
    this.session = begun.session;
    this.begun = begun.begun;
    this.signal = begun.held.signal;
  }

  async request(input: RequestInput): Promise<PreparedRequest> {
    const view = this.#viewOf(input);
    const { compaction, sent } = this.#shared;
    const { agentName, provider } = view;
    const promptTokens = this.#last?.tokens.n;
    if (promptTokens !== undefined) compaction?.duringRun(this.key, { agentName, provider, promptTokens });
    const { made, leftOut = 0 } = await this.#fitting(input, view);
    const { name, tokens, journal, texts, held } = made;
    for (const text of texts) if (!held.keptTexts.has(text.hash)) this.#texts.set(text.hash, { text, held });
    this.#last = { name, tokens, view: journal.view };
    if (compaction !== undefined) sent.set(nameOfSender(this.key, agentName), { input, view });
    const prepared = await this.#maker.complete(made);
    return leftOut === 0 ? prepared : { ...prepared, leftOut };
  }

  async record(events: readonly EventInput[]): Promise<readonly Event[]> {
    if (!Array.isArray(events))
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'events', reason: 'must be a list of events' });
    if (this.#last !== undefined && events.some(({ errorCode }: EventInput) => errorCode === 'MODEL_FAILED'))
      this.#shared.caching?.noteFailure(this.#last.name);
    const named = events.map((event: EventInput) =>
      isBookkeepingInput(event) ? event : { ...event, invocationId: event.invocationId ?? this.invocationId },
    );
    const texts = this.#textsOf(named);
    const stored = await appendHeld(this.#shared, this.#begun, named, texts);
    this.#endsAgent ||= stored.some(({ actions }) => actions.endOfAgent === true);
    for (const { hash } of texts) {
      this.#texts.get(hash)?.held.keptTexts.add(hash);
      this.#texts.delete(hash);
    }
    return stored;
  }

  finish(report: FinishReport = {}): Promise<void> {
    this.#finishing ??= this.#finish(report);
    return this.#finishing;
  }

  /** The request; at the ceiling the one after a fold, or without the oldest of the log. */
  async #fitting(input: RequestInput, view: View): Promise<{ readonly made: MadeRequest; readonly leftOut?: number }> {
    const { compaction, refused } = this.#shared;
    const { agentName, provider } = view;
    const limits = compaction?.limitsOf(agentName);
    const made = await this.#maker.make(input, view);
    if (compaction === undefined || limits === undefined) return { made };
    if (input.tooLong !== undefined) return this.#withoutOldest(made, 'tooLong', this.#noteTooLong(input.tooLong));
    const ceiling = Math.min(limits.ceiling, refused.get(nameOfSender(this.key, agentName)) ?? limits.ceiling);
    const isFull = ({ n }: RequestTokens) => n >= ceiling;
    if (!isFull(made.tokens) && !limits.isAlwaysAsked) return { made };
    const { signal } = this;
    const outcome = await compaction.beforeModelCall(this.key, {
      ...{ agentName, provider, signal },
      promptTokens: made.tokens.n,
    });
    const after = outcome.status === 'compacted' ? await this.#maker.make(input, view) : made;
    return isFull(after.tokens) ? this.#withoutOldest(after, 'ceiling', ceiling) : { made: after };
  }

  /** Leaves out of one request the oldest that can be, so that it has fewer tokens than the limit, and logs that. */
  async #withoutOldest(
    whole: MadeRequest,
    why: 'ceiling' | 'tooLong',
    limit: number,
  ): Promise<{ readonly made: MadeRequest; readonly leftOut?: number }> {
    const { view, input, tokens } = whole;
    const made = await this.#maker.make(input, shortened(view, tokens, limit));
    const leftOut = hiddenByWindow(made);
    if (leftOut <= hiddenByWindow(whole)) return { made: whole };
    const { agentName } = view;
    await this.record([
      { author: 'system', actions: { overflow: { why, agentName, tokens: tokens.n, limit, leftOut } } },
    ]);
    return { made, leftOut };
  }

  /** How many tokens the request may have, now that the last one was refused. */
  #noteTooLong({ maximumTokens }: NonNullable<RequestInput['tooLong']>): number {
    const limit = shorterThan(this.#last?.tokens.n, maximumTokens);
    const { agentName } = this.#begun;
    // A guess holds for this session: what was refused may have been something else than the length of a log.
    if (maximumTokens === undefined) this.#shared.refused.set(nameOfSender(this.key, agentName), limit);
    else this.#shared.compaction?.noteLimit(agentName, maximumTokens);
    return limit;
  }

  /** What is too large to be kept is left out: the answer is stored all the same. */
  #textsOf(events: readonly EventInput[]): readonly RequestText[] {
    const hashes = new Set(events.flatMap(({ request }) => namedHashes(request)));
    return [...hashes].flatMap((hash) => {
      const text = this.#texts.get(hash)?.text;
      return text === undefined || textProblem(text) !== undefined ? [] : text;
    });
  }

  async #finish({ asked }: FinishReport): Promise<void> {
    const { logs, logger, afterRun, compaction } = this.#shared;
    logs.keep(this.#begun.log);
    await this.#begun.held.release();
    try {
      afterRun?.(this.key);
      const { agentName } = this.#begun;
      const { provider } = this.#last?.view ?? {};
      compaction?.afterRun(this.key, {
        agentName,
        ...(provider && { provider }),
        ...(this.#last && { promptTokens: this.#last.tokens.n }),
        ...(asked && { asked }),
        isTaskComplete: this.#endsAgent,
      });
    } catch (error) {
      logger.error('What follows a run failed.', { sessionId: this.key.sessionId, error: String(error) });
    } finally {
      this.#begun.leave();
    }
  }

  #viewOf({ provider, history = 'full' }: RequestInput): View {
    if (provider !== 'gemini' && provider !== 'anthropic' && provider !== 'openai')
      throw new PalimpsestError('INVALID_ARGUMENT', {
        argument: 'provider',
        reason: 'must be gemini, anthropic or openai',
      });
    return { agentName: this.#begun.agentName, provider, history };
  }
}
