import { isPalimpsestError } from '../errors/index.ts';
import { bodyOf, type ErrorFacts, fieldOf, readErrorFacts } from './error-facts.ts';
import { withoutContent } from './failure-reason.ts';
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
const deepestBody = 8;

/** Fields in which services give back what they were given or have made, which may itself speak of lengths. */
const quoting: ReadonlySet<string> = new Set(['input', 'failed_generation']);
/** The same within a text, as Pydantic and answers that broke off have it: all that stands behind it. */
const quotation = /['"](?:input|failed_generation)['"]\s*:.*|\binput_value=.*/s;

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
  const data = [link, ...['data', 'response', 'value'].map((name) => fieldOf(link, name))];
  const within = [link, ...data.map((one) => fieldOf(one, 'error'))];
  const said = [...data, ...within].flatMap((one) => ['message', 'code', 'type'].map((name) => fieldOf(one, name)));
  const body = bodyOf(link) ?? fieldOf(link, 'responseBody');
  return [link, ...within, ...said, ...textsIn(body)]
    .filter((text) => typeof text === 'string')
    .map((text) => withoutContent(text.slice(0, longestText)).replace(quotation, ''));
}

/** The texts of a body, but for those that it quotes. */
function textsIn(body: unknown, depth = 0): string[] {
  if (typeof body === 'string') return [body];
  if (typeof body !== 'object' || body === null || depth > deepestBody) return [];
  return Object.entries(body).flatMap(([name, value]) => (quoting.has(name) ? [] : textsIn(value, depth + 1)));
}
