import type { Content, ModelRequest, ToolDeclaration } from '../../events/index.ts';
import { settledCount } from '../assembly/index.ts';

/** What begins a request and can begin the next one: nothing that is there for one invocation only, and never all of it. */
export interface PrefixPlan {
  readonly instruction: readonly string[];
  /** By name. */
  readonly tools: readonly ToolDeclaration[];
  /** Whole contents, from the first on; none is a prefix too. */
  readonly contents: readonly Content[];
  /** Of this prefix alone, estimated. */
  readonly tokens: number;
  /** What the tools have of them. */
  readonly toolTokens: number;
  /** What the tools and the instruction have of them. */
  readonly headTokens: number;
  /** The tokens of instruction, tools and the first so many contents of the request, also of those behind the prefix. */
  readonly tokensThrough: (contents: number) => number;
}

/** Estimated tokens of a request. */
export interface RequestCounts {
  readonly instruction: number;
  readonly tools: number;
  /** Of all contents together, so that those at the beginning need not be counted. Default: counted one by one. */
  readonly contents?: number;
  readonly tokensOf: (content: Content) => number;
}

/**
 * The prefix of a request: instruction, tools, and the contents before the last run of contents of the user's side, as far
 * as nothing transient stands among them. So the prefixes of one conversation grow by whole contents, and what asks for
 * the answer always stays outside.
 */
export function planPrefix(request: ModelRequest, counts: RequestCounts): PrefixPlan {
  const { contents, instruction, tools } = request;
  const count = Math.min(settledCount(request), lastUserRun(contents));
  const headTokens = counts.tools + counts.instruction;
  const tokensThrough = countThrough(contents, counts);
  return Object.freeze({
    instruction,
    tools: [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    contents: contents.slice(0, count),
    tokens: tokensThrough(count),
    toolTokens: counts.tools,
    headTokens,
    tokensThrough,
  });
}

/** Counts from the end of the contents, and no further than asked: what is asked for stands near it. */
function countThrough(
  contents: readonly Content[],
  { instruction, tools, tokensOf, contents: all }: RequestCounts,
): PrefixPlan['tokensThrough'] {
  const total = all ?? contents.reduce((sum, content) => sum + tokensOf(content), 0);
  /** At n: the tokens of the last n contents. */
  const behind = [0];
  return (count) => {
    const left = Math.max(0, contents.length - count);
    for (const content of contents.slice(count, contents.length - behind.length + 1).reverse())
      behind.push((behind.at(-1) ?? 0) + tokensOf(content));
    return tools + instruction + Math.max(0, total - (behind[left] ?? 0));
  };
}

/** Where the last run of contents of the user's side begins; 0 if there is none. */
function lastUserRun(contents: readonly Content[]): number {
  let start = Math.max(
    0,
    contents.findLastIndex(({ role }) => role === 'user'),
  );
  while (contents[start - 1]?.role === 'user') start--;
  return start;
}
