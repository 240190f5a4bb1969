import { isPalimpsestError } from '../../../errors/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ConnectedModel, modelHint } from '../models/index.ts';
import { reportError } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';
import { AnswerPrinter, asideOf } from './answer-printer.ts';
import type { Conversation } from './conversation.ts';

/** How a message is answered at the terminal. */
export interface MessageOptions {
  readonly signal: AbortSignal;
  readonly connected: ConnectedModel | undefined;
}

/** What came of a message. */
export type Answered = 'answered' | 'stopped' | 'failed';

/** Answers a message and shows the answer as it comes; a failure is told, so that the chat may go on. */
export async function answerMessage(
  terminal: Terminal,
  { conversation, message }: { readonly conversation: Conversation; readonly message: string },
  { signal, connected }: MessageOptions,
): Promise<Answered> {
  const printer = new AnswerPrinter(terminal, asideOf(terminal));
  const isJson = terminal.options.json === true;
  try {
    const onRequest = printer.recalled.bind(printer);
    for await (const event of conversation.answer(message, { signal, onRequest })) {
      if (!isJson) printer.show(event);
      else if (!event.partial) terminal.jsonLine(event);
    }
    return 'answered';
  } catch (error) {
    printer.endLine();
    if (!isPalimpsestError(error)) throw error;
    if (signal.aborted) return 'stopped';
    tellFailure(terminal, error, connected);
    return 'failed';
  }
}

function tellFailure({ io, options, file }: Terminal, error: unknown, connected: ConnectedModel | undefined): void {
  const hint = connected === undefined ? undefined : modelHint(error, connected);
  reportError(new CommandFailure(error, {}, hint), io, {
    json: options.json === true,
    verbose: options.verbose === true,
    storeFile: file,
  });
}
