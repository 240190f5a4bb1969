import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession } from '../choose-session.ts';
import { countText } from '../display/index.ts';
import { modelForms } from '../model-choice.ts';
import { type ConnectedModel, modelHint } from '../models/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { agentOf } from './agent-of.ts';
import { newestEvents } from './newest-events.ts';
import { type Folded, printFold, summariesAfter } from './print-fold.ts';
import { reachModel } from './reach-model.ts';
import { readSeq } from './read-seq.ts';
import { whatWaits } from './what-waits.ts';
import { whileWaiting } from './while-waiting.ts';

/** Options of `palimpsest compact`. */
export interface CompactSessionOptions {
  readonly user?: string;
  readonly model?: string;
  readonly focus?: string;
  /** Seq, as it was typed. */
  readonly through?: string;
  readonly agent?: string;
}

/** Folds the older part of a session into a summary, and says what that did. */
export async function compactSession(
  terminal: Terminal,
  session: string,
  options: CompactSessionOptions,
): Promise<number> {
  const through = options.through === undefined ? undefined : readSeq('--through', options.through);
  if (options.focus?.trim() === '') throw noFocus();
  const connected = await reachModel(terminal, requireModel(terminal, options));
  const work = async (palimpsest: Palimpsest) => {
    const info = await chooseSession(palimpsest, { session, userId: options.user });
    if (through !== undefined && through > info.version) throw beyond(through, info);
    const agentName = options.agent ?? agentOf(await newestEvents(palimpsest, info.key, { limit: 20 }));
    const wanted = { agentName, ...(through === undefined ? {} : { through }), focus: options.focus };
    const folded = await whileWaiting(terminal, `Asking ${connected.model.name} for a summary`, () =>
      fold(terminal, palimpsest, { info, connected, wanted }),
    );
    return printFold(terminal, folded, (error) => modelHint(error, connected));
  };
  return withStore(terminal, work, { access: 'write' });
}

function requireModel({ io }: Terminal, { model }: CompactSessionOptions): string {
  const chosen = model ?? (io.env.PALIMPSEST_MODEL || undefined);
  if (chosen !== undefined) return chosen;
  const reason = `is needed, for a model writes the summary: ${modelForms}; or set PALIMPSEST_MODEL`;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: '--model', reason });
}

function noFocus(): PalimpsestError {
  const reason = 'is empty: say what the summary should dwell on, or leave it out';
  return new PalimpsestError('INVALID_ARGUMENT', { argument: '--focus', reason });
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
  const summaries = summariesAfter(version, await palimpsest.sessions.readBookkeeping(key));
  const waits = outcome.status === 'blocked' ? await whatWaits(palimpsest, key, outcome.by) : [];
  const after = summaries.length === 0 ? before : await size();
  const bound = through === undefined ? {} : { through };
  return { key, agentName, ...bound, outcome, summaries, waits, tokens: { before, after } };
}
