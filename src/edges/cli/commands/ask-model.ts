import type { PreparedRequest } from '../../../agents/index.ts';
import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import type { Event } from '../../../events/index.ts';
import { AnswerPrinter, asideOf, Conversation, type FaultyAnswer, faultAfter } from '../chat/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { modelHint } from '../models/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { type AskOptions, askedIn, printRecalled } from './ask-question.ts';
import { reachModel } from './reach-model.ts';

/** Appends a question to its session, sends it, and prints what was recalled and the answer as it comes. */
export async function askModel(
  terminal: Terminal,
  question: string,
  options: AskOptions & { readonly model: string },
): Promise<void> {
  if (options.provider !== undefined) {
    const reason = 'goes with --dry-run: a request that is sent keeps the rules of its model';
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: '--provider', reason });
  }
  const connected = await reachModel(terminal, options.model);
  const work = async (palimpsest: Palimpsest) => {
    const { key, agentName } = await askedIn(terminal, palimpsest, options);
    const { tools, limit, system } = options;
    const given = { key, connected, agentName, tools, limit, ...(system === undefined ? {} : { system }) };
    const conversation = new Conversation(palimpsest, given);
    try {
      await (terminal.options.json === true ? answerAsJson : answerAsText)(terminal, conversation, question);
    } catch (error) {
      throw new CommandFailure(error, {}, modelHint(error, connected));
    }
  };
  await withStore(terminal, work, { access: 'write', learn: true });
}

async function answerAsText(terminal: Terminal, conversation: Conversation, question: string): Promise<void> {
  const { signal } = terminal.io;
  const printer = new AnswerPrinter(terminal, asideOf(terminal));
  try {
    const onRequest = ({ memories }: PreparedRequest) => printer.between(() => printRecalled(terminal, memories));
    const onRetry = printer.retrying.bind(printer);
    let fault: FaultyAnswer | undefined;
    for await (const event of conversation.answer(question, { signal, onRequest, onRetry })) {
      fault = faultAfter(event, fault);
      printer.show(event);
    }
    if (fault !== undefined) throw fault;
  } finally {
    printer.end();
  }
}

async function answerAsJson(terminal: Terminal, conversation: Conversation, question: string): Promise<void> {
  const { signal } = terminal.io;
  let answer: Event | undefined;
  let fault: FaultyAnswer | undefined;
  for await (const event of conversation.answer(question, { signal })) {
    fault = faultAfter(event, fault);
    if (!event.partial) answer = event;
  }
  const { key, agentName, provider, lastRequest } = conversation;
  const { instruction, tools, contents, transient } = lastRequest?.request ?? {};
  terminal.json({
    session: key,
    agentName,
    provider,
    request: { instruction, tools, contents, transient },
    memories: lastRequest?.memories,
    answer,
  });
  if (fault !== undefined) throw fault;
}
