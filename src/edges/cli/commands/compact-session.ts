import type { CompactionOutcome } from '../../../context/compaction/index.ts';
import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import type { Event, SessionKey } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession } from '../choose-session.ts';
import { CommandFailure } from '../command-failure.ts';
import { countText, oneLine, rangesText, wrapHanging } from '../display/index.ts';
import { modelForms } from '../model-choice.ts';
import { type ConnectedModel, modelHint } from '../models/index.ts';
import { withStore } from '../open-store.ts';
import { exitCodes } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';
import { agentOf } from './agent-of.ts';
import { newestEvents } from './newest-events.ts';
import { reachModel } from './reach-model.ts';
import { readSeq } from './read-seq.ts';

/** Options of `palimpsest compact`. */
export interface CompactSessionOptions {
  readonly user?: string;
  readonly model?: string;
  readonly focus?: string;
  /** Seq, as it was typed. */
  readonly through?: string;
  readonly agent?: string;
}

/** What came of it, with what it did to the next request. */
interface Folded {
  readonly outcome: CompactionOutcome;
  readonly summaries: readonly Event[];
  readonly tokens: { readonly before: number; readonly after: number };
}

/** A person wants to see that something goes on. */
const patienceMs = 10_000;

const whyNothing = {
  allCovered: 'all that is older than the last exchange is covered already',
  retained: 'there is nothing older than the last exchange',
  nothingSaid: 'what is older says nothing that could be summarised',
  notDue: 'no more is due',
  backingOff: 'the summaries before this one failed',
} as const;

/** Folds the older part of a session into a summary, and says what that did. */
export async function compactSession(
  terminal: Terminal,
  session: string,
  options: CompactSessionOptions,
): Promise<number> {
  const connected = await reachModel(terminal, requireModel(terminal, options));
  const through = options.through === undefined ? undefined : readSeq('--through', options.through);
  const work = async (palimpsest: Palimpsest) => {
    const info = await chooseSession(palimpsest, { session, userId: options.user });
    if (through !== undefined && through > info.version) throw beyond(through, info);
    const agentName = options.agent ?? agentOf(await newestEvents(palimpsest, info.key, { limit: 20 }));
    const wanted = { agentName, ...(through === undefined ? {} : { through }), focus: options.focus };
    const folded = await whileTelling(terminal, connected, () =>
      fold(terminal, palimpsest, { info, connected, wanted }),
    );
    return tell(terminal, info.key, folded, connected);
  };
  return withStore(terminal, work, { access: 'write' });
}

function requireModel({ io }: Terminal, { model }: CompactSessionOptions): string {
  const chosen = model ?? (io.env.PALIMPSEST_MODEL || undefined);
  if (chosen !== undefined) return chosen;
  const reason = `is needed, for a model writes the summary: ${modelForms}; or set PALIMPSEST_MODEL`;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: '--model', reason });
}

function beyond(through: number, { version }: SessionInfo): PalimpsestError {
  const reason = `is ${through}, but the session has ${countText(version, 'event')}`;
  return new PalimpsestError('INVALID_ARGUMENT', { argument: '--through', reason });
}

interface Fold {
  readonly info: SessionInfo;
  readonly connected: ConnectedModel;
  readonly wanted: { readonly agentName: string; readonly through?: number; readonly focus: string | undefined };
}

async function fold({ io }: Terminal, palimpsest: Palimpsest, { info, connected, wanted }: Fold): Promise<Folded> {
  const { key, version } = info;
  const { agentName, through, focus } = wanted;
  const { model } = connected;
  const size = async () => {
    const { explanation } = await palimpsest.context(key, { agentName, provider: model.provider, recall: false });
    return explanation.tokens.n;
  };
  const before = await size();
  const outcome = await palimpsest.compact(key, {
    ...{ agentName, model, signal: io.signal },
    ...(through === undefined ? {} : { throughSeq: through }),
    ...(focus === undefined ? {} : { focus }),
  });
  const bookkeeping = await palimpsest.sessions.readBookkeeping(key, { fromSeq: version + 1 });
  const summaries = bookkeeping.filter(({ actions }) => actions.compaction !== undefined);
  return { outcome, summaries, tokens: { before, after: summaries.length === 0 ? before : await size() } };
}

async function whileTelling<T>(terminal: Terminal, { model }: ConnectedModel, work: () => Promise<T>): Promise<T> {
  const began = Date.now();
  terminal.note(`Asking ${oneLine(model.name)} for a summary …`);
  const telling = setInterval(() => {
    terminal.note(`… ${Math.round((Date.now() - began) / 1000)} s; Ctrl-C stops it, and nothing is changed.`);
  }, patienceMs);
  try {
    return await work();
  } finally {
    clearInterval(telling);
  }
}

function tell(terminal: Terminal, key: SessionKey, folded: Folded, connected: ConnectedModel): number {
  const { outcome, summaries, tokens } = folded;
  if (outcome.status === 'failed')
    throw new CommandFailure(outcome.error, factsOf(summaries), modelHint(outcome.error, connected));
  if (terminal.options.json) terminal.json({ session: key, ...outcome, ...factsOf(summaries), tokens });
  else for (const text of textsOf(folded)) for (const line of wrapHanging(text, terminal.width)) terminal.print(line);
  return outcome.status === 'blocked' || outcome.status === 'stale' ? exitCodes.failed : exitCodes.done;
}

function factsOf(summaries: readonly Event[]): { readonly summaries: readonly object[] } {
  return {
    summaries: summaries.flatMap(({ seq, actions }) => {
      const { covers, content } = actions.compaction ?? {};
      return covers === undefined ? [] : { seq, covers, content };
    }),
  };
}

function textsOf({ outcome, summaries, tokens }: Folded): string[] {
  const texts = summaries.flatMap(({ seq, actions }) => {
    const { covers, supersedes = [] } = actions.compaction ?? {};
    if (covers === undefined) return [];
    const instead = supersedes.length === 0 ? '' : `, in place of summary ${supersedes.join(', ')}`;
    return `Event ${seq} is a summary of events ${rangesText(covers)}${instead}.`;
  });
  if (texts.length > 0) {
    texts.push(`The next request has about ${tokens.after} tokens instead of ${tokens.before}.`);
    const newest = summaries.at(-1)?.seq;
    texts.push(`Nothing is lost: 'palimpsest expand <session> ${newest}' shows what it stands for.`);
  }
  return [...texts, ...restOf(outcome)];
}

function restOf(outcome: CompactionOutcome): string[] {
  if (outcome.status === 'nothingToDo') return [`Nothing was folded: ${whyNothing[outcome.why]}.`];
  if (outcome.status === 'blocked') {
    const events = outcome.by.length === 1 ? `event ${outcome.by[0]} waits` : `events ${outcome.by.join(', ')} wait`;
    return [`Nothing was folded: ${events} for an answer.`];
  }
  return outcome.status === 'stale' ? ['Nothing was folded: the session has changed meanwhile. Try again.'] : [];
}
