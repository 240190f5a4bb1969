import type { CompactionOutcome } from '../../../context/compaction/index.ts';
import {
  type Compaction,
  countRanges,
  type Event,
  isBookkeeping,
  rangeAt,
  type SessionKey,
} from '../../../events/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { countText, rangesText, shellCommand } from '../display/index.ts';
import { exitCodes } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';
import { printLine } from './print-lines.ts';
import { type Waiting, waitingText } from './what-waits.ts';

/** A summary that was made. */
export interface MadeSummary extends Pick<Compaction, 'covers' | 'content'> {
  readonly seq: number;
  /** How many events it stands for. */
  readonly events: number;
  /** Older summaries that it took the place of. */
  readonly supersedes: readonly number[];
}

/** What came of a fold, with what it did to the next request. */
export interface Folded {
  readonly key: SessionKey;
  readonly agentName: string;
  /** Nothing newer was to be folded. */
  readonly through?: number;
  readonly outcome: CompactionOutcome;
  readonly summaries: readonly MadeSummary[];
  /** What must be answered first, where the outcome is `blocked`. */
  readonly waits: readonly Waiting[];
  readonly tokens: { readonly before: number; readonly after: number };
}

/** The summaries that a log has got after an event, from its bookkeeping. */
export function summariesAfter(version: number, bookkeeping: readonly Event[]): readonly MadeSummary[] {
  return bookkeeping.flatMap(({ seq, actions: { compaction } }) => {
    if (compaction === undefined || seq <= version) return [];
    const { covers, content, supersedes = [] } = compaction;
    return { seq, covers, content, supersedes, events: countCovered(compaction, bookkeeping) };
  });
}

/** How many events a summary stands for; what the log notes about itself among them does not count. */
export function countCovered({ covers }: Pick<Compaction, 'covers'>, bookkeeping: readonly Event[]): number {
  const among = bookkeeping.filter((event) => isBookkeeping(event) && rangeAt(covers, event.seq) !== -1);
  return countRanges(covers) - among.length;
}

/**
 * Prints what a fold did, or why none was made, and returns the exit code for it. Throws what it failed of, with a hint
 * of the caller's.
 */
export function printFold(terminal: Terminal, folded: Folded, hintOf: (error: unknown) => string | undefined): number {
  const { key, outcome, summaries, waits, tokens } = folded;
  if (outcome.status === 'failed') {
    const hints = [hintOf(outcome.error), keptText(summaries)].filter((hint) => hint !== undefined);
    throw new CommandFailure(outcome.error, { summaries }, hints.join('\n'));
  }
  if (terminal.options.json) {
    const waiting = outcome.status === 'blocked' ? { waits } : {};
    terminal.json({ session: key, ...outcome, ...waiting, summaries, tokens });
  } else for (const line of [...doneTexts(folded), ...restTexts(folded)]) printLine(terminal, line);
  return outcome.status === 'blocked' || outcome.status === 'stale' ? exitCodes.failed : exitCodes.done;
}

function keptText(summaries: readonly MadeSummary[]): string {
  if (summaries.length === 0) return 'Nothing was folded.';
  const made = summaries.map(({ seq, covers }) => `events ${rangesText(covers)} by summary ${seq}`).join(', ');
  return `Folded before that, and stays so: ${made}.`;
}

function doneTexts({ key, agentName, summaries, tokens: { before, after } }: Folded): readonly string[] {
  const newest = summaries.at(-1);
  if (newest === undefined) return [];
  const command = shellCommand(['palimpsest', 'expand', key.sessionId, String(newest.seq)], Number.POSITIVE_INFINITY);
  return [
    ...summaries.map(({ seq, covers, events, supersedes }) => {
      const instead = supersedes.length === 0 ? '' : `, in place of summary ${supersedes.join(', ')}`;
      return `Event ${seq} is a summary of ${countText(events, 'event')}: ${rangesText(covers)}${instead}.`;
    }),
    `The next request of ${agentName} has about ${countText(after, 'token')} instead of ${before.toLocaleString('en')}.`,
    `Nothing is lost; this shows what it stands for: ${command.join(' ')}`,
  ];
}

function restTexts({ outcome, summaries, waits, through }: Folded): readonly string[] {
  const nothing = summaries.length === 0 ? 'Nothing was folded' : 'No more was folded';
  if (outcome.status === 'nothingToDo') return [`${nothing}: ${whyNothing(through)[outcome.why]}.`];
  if (outcome.status === 'stale') return [`${nothing}: the session has changed meanwhile. Try again.`];
  if (outcome.status !== 'blocked') return [];
  const { by } = outcome;
  const events = by.length === 1 ? `event ${by[0]} waits` : `events ${by.join(', ')} wait`;
  return [
    `${nothing}: ${events} for an answer.`,
    ...waits.filter((one) => one.for.length > 0).map((one) => `  #${one.seq}: ${waitingText(one)}`),
  ];
}

function whyNothing(through: number | undefined) {
  const older = through === undefined ? 'older than the last exchange' : `up to event ${through}`;
  return {
    allCovered: `there is nothing ${older} that is not covered already`,
    retained: `nothing ${older} is left that may be folded`,
    nothingSaid: `what is left ${older} says nothing that could be summarised`,
    notDue: 'no more is due',
    backingOff: 'the summaries before this one failed',
  } as const;
}
