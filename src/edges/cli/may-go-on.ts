import { setImmediate as turn } from 'node:timers/promises';
import { PalimpsestError } from '../../errors/index.ts';

/** Lets a signal be heard between two pieces of work; throws ABORTED once one was. */
export async function mayGoOn(signal: AbortSignal): Promise<void> {
  await turn();
  if (signal.aborted) throw new PalimpsestError('ABORTED', { what: 'The command' });
}
