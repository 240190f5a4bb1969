import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import type { Provider, SessionKey } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession, chooseUser, newestSessions } from '../choose-session.ts';
import { modelForms, parseModelChoice, providerOfChoice } from '../model-choice.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { agentOf } from './agent-of.ts';
import { checkTalkOptions, type TalkOptions } from './check-talk-options.ts';
import { noteUnknownUser } from './note-unknown-user.ts';
import { printMemories } from './print-memories.ts';
import { printRequest } from './print-request.ts';

/** Options of `palimpsest ask`. */
export interface AskOptions extends TalkOptions {
  readonly model?: string;
  readonly system?: string;
  readonly tools: boolean;
  readonly dryRun?: boolean;
  readonly provider?: Provider;
  readonly limit: number;
  readonly full?: boolean;
}

/** Where a question is asked, and for whom the request is. */
export interface AskedIn {
  readonly key: SessionKey;
  readonly agentName: string;
}

const contentsShown = 6;

/** The model that `ask` sends its question to, if it sends it at all. */
export function modelAsked(
  { model, dryRun }: Pick<AskOptions, 'model' | 'dryRun'>,
  env: Terminal['io']['env'],
): string | undefined {
  return dryRun === true ? undefined : modelConfigured(model, env);
}

function modelConfigured(model: string | undefined, env: Terminal['io']['env']): string | undefined {
  return model ?? (env.PALIMPSEST_MODEL || undefined);
}

/**
 * Asks the model that is configured. Without one, or for a dry run, shows the request that a question would become, with
 * what memory recalls for it and where that comes from.
 */
export async function askQuestion(terminal: Terminal, question: string, options: AskOptions): Promise<void> {
  checkTalkOptions(options);
  const model = modelAsked(options, terminal.io.env);
  if (model === undefined) return showRequest(terminal, question, options);
  const { askModel } = await import('./ask-model.ts');
  await askModel(terminal, question, { ...options, model });
}

async function showRequest(terminal: Terminal, question: string, options: AskOptions): Promise<void> {
  const configured = modelConfigured(options.model, terminal.io.env);
  const choice = configured === undefined ? undefined : parseModelChoice(configured);
  const provider = options.provider ?? (choice === undefined ? 'gemini' : providerOfChoice(choice));
  const work = async (palimpsest: Palimpsest) => {
    const { key, agentName } = await askedIn(terminal, palimpsest, options);
    const recall = { limit: options.limit };
    const request = await palimpsest.context(key, { question, agentName, provider, recall });
    if (terminal.options.json) {
      const { instruction, tools, contents, transient, memories } = request;
      terminal.json({
        session: key,
        agentName,
        provider,
        request: { instruction, tools, contents, transient },
        memories,
      });
      return;
    }
    printRecalled(terminal, request.memories);
    const full = options.full === true;
    const printed = { ...request, tokens: request.explanation.tokens };
    printRequest(terminal, printed, {
      agentName,
      provider,
      full,
      limit: full ? 0 : contentsShown,
      memoriesAbove: true,
    });
    if (choice === undefined) {
      terminal.note(
        `No model is configured, so nothing was sent. Configure one with --model or PALIMPSEST_MODEL: ${modelForms}.`,
      );
    }
  };
  await withStore(terminal, work, { access: 'read', learn: true });
}

/** Prints what was recalled for a question, and an empty line. */
export function printRecalled(terminal: Terminal, memories: Parameters<typeof printMemories>[1]): void {
  terminal.print(terminal.paint.bold(`Recalled for this question (${memories.length})`));
  printMemories(terminal, memories);
  if (memories.length === 0) terminal.print('  nothing');
  terminal.print('');
}

/** The session that is meant, once memory has read what there is, and the agent that is asked. */
export async function askedIn(terminal: Terminal, palimpsest: Palimpsest, options: TalkOptions): Promise<AskedIn> {
  const userId = await chooseUser(palimpsest, options.user);
  const { key } = await sessionToAskIn(terminal, palimpsest, userId, options.session);
  await palimpsest.settled();
  if (options.agent !== undefined) return { key, agentName: options.agent };
  const newest = await palimpsest.sessions.read(key, { newestFirst: true, limit: 20 });
  return { key, agentName: agentOf([...newest.items].reverse()) };
}

async function sessionToAskIn(
  terminal: Terminal,
  palimpsest: Palimpsest,
  userId: string,
  session: string | undefined,
): Promise<SessionInfo> {
  if (session !== undefined) return chooseSession(palimpsest, { session, userId });
  const [newest] = await newestSessions(palimpsest, userId);
  if (newest !== undefined) {
    terminal.note(`Asked in ${newest.key.sessionId}, the newest session; --session chooses another.`);
    return newest;
  }
  await noteUnknownUser(terminal, palimpsest, userId);
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: '--user', reason: `"${userId}" has no session to ask in` });
}
