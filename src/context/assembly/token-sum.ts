import type { Block, TokenCount } from '../../events/index.ts';
import { joinedBy } from './log-counts.ts';

/** What a request's tokens belong to: a kind of block, the tools, the log, or the marks around messages. */
export type TokenKind = Block['kind'] | 'tools' | 'conversation' | 'framing';

/** Tokens by what they belong to, and who counted them. */
export class TokenSum {
  readonly parts: Map<TokenKind, number>;
  /** How many media there are, which no tokenizer counts. */
  readonly media: Map<TokenKind, number>;
  #by: string | undefined;

  constructor(parts: Iterable<[TokenKind, number]> = [], media: Iterable<[TokenKind, number]> = [], by?: string) {
    this.parts = new Map(parts);
    this.media = new Map(media);
    this.#by = by;
  }

  /** Who counted, `mixed` for several; `undefined` where there was nothing to count. */
  get by(): string | undefined {
    return this.#by;
  }

  copy(): TokenSum {
    return new TokenSum(this.parts, this.media, this.#by);
  }

  add(kind: TokenKind, n: number): void {
    this.parts.set(kind, (this.parts.get(kind) ?? 0) + n);
  }

  addMedia(kind: TokenKind, count: number): void {
    this.media.set(kind, (this.media.get(kind) ?? 0) + count);
  }

  count(kind: TokenKind, { n, by }: TokenCount): void {
    if (n === 0) return;
    this.add(kind, n);
    this.#by = joinedBy(this.#by, by);
  }
}
