import type { Content, Event } from '../events/index.ts';
import { findPrefix } from './find-prefix.ts';
import { type Asked, askedUnits, freshFrom, type Logged, loggedUnits } from './logged-units.ts';
import { openQuestion } from './open-question.ts';
import { withoutKnownAnswers } from './prompt-events.ts';
import type { Unit } from './prompt-units.ts';

/** What of a prompt is new. */
export interface PromptMatch {
  /** The prompt leaves the way that the log took: this invocation and all after it are to be hidden first. */
  readonly rewindBefore?: string;
  /** What is to be appended, in order. */
  readonly fresh: readonly Content[];
}

/**
 * Finds out what of a conversation, as a caller has it, the log does not hold yet. `events` are the log's live ones
 * without bookkeeping; `prompt` may lack the conversation's beginning.
 *
 * - The prompt begins with what the log ends with: the rest is new.
 * - The prompt ends with the log's newest question, which no final answer has closed: it is asked again, and what was
 *   done for it so far stands. Nothing is new.
 * - The prompt begins with something that stands earlier in the log. If it ends there, the answer is asked for again; if
 *   it then asks something else where the log's next invocation begins, the user has edited a message. Both hide that
 *   invocation first.
 * - Otherwise the caller shows the conversation in a form of its own (shortened, redacted, with context added), and what
 *   follows the model's last words in it is new, as far as the log does not end with it.
 *
 * A prompt without any words of the model hides nothing: a message that is said again is another message, unless it is
 * the newest question and open. Responses are compared with nothing: each is new if its call has no answer in the log.
 */
export function matchPrompt(events: readonly Event[], prompt: readonly Content[]): PromptMatch {
  const asked = askedUnits(prompt);
  const log = loggedUnits(events, false);
  const logKeys = keysOf(log);
  const match = { events, prompt, asked, log, logKeys, question: openQuestion(events) };
  const { atEnd, longest, end } = findPrefix(keysOf(asked), logKeys);
  const known = Math.max(atEnd, knownWithInterrupted(match));
  if (known > 0 || log.length === 0) return { fresh: freshFrom(match, known) };
  if (asksAgain(match, 0)) return { fresh: freshFrom(match, asked.length) };
  const modelsLast = asked.findLastIndex(({ unit }) => unit.side === 'model');
  if (modelsLast === -1) return { fresh: freshFrom(match, knownQuestions(match)) };
  return leavesLog(match, { ...wholeEvents(log, longest, end), modelsLast }) ?? onlyTheEnd(match, longest, modelsLast);
}

interface Match {
  readonly events: readonly Event[];
  readonly prompt: readonly Content[];
  readonly asked: readonly Asked[];
  readonly log: readonly Logged[];
  readonly logKeys: readonly string[];
  /** Index of the event of the newest question, if no final answer has closed it. */
  readonly question: number | undefined;
}

interface Block {
  /** How many units of the prompt's start are in the log. */
  readonly length: number;
  /** Index of the log's unit after them. */
  readonly end: number;
  /** Index of the model's last words in the prompt. */
  readonly modelsLast: number;
}

/** True if what of the prompt follows a place in it ends with the open question, as the log does but for later steps. */
function asksAgain({ asked, log, question }: Match, start: number): boolean {
  if (question === undefined || start >= asked.length) return false;
  const upToQuestion = log.filter(({ at }) => at <= question);
  return findPrefix(keysOf(asked.slice(start)), keysOf(upToQuestion)).atEnd === asked.length - start;
}

/** The case that the caller goes another way than the log, from a point in it that both have in common. */
function leavesLog(match: Match, { length, end, modelsLast }: Block): PromptMatch | undefined {
  const { events, asked, log, logKeys } = match;
  const [last, next] = [log[end - 1], log[end]];
  if (length === 0 || last === undefined || next === undefined) return undefined;
  if (length === asked.length) {
    const answers = freshFrom(match, length);
    // Tools that answered after all ask for nothing anew, nor does a tool loop beside which something else was asked.
    if (withoutKnownAnswers(answers, events).length > 0) return { fresh: answers };
    if (!next.begins) return answerAgain(match, last, next);
    if (answers.length > 0) return { fresh: [] };
  }
  if (!next.begins) return undefined;
  // What comes later in the log as well has not been left: the caller only words something before it differently.
  const later = new Set(logKeys.slice(end));
  if (asked.slice(length, modelsLast + 1).some(({ unit }) => later.has(unit.key))) return undefined;
  return { rewindBefore: next.invocationId, fresh: freshFrom(match, length, events.slice(0, next.at)) };
}

/** The invocation of a unit once more, up to the next unit of it, in the log's own words. */
function answerAgain({ events }: Match, { invocationId }: Logged, next: Logged): PromptMatch {
  const first = events.findIndex((event) => event.invocationId === invocationId);
  const again = events.slice(first, next.at).filter((event) => event.interrupted !== true);
  return { rewindBefore: invocationId, fresh: again.flatMap(({ content }) => content ?? []) };
}

function onlyTheEnd(match: Match, longest: number, modelsLast: number): PromptMatch {
  const { asked, logKeys } = match;
  const start = Math.max(longest, modelsLast + 1);
  if (asksAgain(match, start)) return { fresh: freshFrom(match, asked.length) };
  const { atEnd } = findPrefix(keysOf(asked.slice(start)), logKeys);
  return { fresh: freshFrom(match, start + atEnd) };
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
function knownQuestions({ asked, log, question }: Match): number {
  const questions = log.filter(({ unit }) => unit.side === 'user');
  const candidates = question === undefined ? asked.slice(0, -1) : asked;
  return findPrefix(keysOf(candidates), keysOf(questions)).atEnd;
}

function keysOf(units: readonly { readonly unit: Unit }[]): readonly string[] {
  return units.map(({ unit }) => unit.key);
}
