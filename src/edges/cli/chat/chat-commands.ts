import type { Palimpsest } from '../../../engine/index.ts';
import { printMemories } from '../commands/print-memories.ts';
import { printRequest } from '../commands/print-request.ts';
import { countText, shellCommand, wrapHanging } from '../display/index.ts';
import type { Terminal } from '../terminal.ts';
import type { Conversation } from './conversation.ts';

/** What a command of the chat works with. */
export interface ChatSurroundings {
  readonly terminal: Terminal;
  readonly palimpsest: Palimpsest;
  readonly conversation: Conversation;
  /** Who answers, in words. */
  readonly answeredBy: string;
  /** Options of the command line that lead to this store, user and model again. */
  readonly options: readonly string[];
}

type ChatCommand = (around: ChatSurroundings, argument: string) => Promise<void> | void;

const memoriesShown = 10;

const help = `Type a message and Enter. A pasted text of several lines is one message. With a space in front a message may begin with /.
  /why               memories recalled for the last answer, and their sources
  /context           the last request, one line a text; whole: /context full
  /memories <query>  search what is remembered of you
  /session           which conversation this is, and how to go on in it later
  /help              this
  /exit              leave; Ctrl-D does too
Ctrl-C stops an answer, or clears what is typed.`;

const commands: { readonly [name: string]: ChatCommand } = {
  help: ({ terminal }) => {
    for (const line of wrapHanging(help, terminal.width)) terminal.print(line);
  },
  why: ({ terminal, conversation }) => {
    const memories = conversation.lastMemories;
    if (memories.length > 0) printMemories(terminal, memories);
    else terminal.print('No memory was recalled for the last answer.');
  },
  context: ({ terminal, conversation }, argument) => {
    const prepared = conversation.lastRequest;
    if (prepared === undefined) {
      terminal.print('Nothing has been sent yet.');
      return;
    }
    const { agentName, provider } = conversation;
    const { request, memories, tokens, assembly } = prepared;
    const full = argument === 'full';
    const printing = { agentName, provider, full, limit: 0, memoriesAbove: false, assembly };
    printRequest(terminal, { ...request, memories, tokens }, printing);
  },
  memories: async ({ terminal, palimpsest, conversation }, query) => {
    if (query === '') {
      terminal.print('Say what to search for: /memories <query>');
      return;
    }
    await palimpsest.settled();
    const { userId } = conversation.key;
    const { memories } = await palimpsest.user(userId).recall(query, { limit: memoriesShown });
    printMemories(terminal, memories);
    if (memories.length === 0) terminal.print('Nothing that is remembered bears on this.');
  },
  session: async ({ terminal, palimpsest, conversation, answeredBy, options }) => {
    const { userId, sessionId } = conversation.key;
    const session = await palimpsest.sessions.open(conversation.key);
    const facts = [
      `Session ${sessionId} of user "${userId}", ${countText(session?.version ?? 0, 'event')}, answered by ${answeredBy}.`,
      `In ${terminal.file}`,
      'To go on later:',
    ];
    for (const line of facts.flatMap((fact) => wrapHanging(fact, terminal.width))) terminal.print(line);
    const command = ['palimpsest', 'chat', ...options, '--session', sessionId];
    for (const line of shellCommand(command, terminal.width)) terminal.print(line);
  },
};

/** What is to happen after a command. */
export type AfterCommand = 'goOn' | 'leave';

/** Does what a line that begins with / says. */
export async function runChatCommand(around: ChatSurroundings, line: string): Promise<AfterCommand> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  if (name === 'exit' || name === 'quit') return 'leave';
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) around.terminal.print(`There is no /${name}; /help lists what there is.`);
  else await command(around, argument);
  return 'goOn';
}
