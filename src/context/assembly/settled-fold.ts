import type { Content, ModelRequest } from '../../events/index.ts';

/** What is worked out content by content. */
interface Copyable<State> {
  /** One that goes on from here on its own. */
  copy(): State;
}

/** One pass over the contents of a request. */
export interface FoldedRequest<State> {
  readonly contents: readonly Content[];
  /** How many contents the next request may be expected to begin with. */
  readonly settled: number;
  /** What else the state depends on; nothing is taken over where it differs. */
  readonly key: readonly unknown[];
  readonly empty: () => State;
  readonly add: (state: State, content: Content, index: number) => void;
}

/**
 * A fold over the contents of requests of which each, as a rule, begins as the one before: what both begin with is not
 * folded again. Gives what a fold over all contents gives.
 */
export class SettledFold<State extends Copyable<State>> {
  #known:
    | { readonly contents: readonly Content[]; readonly count: number; readonly key: readonly unknown[] }
    | undefined;
  #state: State | undefined;

  /** What is known of the contents that the last request began with. */
  get known(): State | undefined {
    return this.#state;
  }

  fold({ contents, settled, key, empty, add }: FoldedRequest<State>): State {
    const known = this.#takeUp(contents, settled, key);
    const state = known?.state.copy() ?? empty();
    for (let index = known?.count ?? 0; index < contents.length; index++) {
      if (index === settled) this.#keep({ contents, count: index, key }, state.copy());
      const content = contents[index];
      if (content !== undefined) add(state, content, index);
    }
    return state;
  }

  /** Forgets what is known, so that all contents are folded. */
  clear(): void {
    this.#known = undefined;
    this.#state = undefined;
  }

  #keep(known: { contents: readonly Content[]; count: number; key: readonly unknown[] }, state: State): void {
    this.#known = known;
    this.#state = state;
  }

  #takeUp(
    contents: readonly Content[],
    settled: number,
    key: readonly unknown[],
  ): { readonly count: number; readonly state: State } | undefined {
    if (this.#known === undefined || this.#state === undefined) return undefined;
    const { contents: before, count, key: keyBefore } = this.#known;
    if (count > settled || key.length !== keyBefore.length || key.some((item, at) => item !== keyBefore[at]))
      return undefined;
    for (let index = 0; index < count; index++) if (!isSame(contents[index], before[index])) return undefined;
    return { count, state: this.#state };
  }
}

/** How many contents of a request stand before all that may be different in the next one. */
export function settledCount({ contents, transient, transientParts }: ModelRequest): number {
  return Math.max(0, Math.min(contents.length - 1, transientParts?.content ?? contents.length, ...transient));
}

/** The first contents are often put together anew, of the same parts. */
function isSame(a: Content | undefined, b: Content | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.role !== b.role || a.parts.length !== b.parts.length) return false;
  return a.parts.every((part, index) => part === b.parts[index]);
}
