import { isPalimpsestError } from '../errors/index.ts';
import { type ErrorFacts, fieldOf, readErrorFacts } from './error-facts.ts';
import { overflowSayings } from './overflow-sayings.ts';

/** What a refusal says about a request that is longer than the model's context. */
export interface TooLong {
  readonly contextTooLong: true;
  /** Tokens that the prompt may have, where the service says that. */
  readonly maximumTokens?: number;
}

/** Too much for a minute is too much only now; the sentences resemble each other. */
const rateLimited = /tokens[ _-]per[ _-](?:min|minute|hour|day)\b|\bTP[MD]\b|rate[ _-]limit/i;

/** Bodies can be pages; what a service says stands at their beginning. */
const longestText = 8_000;

/**
 * True if a model was not asked since the request is longer than what it takes: a shorter one may be answered. Reads
 * whatever a model or its package threw, and what that was caused by.
 */
export function isContextTooLong(error: unknown): boolean {
  return readTooLong(readErrorFacts(error)) !== undefined;
}

/** What a failure says about the length of its request; `undefined` if it is about something else. */
export function readTooLong({ links, status }: ErrorFacts): TooLong | undefined {
  const known = links.find((link) => isPalimpsestError(link, 'MODEL_FAILED') && link.details.contextTooLong === true);
  if (isPalimpsestError(known, 'MODEL_FAILED')) return tooLong(known.details.maximumTokens);
  if (status === 429) return undefined;
  const texts = links.flatMap(textsOf);
  if (texts.some((text) => rateLimited.test(text))) return undefined;
  const found = overflowSayings.flatMap(({ says }) =>
    texts.map((text) => says.exec(text)).filter((one) => one !== null),
  );
  if (found.length === 0) return undefined;
  const [most] = found.flatMap(({ groups }) => mostOf(groups));
  return tooLong(most);
}

function tooLong(maximumTokens: number | undefined): TooLong {
  return { contextTooLong: true, ...(maximumTokens === undefined ? {} : { maximumTokens }) };
}

/** What is left for the prompt. */
function mostOf({ most, answer = '0' }: Readonly<Record<string, string | undefined>> = {}): number | [] {
  if (most === undefined) return [];
  const tokens = numberOf(most) - numberOf(answer);
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : [];
}

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''));
}

/** What a link of a failure says: its own words, those of the answer's body, and those of an error within it. */
function textsOf(link: unknown): string[] {
  const data = [link, fieldOf(link, 'data'), fieldOf(link, 'response')];
  const within = [link, ...data.map((one) => fieldOf(one, 'error'))];
  const said = within.flatMap((one) => ['message', 'code', 'type'].map((name) => fieldOf(one, name)));
  return [link, ...within, ...said, fieldOf(link, 'responseBody')]
    .filter((text) => typeof text === 'string')
    .map((text) => text.slice(0, longestText));
}
