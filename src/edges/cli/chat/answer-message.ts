import { isPalimpsestError } from '../../../errors/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ConnectedModel, modelHint } from '../models/index.ts';
import { reportError } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';
import { AnswerPrinter, asideOf } from './answer-printer.ts';
import type { Conversation } from './conversation.ts';
import { FaultyAnswer, faultAfter } from './faulty-answer.ts';

/** How a message is answered at the terminal. */
export interface MessageOptions {
  readonly signal: AbortSignal;
  readonly connected: ConnectedModel | undefined;
}

/** What came of a message; `stoppedBefore`: before anything of the answer. */
export type Answered = 'answered' | 'stopped' | 'stoppedBefore' | 'failed';

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
    const onRetry = printer.retrying.bind(printer);
    let fault: FaultyAnswer | undefined;
    for await (const event of conversation.answer(message, { signal, onRequest, onRetry })) {
      fault = faultAfter(event, fault);
      if (!isJson) printer.show(event);
      else if (!event.partial) terminal.jsonLine(event);
    }
    if (fault !== undefined) throw fault;
    printer.end();
    return 'answered';
  } catch (error) {
    printer.end();
    if (!isPalimpsestError(error) && !(error instanceof FaultyAnswer)) throw error;
    if (signal.aborted) return printer.hasBegun ? 'stopped' : 'stoppedBefore';
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
