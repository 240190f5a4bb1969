import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Palimpsest } from '../../../engine/index.ts';
import {
  answerMessage,
  asideOf,
  type ChatSession,
  type ChatSurroundings,
  Conversation,
  chooseChatSession,
  PromptInput,
  runChatCommand,
} from '../chat/index.ts';
import { countText } from '../display/index.ts';
import { modelForms } from '../model-choice.ts';
import type { ConnectedModel } from '../models/index.ts';
import { withStore } from '../open-store.ts';
import { exitCodes } from '../report-error.ts';
import { type CliIo, defaultApp, defaultFile, type Terminal } from '../terminal.ts';
import { agentOf } from './agent-of.ts';
import { checkTalkOptions, type TalkOptions } from './check-talk-options.ts';
import { reachModel } from './reach-model.ts';

/** Options of `palimpsest chat`. */
export interface ChatOptions extends TalkOptions {
  readonly model?: string;
  readonly system?: string;
  readonly tools: boolean;
}

interface Chat extends ChatSurroundings {
  readonly connected: ConnectedModel | undefined;
}

/**
 * Holds a conversation: at a terminal with a prompt; from a pipe each line is a message. Without a model every answer is
 * a labelled quotation of memory.
 */
export async function holdChat(terminal: Terminal, options: ChatOptions): Promise<number> {
  const { io } = terminal;
  checkTalkOptions(options);
  const chosen = options.model ?? io.env.PALIMPSEST_MODEL;
  const connected = chosen ? await reachModel(terminal, chosen) : undefined;
  const isNewFile = !existsSync(terminal.file);
  const work = async (palimpsest: Palimpsest) => {
    const session = await chooseChatSession(palimpsest, options);
    const agentName = options.agent ?? (await agentIn(palimpsest, session));
    const { system, tools } = options;
    const conversation = new Conversation(palimpsest, {
      key: session.key,
      connected,
      agentName,
      tools,
      ...(system === undefined ? {} : { system }),
    });
    const answeredBy = connected?.model.name ?? 'the offline model';
    if (connected === undefined) noteOffline(terminal);
    if (isNewFile) terminal.note(`Made ${terminal.file}.`);
    noteSession(terminal, session, { answeredBy, connected });
    const again = optionsAgain(terminal, session, options);
    const chat = { terminal, palimpsest, conversation, answeredBy, connected, options: again };
    return isInteractive(terminal) ? talk(chat) : answerLines(chat);
  };
  return withStore(terminal, work, { access: 'create', learn: true });
}

/** What must be given to come here again, whatever the environment is then and whoever else talks. */
function optionsAgain({ file, io, options: { app } }: Terminal, { key }: ChatSession, options: ChatOptions): string[] {
  return [
    ...(file === resolve(io.cwd, defaultFile) ? [] : ['--file', file]),
    ...(app === defaultApp ? [] : ['--app', app]),
    '--user',
    key.userId,
    ...(options.model === undefined ? [] : ['--model', options.model]),
    ...(options.system === undefined ? [] : ['--system', options.system]),
    ...(options.tools ? [] : ['--no-tools']),
  ];
}

/** Who spoke last in it, so that the model takes that agent's words for its own. */
async function agentIn(palimpsest: Palimpsest, { key, version }: ChatSession): Promise<string> {
  if (version === 0) return agentOf([]);
  const newest = await palimpsest.sessions.read(key, { newestFirst: true, limit: 20 });
  return agentOf([...newest.items].reverse());
}

function isInteractive({ io, options }: Terminal): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true && options.json !== true;
}

function noteOffline(terminal: Terminal): void {
  terminal.note(
    `No model is configured: every answer is a quotation of memory, and labelled so. Configure one with --model or PALIMPSEST_MODEL: ${modelForms}.`,
  );
}

function noteSession(
  terminal: Terminal,
  { key, version }: ChatSession,
  { answeredBy, connected }: { readonly answeredBy: string; readonly connected: ConnectedModel | undefined },
): void {
  const { offered = [], baseUrl } = connected ?? {};
  if (offered.length > 1) {
    const others = offered.slice(1, 6).join(', ') + (offered.length > 6 ? ', …' : '');
    terminal.note(`${answeredBy} is the first model of that server; ${baseUrl}#<name> takes another: ${others}.`);
  }
  const state = version === 0 ? 'a new session' : `so far ${countText(version, 'event')}`;
  const rest = isInteractive(terminal) ? ' /help lists commands.' : '';
  terminal.note(`${key.sessionId} (${state}) of user "${key.userId}", answered by ${answeredBy}.${rest}`);
}

/** A conversation with a person at the terminal, until they leave. */
async function talk(chat: Chat): Promise<number> {
  const { terminal } = chat;
  const input = new PromptInput(terminal.io, terminal.paint.bold('> '));
  try {
    let isWarned = false;
    for (;;) {
      const typed = await input.ask();
      if (terminal.io.signal.aborted) return exitCodes.interrupted;
      if (typed === 'end') {
        terminal.print('');
        return exitCodes.done;
      }
      if (typed === 'interrupt') {
        if (isWarned) return exitCodes.interrupted;
        terminal.print(terminal.paint.dim('Ctrl-C once more leaves; so do Ctrl-D and /exit.'));
        isWarned = true;
        continue;
      }
      isWarned = false;
      if (typed.text.startsWith('/')) {
        if ((await runChatCommand(chat, typed.text)) === 'leave') return exitCodes.done;
      } else await input.during((signal) => answerTyped(chat, typed.text.trim(), signal));
    }
  } finally {
    input.close();
  }
}

async function answerTyped({ terminal, conversation, connected }: Chat, message: string, signal: AbortSignal) {
  if (message === '') return;
  const answered = await answerMessage(terminal, { conversation, message }, { signal, connected });
  if (answered === 'stopped') asideOf(terminal)('stopped; what had come is stored as interrupted');
  if (answered === 'stoppedBefore') asideOf(terminal)('stopped before anything came');
  terminal.print('');
}

/** Each line of a pipe is a message; one that fails does not stop the others. */
async function answerLines({ terminal, conversation, connected }: Chat): Promise<number> {
  const { io } = terminal;
  const signal = io.signal;
  let isFailed = false;
  for await (const line of linesOf(io)) {
    const message = line.trim();
    if (message === '') continue;
    const answered = await answerMessage(terminal, { conversation, message }, { signal, connected });
    if (signal.aborted) break;
    isFailed ||= answered === 'failed';
  }
  if (signal.aborted) return exitCodes.interrupted;
  return isFailed ? exitCodes.failed : exitCodes.done;
}

function linesOf({ stdin, signal }: CliIo): AsyncIterable<string> {
  return createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
}
