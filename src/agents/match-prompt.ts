import { beginsInvocation, type Content, type Event } from '../events/index.ts';
import { findPrefix } from './find-prefix.ts';
import { type Unit, unitsOf } from './prompt-units.ts';

/** What of a prompt is new. */
export interface PromptMatch {
  /** The prompt leaves the way that the log took: this invocation and all after it are to be hidden first. */
  readonly rewindBefore?: string;
  /** What is to be appended, in order. */
  readonly fresh: readonly Content[];
}

/** A unit of the log. */
interface Logged {
  readonly unit: Unit;
  /** Index of its event. */
  readonly at: number;
  readonly invocationId: string;
  /** Its invocation begins with it. */
  readonly begins: boolean;
}

/** A unit of the prompt. */
interface Asked {
  readonly unit: Unit;
  /** Index of its content. */
  readonly at: number;
}

/**
 * Finds out what of a conversation, as a caller has it, the log does not hold yet. `events` are the log's live ones
 * without bookkeeping; `prompt` may lack the conversation's beginning.
 *
 * - The prompt begins with what the log ends with: the rest is new.
 * - The prompt begins with something that stands earlier in the log. If it ends there, the answer is asked for again; if
 *   it then asks something else where the log's next invocation begins, the user has edited a message. Both hide that
 *   invocation first.
 * - Otherwise the caller shows the conversation in a form of its own (shortened, redacted, with context added), and what
 *   follows the model's last words in it is new, as far as the log does not end with it.
 *
 * A prompt without any words of the model hides nothing: a message that is said again is another message, unless the
 * log ends with it, unanswered.
 */
export function matchPrompt(events: readonly Event[], prompt: readonly Content[]): PromptMatch {
  const asked = prompt.flatMap((content, at) => unitsOf(content).map((unit): Asked => ({ unit, at })));
  const log = loggedUnits(events, false);
  const logKeys = keysOf(log);
  const match = { events, prompt, asked, log, logKeys };
  const { atEnd, longest, end } = findPrefix(keysOf(asked), logKeys);
  const known = Math.max(atEnd, knownWithInterrupted(match));
  if (known > 0 || log.length === 0) return { fresh: contentsFrom(match, known) };
  const modelsLast = asked.findLastIndex(({ unit }) => unit.side === 'model');
  if (modelsLast === -1) return { fresh: contentsFrom(match, knownQuestions(match)) };
  return leavesLog(match, { ...wholeEvents(log, longest, end), modelsLast }) ?? onlyTheEnd(match, longest, modelsLast);
}

interface Match {
  readonly events: readonly Event[];
  readonly prompt: readonly Content[];
  readonly asked: readonly Asked[];
  readonly log: readonly Logged[];
  readonly logKeys: readonly string[];
}

interface Block {
  /** How many units of the prompt's start are in the log. */
  readonly length: number;
  /** Index of the log's unit after them. */
  readonly end: number;
  /** Index of the model's last words in the prompt. */
  readonly modelsLast: number;
}

/** The case that the caller goes another way than the log, from a point in it that both have in common. */
function leavesLog(match: Match, { length, end, modelsLast }: Block): PromptMatch | undefined {
  const { asked, log, logKeys } = match;
  const [last, next] = [log[end - 1], log[end]];
  if (length === 0 || last === undefined || next === undefined) return undefined;
  const isWhole = length === asked.length;
  if (isWhole && !next.begins) return answerAgain(match, last);
  if (!next.begins) return undefined;
  // What comes later in the log as well has not been left: the caller only words something before it differently.
  const later = new Set(logKeys.slice(end));
  if (asked.slice(length, modelsLast + 1).some(({ unit }) => later.has(unit.key))) return undefined;
  return { rewindBefore: next.invocationId, fresh: contentsFrom(match, length) };
}

/** The invocation of a unit once more, up to the event that it stands in, in the log's own words. */
function answerAgain({ events }: Match, { at, invocationId }: Logged): PromptMatch {
  const first = events.findIndex((event) => event.invocationId === invocationId);
  const again = events.slice(first, at + 1).filter((event) => event.interrupted !== true);
  return { rewindBefore: invocationId, fresh: again.flatMap(({ content }) => content ?? []) };
}

function onlyTheEnd(match: Match, longest: number, modelsLast: number): PromptMatch {
  const start = Math.max(longest, modelsLast + 1);
  const { atEnd } = findPrefix(keysOf(match.asked.slice(start)), match.logKeys);
  return { fresh: contentsFrom(match, start + atEnd) };
}

/** A match that ends inside an event of the log ends before it: half a message is another message. */
function wholeEvents(log: readonly Logged[], length: number, end: number): { length: number; end: number } {
  let cut = 0;
  if (log[end - 1]?.at === log[end]?.at) while (log[end - 1 - cut]?.at === log[end]?.at) cut++;
  return { length: Math.max(0, length - cut), end: end - cut };
}

/** How much of the prompt the log ends with if the caller has kept pieces of answers that broke off. */
function knownWithInterrupted({ events, asked }: Match): number {
  if (!events.some((event) => event.interrupted === true)) return 0;
  return findPrefix(keysOf(asked), keysOf(loggedUnits(events, true))).atEnd;
}

/** The same for a prompt of the user's words alone, beside what the log has of those. */
function knownQuestions({ asked, log }: Match): number {
  const questions = log.filter(({ unit }) => unit.side === 'user');
  const isUnanswered = log.at(-1)?.unit.side === 'user';
  const candidates = isUnanswered ? asked : asked.slice(0, -1);
  return findPrefix(keysOf(candidates), keysOf(questions)).atEnd;
}

function loggedUnits(events: readonly Event[], withInterrupted: boolean): readonly Logged[] {
  const units: Logged[] = [];
  const met = new Set<string>();
  for (const [at, event] of events.entries()) {
    const { content, invocationId } = event;
    const begins = beginsInvocation(event.origin, event) && !met.has(invocationId);
    met.add(invocationId);
    if (content === undefined || event.origin === 'system' || (event.interrupted && !withInterrupted)) continue;
    for (const [index, unit] of unitsOf(content).entries())
      units.push({ unit, at, invocationId, begins: begins && index === 0 });
  }
  return units;
}

function keysOf(units: readonly { readonly unit: Unit }[]): readonly string[] {
  return units.map(({ unit }) => unit.key);
}

/** The prompt's contents from a unit on, without those that say nothing. */
function contentsFrom({ prompt, asked }: Match, start: number): readonly Content[] {
  const first = asked[start];
  if (first === undefined) return [];
  const isWhole = asked[start - 1]?.at !== first.at;
  const speaking = new Set(asked.slice(start).map(({ at }) => at));
  return prompt.flatMap((content, at) => {
    if (!speaking.has(at)) return [];
    return at > first.at || isWhole ? content : { role: content.role, parts: content.parts.slice(first.unit.part) };
  });
}
