import type { ModelRequest, Part } from '../../events/index.ts';

/** Where a part stands in a request. */
export interface PartPlace {
  /** Index into the request's contents. */
  readonly content: number;
  /** Index into that content's parts. */
  readonly part: number;
}

/** The place before which nothing of a request is transient. */
export function stableEnd({ contents, transient, transientParts }: ModelRequest): PartPlace {
  const content = Math.min(contents.length, ...transient);
  if (transientParts === undefined || transientParts.content >= content) return { content, part: 0 };
  return { content: transientParts.content, part: transientParts.from };
}

/** The place behind all of a request. */
export function requestEnd({ contents }: ModelRequest): PartPlace {
  return { content: contents.length, part: 0 };
}

/** The places of the parts before a place, from there to the front. */
export function* placesBefore({ contents }: ModelRequest, end: PartPlace): Generator<PartPlace> {
  for (let content = end.content; content >= 0; content--) {
    const count = contents[content]?.parts.length ?? 0;
    const last = content === end.content ? Math.min(end.part, count) : count;
    for (let part = last - 1; part >= 0; part--) yield { content, part };
  }
}

/** True if a mark can stand on the part: not on a thought, nor on a text that says nothing. */
export function canBeMarked(part: Part | undefined): boolean {
  return part !== undefined && part.thought !== true && part.text?.trim() !== '';
}

/** Below zero if `a` stands before `b`, zero if it is the same place. */
export function comparePlaces(a: PartPlace, b: PartPlace): number {
  return a.content - b.content || a.part - b.part;
}
