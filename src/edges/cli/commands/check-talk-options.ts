import { PalimpsestError } from '../../../errors/index.ts';
import { parseId } from '../../../events/index.ts';

/** Who talks, where, and under which name the answers stand. */
export interface TalkOptions {
  readonly user?: string;
  readonly session?: string;
  readonly agent?: string;
}

/** Checks what can be checked before a store is opened or made. Throws INVALID_ID or INVALID_ARGUMENT naming the option. */
export function checkTalkOptions({ user, session, agent }: TalkOptions): void {
  if (user !== undefined) parseId(user, '--user');
  // The id that a session had elsewhere is none that a new one could have.
  if (session === '') parseId(session, '--session');
  if (agent === undefined) return;
  parseId(agent, '--agent');
  if (agent === 'user' || agent === 'system') {
    const reason = `may not be "${agent}", which other events bear`;
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: '--agent', reason });
  }
}
