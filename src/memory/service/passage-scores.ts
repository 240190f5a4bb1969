import type { QueryTerm } from './analyzer.ts';
import type { PostingBlock } from './memory-store.ts';
import { blockOf, blockSize, offsetOf, packedLength, packedOffset, packedTimes } from './posting.ts';

/** BM25's two constants: how soon repetition stops to count, and how much length does. */
const latin = { k1: 0.9, b: 0.4 };
const cjk = { k1: 1.2, b: 0.75 };

/** A query term with its postings and what they say about it. */
export interface TermPostings {
  readonly term: QueryTerm;
  readonly blocks: readonly PostingBlock[];
  /** How much having the term says: the rarer, the more. */
  readonly weight: number;
}

/** Weighs the terms by how many of the scope's passages have them. */
export function weighTerms(
  terms: readonly QueryTerm[],
  postings: readonly (readonly PostingBlock[])[],
  passages: number,
): TermPostings[] {
  return terms.map((term, index) => {
    const blocks = postings[index] ?? [];
    const having = blocks.reduce((sum, block) => sum + block.postings.length, 0);
    return { term, blocks, weight: Math.log(1 + (Math.max(passages - having, 0) + 0.5) / (having + 0.5)) };
  });
}

/** The most that BM25 can give for these terms. */
export function bestScore(terms: readonly TermPostings[]): number {
  return terms.reduce((sum, { term, weight }) => sum + weight * ((term.cjk ? cjk : latin).k1 + 1), 0);
}

/** A passage and its score. */
export interface ScoredPassage {
  readonly passage: number;
  readonly score: number;
}

/** BM25 scores of all passages that have a term which finds. */
export class PassageScores {
  readonly #blocks = new Map<number, Float64Array>();
  readonly #averageLength: number;

  constructor(terms: readonly TermPostings[], averageLength: number) {
    this.#averageLength = averageLength;
    for (const role of ['find', 'weigh'] as const) {
      for (const term of terms) if (term.term.role === role) this.#addTerm(term);
    }
  }

  /** The score of a passage, 0 if it is no candidate. */
  of(passage: number): number {
    return this.#blocks.get(blockOf(passage))?.[offsetOf(passage)] ?? 0;
  }

  /** The best passages, newest first where scores are equal. `all`: these are all there are. */
  best(count: number): { readonly passages: readonly ScoredPassage[]; readonly all: boolean } {
    let kept: ScoredPassage[] = [];
    let found = 0;
    let threshold = 0;
    for (const [block, scores] of this.#blocks) {
      for (let offset = 0; offset < blockSize; offset++) {
        const score = scores[offset] ?? 0;
        if (score <= 0) continue;
        found++;
        if (score < threshold) continue;
        kept.push({ passage: block * blockSize + offset, score });
        if (kept.length < count * 4) continue;
        kept = kept.sort(better).slice(0, count);
        threshold = kept.at(-1)?.score ?? 0;
      }
    }
    return { passages: kept.sort(better).slice(0, count), all: found <= count };
  }

  #addTerm({ term, blocks, weight }: TermPostings): void {
    const { k1, b } = term.cjk ? cjk : latin;
    const perLength = (k1 * b) / this.#averageLength;
    const finds = term.role === 'find';
    for (const { block, postings } of blocks) {
      const scores = this.#blocks.get(block) ?? (finds ? this.#openBlock(block) : undefined);
      if (scores === undefined) continue;
      for (let index = 0; index < postings.length; index++) {
        const packed = postings[index] ?? 0;
        const offset = packedOffset(packed);
        const before = scores[offset] ?? 0;
        if (before === 0 && !finds) continue;
        const times = packedTimes(packed);
        const saturation = times + k1 * (1 - b) + perLength * packedLength(packed);
        scores[offset] = before + (weight * times * (k1 + 1)) / saturation;
      }
    }
  }

  #openBlock(block: number): Float64Array {
    const scores = new Float64Array(blockSize);
    this.#blocks.set(block, scores);
    return scores;
  }
}

/** Which of the terms occur in which of the passages, and how often. */
export function occurrences(
  terms: readonly TermPostings[],
  passages: Iterable<number>,
): ReadonlyMap<number, ReadonlyMap<TermPostings, number>> {
  const found = new Map<number, Map<TermPostings, number>>();
  const blocks = new Set<number>();
  for (const passage of passages) {
    found.set(passage, new Map());
    blocks.add(blockOf(passage));
  }
  for (const term of terms) {
    for (const { block, postings } of term.blocks) {
      if (!blocks.has(block)) continue;
      for (const packed of postings)
        found.get(block * blockSize + packedOffset(packed))?.set(term, packedTimes(packed));
    }
  }
  return found;
}

function better(a: ScoredPassage, b: ScoredPassage): number {
  return b.score - a.score || b.passage - a.passage;
}
