import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import type { EraseReceipt } from '../../../events/index.ts';
import { countText, rangesText } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { noteUnknownUser } from './note-unknown-user.ts';

/** Options of `palimpsest erase`. */
export interface EraseOptions {
  readonly user: string;
  readonly session?: string;
  readonly memory?: string;
  readonly yes?: boolean;
}

/** Erases a user, one session or one memory for good, and prints the receipt. Session ids must be whole here. */
export async function eraseData(terminal: Terminal, options: EraseOptions): Promise<void> {
  if (options.session !== undefined && options.memory !== undefined) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: '--memory',
      reason: 'cannot be given together with --session',
    });
  }
  if (options.yes !== true) {
    const what = options.session === undefined ? 'everything' : `session ${options.session}`;
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: '--yes',
      reason: `is needed: this removes ${options.memory === undefined ? what : `memory ${options.memory}`} of user ${options.user} for good`,
    });
  }
  await withStore(terminal, async (palimpsest) => {
    if (options.memory !== undefined) return eraseMemory(terminal, palimpsest, options.user, options.memory);
    const receipt = await erase(palimpsest, options);
    if (terminal.options.json) terminal.json(receipt);
    else printReceipt(terminal, receipt);
    if (receipt.sessions.length === 0) await noteUnknownUser(terminal, palimpsest, options.user);
  });
}

function erase(palimpsest: Palimpsest, { user, session }: EraseOptions): Promise<EraseReceipt> {
  if (session === undefined) return palimpsest.user(user).erase();
  return palimpsest.eraseSession({ appName: palimpsest.appName, userId: user, sessionId: session });
}

async function eraseMemory(terminal: Terminal, palimpsest: Palimpsest, userId: string, id: string): Promise<void> {
  const memories = await palimpsest.user(userId).forget({ id });
  if (memories === 0) throw new PalimpsestError('MEMORY_NOT_FOUND', { id });
  if (terminal.options.json) terminal.json({ memories });
  else terminal.print(`Erased ${countText(memories, 'memory', 'memories')}.`);
}

function printReceipt(terminal: Terminal, receipt: EraseReceipt): void {
  const { print } = terminal;
  const whole = receipt.sessions.filter(({ seqs }) => seqs === undefined);
  const copies = receipt.sessions.filter(({ seqs }) => seqs !== undefined);
  print(terminal.paint.bold(`Erased at ${receipt.at}`));
  print(
    `  ${countText(whole.length, 'session')}, ${countText(receipt.events, 'event')}, ${countText(receipt.memories, 'memory', 'memories')}`,
  );
  print(`  ${countText(receipt.stateKeys, 'state key')}, ${countText(receipt.artifacts, 'artifact')}`);
  for (const { sessionId, seqs } of copies) print(`  copies in fork ${sessionId}: events ${rangesText(seqs ?? [])}`);
  for (const left of receipt.left) print(`  left: ${left}`);
}
