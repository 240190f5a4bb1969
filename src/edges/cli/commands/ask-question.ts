import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import type { Provider } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession, chooseUser, newestSessions } from '../choose-session.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { agentOf } from './agent-of.ts';
import { noteUnknownUser } from './note-unknown-user.ts';
import { printMemories } from './print-memories.ts';
import { printRequest } from './print-request.ts';

/** Options of `palimpsest ask`. */
export interface AskOptions {
  readonly user?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly provider: Provider;
  readonly limit: number;
  readonly full?: boolean;
}

const contentsShown = 6;

/** Shows the request that a question would become, with what memory recalls for it and where that comes from. */
export async function askQuestion(terminal: Terminal, question: string, options: AskOptions): Promise<void> {
  const work = async (palimpsest: Palimpsest) => {
    const userId = await chooseUser(palimpsest, options.user);
    const info = await sessionToAskIn(terminal, palimpsest, userId, options.session);
    await palimpsest.settled();
    const newest = await palimpsest.sessions.read(info.key, { newestFirst: true, limit: 20 });
    const agentName = options.agent ?? agentOf([...newest.items].reverse());
    const { provider } = options;
    const recall = { limit: options.limit };
    const request = await palimpsest.context(info.key, { question, agentName, provider, recall });
    if (terminal.options.json) {
      const { instruction, tools, contents, transient, memories } = request;
      terminal.json({
        session: info.key,
        agentName,
        provider,
        request: { instruction, tools, contents, transient },
        memories,
      });
      return;
    }
    terminal.print(terminal.paint.bold(`Recalled for this question (${request.memories.length})`));
    printMemories(terminal, request.memories);
    if (request.memories.length === 0) terminal.print('  nothing');
    terminal.print('');
    const full = options.full === true;
    printRequest(terminal, request, {
      agentName,
      provider,
      full,
      limit: full ? 0 : contentsShown,
      memoriesAbove: true,
    });
  };
  await withStore(terminal, work, { access: 'read', learn: true });
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
