/** A part of a request, by what it says. */
export interface Segment {
  readonly id: string;
  readonly tokens: number;
}

interface Node {
  readonly next: Map<string, Node>;
  usedAt: number;
}

/** What a provider holds: the beginnings of requests as a tree of segments, each with the second of its last use. */
export class PrefixCache {
  readonly #root: Node = { next: new Map(), usedAt: 0 };
  readonly #ttlSeconds: number;

  constructor(ttlSeconds: number) {
    this.#ttlSeconds = ttlSeconds;
  }

  /** Tokens of the segments with which a held request begins as well, which are then held anew with the rest. */
  use(segments: readonly Segment[], second: number): number {
    let node = this.#root;
    let shared = 0;
    let isHeld = true;
    for (const { id, tokens } of segments) {
      const known = node.next.get(id);
      isHeld &&= known !== undefined && second - known.usedAt <= this.#ttlSeconds;
      if (isHeld) shared += tokens;
      const next = known ?? { next: new Map(), usedAt: second };
      next.usedAt = second;
      node.next.set(id, next);
      node = next;
    }
    return shared;
  }
}
