import { type Content, type Event, functionCalls, functionResponses } from '../events/index.ts';
import { type Asked, askedUnits, freshFrom, type Logged, loggedUnits } from './logged-units.ts';
import { matchPrompt, type PromptMatch } from './match-prompt.ts';
import { openQuestion } from './open-question.ts';
import { withoutKnownAnswers } from './prompt-events.ts';

/**
 * Finds out what of a whole conversation, as a caller has it, the log does not hold yet. Both are compared from their
 * start; what the log has beyond the first difference is to be hidden, from the invocation on that it lies in, and the
 * rest of the prompt is new.
 *
 * Nothing is hidden for a prompt that goes on with a tool loop of the log, nor for one that ends with the log's newest
 * question while no final answer has closed it. A message behind which both have the same words of the model is the
 * same message, worded differently. Answers that broke off may be in the prompt or not.
 */
export function matchWholePrompt(events: readonly Event[], prompt: readonly Content[]): PromptMatch {
  const asked = askedUnits(prompt);
  const match = { events, prompt, asked };
  const { known, next, last, knownBefore, shown } = commonWay(events, asked);
  const rest = freshFrom(match, known);
  if (next === undefined || asked.length === 0) return { fresh: rest };
  const goesOn = callsAnsweredLast(prompt);
  if (known === asked.length) {
    const isRetry = last !== undefined && last.at === openQuestion(events) && last.at !== next.at;
    // Tools that answered after all ask for nothing anew, nor does a tool loop beside which something else was asked.
    if (isRetry || withoutKnownAnswers(rest, events).length > 0) return { fresh: rest };
    if (next.begins && goesOn.size > 0) return { fresh: [] };
  } else if (
    events.some(({ content }) => functionCalls(content).some(({ id }) => id !== undefined && goesOn.has(id)))
  ) {
    return matchPrompt(events, prompt);
  }
  const first = events.findIndex(({ invocationId }) => invocationId === next.invocationId);
  const kept = events.slice(first, next.at).filter((event) => event.interrupted !== true || shown.has(event));
  const fresh = freshFrom(match, knownBefore.get(next.at) ?? known, events.slice(0, next.at));
  return { rewindBefore: next.invocationId, fresh: [...kept.flatMap(({ content }) => content ?? []), ...fresh] };
}

/** How far a log and a prompt go the same way from their start. */
interface CommonWay {
  /** How many units of the prompt the log has. */
  readonly known: number;
  /** The last unit of the log that the prompt has. */
  readonly last: Logged | undefined;
  /** The first one that it has not and should have, if there is one. */
  readonly next: Logged | undefined;
  /** How many units of the prompt were known before each event of the log. */
  readonly knownBefore: ReadonlyMap<number, number>;
  /** Answers that broke off and that the prompt shows. */
  readonly shown: ReadonlySet<Event>;
}

function commonWay(events: readonly Event[], asked: readonly Asked[]): CommonWay {
  const units = loggedUnits(events, true);
  const knownBefore = new Map<number, number>();
  const shown = new Set<Event>();
  let known = 0;
  let last: Logged | undefined;
  for (let index = 0; ; ) {
    const next = units[index];
    const event = next && events[next.at];
    if (next === undefined || event === undefined) return { known, last, next: undefined, knownBefore, shown };
    if (!knownBefore.has(next.at)) knownBefore.set(next.at, known);
    const isBroken = event.interrupted === true;
    const length = isBroken ? unitsOfEvent(units, index) : 1;
    const isKnown =
      areSame(units.slice(index, index + length), asked.slice(known, known + length)) ||
      (length === 1 && isReworded(units, asked, { index, known })) ||
      (length === 1 && isBroken && isOwnPiece(events, units, { index, known }, asked));
    if (isKnown) {
      last = next;
      known += length;
      if (isBroken) shown.add(event);
    } else if (!isBroken) return { known, last, next, knownBefore, shown };
    index += length;
  }
}

/** How many units the event has whose first one stands at an index. */
function unitsOfEvent(units: readonly Logged[], index: number): number {
  let length = 1;
  while (units[index + length]?.at === units[index]?.at) length++;
  return length;
}

function areSame(logged: readonly Logged[], asked: readonly Asked[]): boolean {
  return logged.length === asked.length && logged.every(({ unit }, at) => unit.key === asked[at]?.unit.key);
}

/** The same message in other words, a redacted one for instance: behind it the model says the same in both. */
function isReworded(
  units: readonly Logged[],
  asked: readonly Asked[],
  { index, known }: { readonly index: number; readonly known: number },
): boolean {
  const [logged, behind] = [units[index]?.unit, units[index + 1]?.unit];
  const [said, saidBehind] = [asked[known]?.unit, asked[known + 1]?.unit];
  if (logged === undefined || said === undefined || behind === undefined) return false;
  return logged.side === said.side && behind.side === 'model' && behind.key === saidBehind?.key;
}

/**
 * The caller's own piece of an answer that broke off, which may be longer or shorter than the log's: it stands where the
 * log has no answer that is whole.
 */
function isOwnPiece(
  events: readonly Event[],
  units: readonly Logged[],
  { index, known }: { readonly index: number; readonly known: number },
  asked: readonly Asked[],
): boolean {
  const [piece, then] = [asked[known], asked[known + 1]];
  const whole = units.find(({ at }, place) => place > index && events[at]?.interrupted !== true);
  return piece?.unit.side === 'model' && then?.unit.side !== 'model' && whole?.unit.side !== 'model';
}

/** Ids of the calls that the end of a prompt answers: a tool loop that goes on. */
function callsAnsweredLast(prompt: readonly Content[]): ReadonlySet<string> {
  const end = prompt.at(-1);
  if (end?.parts.at(-1)?.functionResponse === undefined) return new Set();
  return new Set(functionResponses(end).flatMap(({ id }) => id ?? []));
}
