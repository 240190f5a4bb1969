import { chooseUser } from '../choose-session.ts';
import { countText } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { noteUnknownUser } from './note-unknown-user.ts';
import { printMemories } from './print-memories.ts';

/** Options of `palimpsest search`. */
export interface SearchOptions {
  readonly user?: string;
  readonly limit: number;
}

/** Searches what is remembered of a user. */
export async function searchMemory(terminal: Terminal, query: string, options: SearchOptions): Promise<void> {
  await withStore(terminal, async (palimpsest) => {
    const userId = await chooseUser(palimpsest, options.user);
    await palimpsest.settled();
    const response = await palimpsest.user(userId).recall(query, { limit: options.limit });
    if (terminal.options.json) terminal.json(response);
    else printMemories(terminal, response.memories);
    if (response.memories.length === 0) {
      terminal.note(`Nothing that user ${userId} said bears on this.`);
      await noteUnknownUser(terminal, palimpsest, userId);
    } else {
      terminal.note(
        terminal.paint.dim(
          `${countText(response.memories.length, 'memory', 'memories')} in ${Math.ceil(response.tookMs)} ms`,
        ),
      );
    }
  });
}
