import { type Content, type CountTokens, countedText, type TokenCount } from '../events/index.ts';

const shared = new Map<string, TokenCount[]>();
const mostShared = 4096;

/** Counts the tokens of all that a content carries as text; see countedText(). */
export function countContent(content: Content, counter: CountTokens): TokenCount {
  const only = content.parts.length === 1 ? content.parts[0]?.text : undefined;
  const n =
    only === undefined
      ? content.parts.reduce((sum, part) => sum + counter.count(countedText(part)), 0)
      : counter.count(only);
  return sharedCount(n, counter.name);
}

/** Small counts recur all the time: one frozen object each, so that a stored event does not carry its own. */
function sharedCount(n: number, by: string): TokenCount {
  if (n >= mostShared) return Object.freeze({ n, by });
  let counts = shared.get(by);
  if (counts === undefined) {
    counts = [];
    shared.set(by, counts);
  }
  counts[n] ??= Object.freeze({ n, by });
  return counts[n];
}
