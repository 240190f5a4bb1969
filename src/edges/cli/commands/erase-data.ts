import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import type { EraseReceipt } from '../../../events/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { countText, rangesText, wrapHanging } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { extentOf, extentText } from './erase-extent.ts';
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
  const work = (palimpsest: Palimpsest) => {
    const { user, memory, yes } = options;
    if (yes !== true) return announce(palimpsest, options);
    return memory === undefined
      ? eraseLogs(terminal, palimpsest, options)
      : eraseMemory(terminal, palimpsest, user, memory);
  };
  await withStore(terminal, work, { access: options.yes === true ? 'write' : 'read' });
}

/** Without --yes: tells what would go, as wrong usage. */
async function announce(palimpsest: Palimpsest, options: EraseOptions): Promise<void> {
  const { user, session, memory } = options;
  const wouldErase = memory === undefined ? await extentOf(palimpsest, { user, session }) : undefined;
  const what = wouldErase === undefined ? `memory ${memory}` : extentText(wouldErase);
  const whose = session === undefined ? `user "${user}"` : `session ${session} of user "${user}"`;
  const reason = `is needed: this removes ${what} of ${whose} for good`;
  const cause = new PalimpsestError('INVALID_ARGUMENT', { argument: '--yes', reason });
  throw new CommandFailure(cause, wouldErase === undefined ? {} : { wouldErase });
}

async function eraseLogs(terminal: Terminal, palimpsest: Palimpsest, { user, session }: EraseOptions): Promise<void> {
  const receipt = await (session === undefined
    ? palimpsest.user(user).erase()
    : palimpsest.eraseSession({ appName: palimpsest.appName, userId: user, sessionId: session }));
  if (terminal.options.json) terminal.json(receipt);
  else if (isEmpty(receipt)) terminal.print(`There was nothing of user "${user}" in app "${palimpsest.appName}".`);
  else printReceipt(terminal, receipt);
  if (receipt.sessions.length === 0) await noteUnknownUser(terminal, palimpsest, user);
}

async function eraseMemory(terminal: Terminal, palimpsest: Palimpsest, userId: string, id: string): Promise<void> {
  const memories = await palimpsest.user(userId).forget({ id });
  if (memories === 0) throw new PalimpsestError('MEMORY_NOT_FOUND', { id });
  if (terminal.options.json) terminal.json({ memories });
  else terminal.print(`Erased ${countText(memories, 'memory', 'memories')}.`);
}

function isEmpty({ sessions, events, memories, stateKeys, artifacts, requestTexts }: EraseReceipt): boolean {
  return sessions.length + events + memories + stateKeys + artifacts + requestTexts === 0;
}

function printReceipt(terminal: Terminal, receipt: EraseReceipt): void {
  const { print } = terminal;
  const whole = receipt.sessions.filter(({ seqs }) => seqs === undefined);
  const copies = receipt.sessions.filter(({ seqs }) => seqs !== undefined);
  print(terminal.paint.bold(`Erased at ${receipt.at}`));
  print(`  ${extentText({ ...receipt, sessions: whole.length })}`);
  print(`  ${countText(receipt.stateKeys, 'state key')}, ${countText(receipt.artifacts, 'artifact')}`);
  if (receipt.requestTexts > 0) print(`  ${countText(receipt.requestTexts, 'text of requests', 'texts of requests')}`);
  for (const { sessionId, seqs } of copies) print(`  copies in fork ${sessionId}: events ${rangesText(seqs ?? [])}`);
  for (const left of receipt.left) for (const line of wrapHanging(`  left: ${left}`, terminal.width)) print(line);
}
