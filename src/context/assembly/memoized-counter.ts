import { type CountTokens, countedText, type Part, type ToolDeclaration } from '../../events/index.ts';
import { sha256 } from '../../internal/index.ts';
import { countTool } from './count-tool.ts';

/** Shorter texts are counted faster than looked up. */
const shortText = 64;

const mostTexts = 2000;

/**
 * Counts what a request is made of, and what it has counted before only once: frozen parts and tools by identity, long
 * texts by their hash, so that no text is kept.
 */
export class MemoizedCounter {
  readonly name: string;
  readonly #counter: CountTokens;
  readonly #parts = new WeakMap<Part, number>();
  readonly #tools = new WeakMap<ToolDeclaration, number>();
  readonly #texts = new Map<string, number>();

  constructor(counter: CountTokens) {
    this.#counter = counter;
    this.name = counter.name;
  }

  text(text: string): number {
    if (text.length < shortText) return this.#counter.count(text);
    const hash = sha256(text);
    const known = this.#texts.get(hash);
    if (known !== undefined) return known;
    if (this.#texts.size >= mostTexts) this.#texts.clear();
    return remember(this.#texts, hash, this.#counter.count(text));
  }

  part(part: Part): number {
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const counted = this.text(countedText(part));
    return Object.isFrozen(part) ? remember(this.#parts, part, counted) : counted;
  }

  tool(tool: ToolDeclaration): number {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const counted = countTool(tool, (text) => this.text(text));
    return Object.isFrozen(tool) ? remember(this.#tools, tool, counted) : counted;
  }
}

const counters = new WeakMap<CountTokens, MemoizedCounter>();

/** The memory of a counter. One whose name has changed counts in another way, and starts anew. */
export function memoized(counter: CountTokens): MemoizedCounter {
  const known = counters.get(counter);
  if (known?.name === counter.name) return known;
  return remember(counters, counter, new MemoizedCounter(counter));
}

function remember<Key, Value>(known: { set(key: Key, value: Value): unknown }, key: Key, value: Value): Value {
  known.set(key, value);
  return value;
}
