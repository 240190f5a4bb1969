import { CommandFailure } from '../command-failure.ts';
import { parseModelChoice } from '../model-choice.ts';
import { type ConnectedModel, connectModel, modelHint } from '../models/index.ts';
import type { Terminal } from '../terminal.ts';

/** The model that `--model` means, ready to be called. Throws what parseModelChoice() and connectModel() throw. */
export async function reachModel({ io }: Terminal, chosen: string): Promise<ConnectedModel> {
  const choice = parseModelChoice(chosen);
  try {
    return await connectModel(choice, io);
  } catch (error) {
    if (choice.from !== 'server') throw error;
    const { baseUrl } = choice;
    throw new CommandFailure(error, {}, modelHint(error, { keyName: 'OPENAI_API_KEY', baseUrl }));
  }
}
