import { isPalimpsestError } from '../errors/index.ts';
import { isPlainObject } from '../events/index.ts';

/** What can be read off whatever a model's package threw, by shape: no error class is imported. */
export interface ErrorFacts {
  /** The error and its causes, outermost first. */
  readonly links: readonly unknown[];
  readonly status?: number;
  /** What the package says about trying again. */
  readonly isRetryable?: boolean;
  readonly networkCode?: string;
  /** The body of the answer that was an error, if it is JSON. */
  readonly body?: unknown;
  header(name: string): string | undefined;
}

/** Stands for the code where the network failed without giving one. */
export const networkFailure = 'network';

/** Chains can bite their tails. */
const mostLinks = 8;
const networkCode =
  /^(ECONN(RESET|REFUSED|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_(SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT)|ConnectionRefused|ConnectionClosed|FailedToOpenSocket)$/;
/** How `fetch` says that the network failed it where it gives no cause. */
const networkMessage = /^(fetch failed|failed to fetch|terminated)$/i;

/** What providers call their failures inside a stream, where no HTTP status can say it any more. */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  internal_server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Reads what there is to know about a failure. */
export function readErrorFacts(error: unknown): ErrorFacts {
  const links = linksOf(error);
  const status = firstOf(links, statusOf);
  const isRetryable = firstOf(links, (link) => booleanOf(fieldOf(link, 'isRetryable')));
  const code = firstOf(links, codeOf) ?? firstOf(links, namelessCode);
  const body = firstOf(links, bodyOf);
  return {
    links,
    ...(status === undefined ? {} : { status }),
    ...(isRetryable === undefined ? {} : { isRetryable }),
    ...(code === undefined ? {} : { networkCode: code }),
    ...(body === undefined ? {} : { body }),
    header: (name) => firstOf(links, (link) => headerOf(link, name)),
  };
}

/** A field of an object of any kind; undefined if there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** A text that has something in it. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function linksOf(error: unknown): readonly unknown[] {
  const links: unknown[] = [];
  let link = error;
  for (; link !== undefined && link !== null && links.length < mostLinks; link = fieldOf(link, 'cause'))
    links.push(link);
  return links;
}

function firstOf<T>(links: readonly unknown[], read: (link: unknown) => T | undefined): T | undefined {
  for (const link of links) {
    const found = read(link);
    if (found !== undefined) return found;
  }
  return undefined;
}

function statusOf(link: unknown): number | undefined {
  // The status of our own errors is what our server answers with.
  if (isPalimpsestError(link)) return isPalimpsestError(link, 'MODEL_FAILED') ? link.details.status : undefined;
  for (const name of ['statusCode', 'status', 'code']) {
    const value = fieldOf(link, name);
    if (typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599) return value;
  }
  for (const name of ['type', 'code']) {
    const value = fieldOf(link, name);
    if (typeof value === 'string' && Object.hasOwn(statusOfType, value)) return statusOfType[value];
  }
  return undefined;
}

function codeOf(link: unknown): string | undefined {
  const code = fieldOf(link, 'code');
  return typeof code === 'string' && networkCode.test(code) ? code : undefined;
}

function namelessCode(link: unknown): string | undefined {
  const message = fieldOf(link, 'message');
  return link instanceof TypeError && typeof message === 'string' && networkMessage.test(message)
    ? networkFailure
    : undefined;
}

/** The body of the answer that an error tells of, if it is JSON. */
export function bodyOf(link: unknown): unknown {
  const text = fieldOf(link, 'responseBody');
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A page of a proxy, or an answer that broke off: it says nothing that could be told in a sentence.
    return undefined;
  }
}

function headerOf(link: unknown, name: string): string | undefined {
  const headers = fieldOf(link, 'responseHeaders') ?? fieldOf(link, 'headers');
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  if (!isPlainObject(headers)) return undefined;
  const key = Object.keys(headers).find((one) => one.toLowerCase() === name);
  return key === undefined ? undefined : filledText(headers[key]);
}

function booleanOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
