import type { Palimpsest } from '../../../engine/index.ts';
import { listUsers } from '../choose-session.ts';
import type { Terminal } from '../terminal.ts';

const listedAtMost = 10;

/** After an empty answer: tells if the user named has no sessions at all, and who has. */
export async function noteUnknownUser(terminal: Terminal, palimpsest: Palimpsest, userId: string): Promise<void> {
  const users = await listUsers(palimpsest);
  if (users.includes(userId) || users.length === 0) return;
  const more = users.length > listedAtMost ? ` and ${users.length - listedAtMost} more` : '';
  const named = users.slice(0, listedAtMost).map((user) => `"${user}"`);
  terminal.note(`There are no sessions of user "${userId}", only of ${named.join(', ')}${more}.`);
}
