import type { Palimpsest } from '../../../engine/index.ts';
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
  const work = async (palimpsest: Palimpsest) => {
    const userId = await chooseUser(palimpsest, options.user);
    await palimpsest.settled();
    const response = await palimpsest.user(userId).recall(query, { limit: options.limit });
    if (terminal.options.json) terminal.json(response);
    else printMemories(terminal, response.memories);
    if (response.memories.length === 0) {
      terminal.note(`Nothing that is remembered of user "${userId}" bears on this.`);
      await noteUnknownUser(terminal, palimpsest, userId);
    } else {
      const found = countText(response.memories.length, 'memory', 'memories');
      terminal.note(`${found} in ${Math.ceil(response.tookMs)} ms`);
    }
  };
  await withStore(terminal, work, { access: 'read', learn: true });
}
