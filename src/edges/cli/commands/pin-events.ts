import type { Palimpsest } from '../../../engine/index.ts';
import { type Event, foldCoverage, type SessionKey } from '../../../events/index.ts';
import { chooseSession } from '../choose-session.ts';
import { CommandFailure } from '../command-failure.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { printEvents } from './print-log.ts';
import { readSeqs } from './read-seq.ts';

/** Options of `palimpsest pins`. */
export interface PinEventsOptions {
  readonly user?: string;
  /** Seqs, as they were typed. */
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly full?: boolean;
}

/** Pins and unpins events, and lists those that are pinned: they stay word for word in every request. */
export async function pinEvents(terminal: Terminal, session: string, options: PinEventsOptions): Promise<void> {
  const add = options.add && readSeqs('--add', options.add);
  const remove = options.remove && readSeqs('--remove', options.remove);
  const work = async (palimpsest: Palimpsest) => {
    const { key } = await chooseSession(palimpsest, { session, userId: options.user });
    await mark(palimpsest, key, { add, remove });
    await listPins(terminal, palimpsest, key, options.full === true);
  };
  await withStore(terminal, work, { access: add === undefined && remove === undefined ? 'read' : 'write' });
}

/** Both or neither. */
async function mark(
  palimpsest: Palimpsest,
  key: SessionKey,
  { add, remove }: { readonly add: readonly number[] | undefined; readonly remove: readonly number[] | undefined },
): Promise<void> {
  const marks = [
    ...(remove === undefined ? [] : [{ unpin: { seqs: remove } }]),
    ...(add === undefined ? [] : [{ pin: { seqs: add } }]),
  ];
  if (marks.length === 0) return;
  try {
    await palimpsest.sessions.append(
      key,
      marks.map((actions) => ({ author: 'system', actions })),
    );
  } catch (error) {
    throw new CommandFailure(error, {}, "'palimpsest show <session>' lists the events with their seqs.");
  }
}

async function listPins(terminal: Terminal, palimpsest: Palimpsest, key: SessionKey, full: boolean): Promise<void> {
  const { pinned } = foldCoverage(await palimpsest.sessions.readBookkeeping(key));
  const events: Event[] = [];
  for (const seq of [...pinned].sort((a, b) => a - b))
    events.push(...(await palimpsest.sessions.read(key, { fromSeq: seq, toSeq: seq })).items);
  if (terminal.options.json) {
    terminal.json({ session: key, pins: events });
    return;
  }
  if (events.length === 0) {
    terminal.note(`Session ${key.sessionId} has no pins; --add 3,7 pins events 3 and 7.`);
    return;
  }
  terminal.print(
    terminal.paint.bold(
      events.length === 1 ? '1 event stays word for word' : `${events.length} events stay word for word`,
    ),
  );
  printEvents(terminal, events, { marks: () => ({ text: '', paint: String }), title: '', full });
}
