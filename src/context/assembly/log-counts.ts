import type { Content, Event, Part, TokenCount } from '../../events/index.ts';
import type { MemoizedCounter } from './memoized-counter.ts';
import { messageConstants } from './request-constants.ts';

/** What stands in for several that have counted. */
export const mixedCounts = 'mixed';

/** Tokens of one content of a request. */
export interface ContentTokens extends TokenCount {
  /** Marks around its messages. */
  readonly framing: number;
  /** How many media it has; they are not in `n`. */
  readonly media: number;
}

/**
 * What the contents of requests from one log have in tokens: as stored with its events, else counted. Of an event with
 * several parts each has its share of the stored count, in proportion to what it counts alone.
 */
export class LogCounts {
  readonly counter: MemoizedCounter;
  readonly #stored = new Map<Part, TokenCount>();
  readonly #contents = new WeakMap<Content, ContentTokens>();
  #read = 0;

  constructor(counter: MemoizedCounter) {
    this.counter = counter;
  }

  /** Takes in what a log has more than before. */
  read(events: readonly Event[]): void {
    for (; this.#read < events.length; this.#read++) this.#add(events[this.#read]);
  }

  part(part: Part): TokenCount {
    return this.#stored.get(part) ?? { n: this.counter.part(part), by: this.counter.name };
  }

  content(content: Content): ContentTokens {
    const known = this.#contents.get(content);
    if (known !== undefined) return known;
    const counted = this.#count(content);
    if (Object.isFrozen(content) && Object.isFrozen(content.parts)) this.#contents.set(content, counted);
    return counted;
  }

  #count(content: Content): ContentTokens {
    let n = 0;
    let by: string | undefined;
    for (const part of content.parts) {
      const counted = this.part(part);
      n += counted.n;
      if (counted.n > 0) by = joinedBy(by, counted.by);
    }
    return { n, by: by ?? this.counter.name, framing: framingOf(content), media: content.parts.filter(isMedia).length };
  }

  #add(event: Event | undefined): void {
    if (event?.tokens === undefined || event.content === undefined) return;
    const { parts } = event.content;
    const [first] = parts;
    if (first === undefined) return;
    if (parts.length === 1) this.#stored.set(first, event.tokens);
    else this.#share(parts, event.tokens);
  }

  #share(parts: readonly Part[], { n, by }: TokenCount): void {
    const alone = parts.map((part) => this.counter.part(part));
    const sum = alone.reduce((total, one) => total + one, 0);
    for (const [index, part] of parts.entries())
      this.#stored.set(part, { n: sum === 0 ? n / parts.length : (n * (alone[index] ?? 0)) / sum, by });
  }
}

const logs = new WeakMap<readonly Event[], LogCounts>();

/** The counts of a log. A list that only grows is read on where it was left. */
export function logCounts(events: readonly Event[], counter: MemoizedCounter): LogCounts {
  let counts = logs.get(events);
  if (counts?.counter !== counter) {
    counts = new LogCounts(counter);
    logs.set(events, counts);
  }
  counts.read(events);
  return counts;
}

/** Who has counted a sum, once another count is added. */
export function joinedBy(by: string | undefined, more: string): string {
  return by === undefined || by === more ? more : mixedCounts;
}

/** Marks of the messages that a content is sent as: each response is one of its own, calls go with what is said. */
export function framingOf({ role, parts }: Content): number {
  const { message, call } = messageConstants;
  if (role === 'model') return message + call * parts.filter(isCall).length;
  const responses = parts.filter(isResponse).length;
  return message * (responses + (responses < parts.length ? 1 : 0));
}

/** True for a part that is counted by a figure for its kind. */
export function isMedia({ inlineData, fileData }: Part): boolean {
  return inlineData !== undefined || fileData !== undefined;
}

function isCall({ functionCall }: Part): boolean {
  return functionCall !== undefined;
}

function isResponse({ functionResponse }: Part): boolean {
  return functionResponse !== undefined;
}
