import type { Content } from '../../../events/index.ts';
import { noSeqs, opening } from '../lay-out-contents.ts';
import type { Joined, SpanLink } from './span-link.ts';

/** The contents of a chain of spans, of which the last can be taken off again. */
export class LaidRow {
  readonly #contents: Content[] = [];
  readonly #sources: (readonly number[])[] = [];

  /** The row of a whole chain. */
  static of(chain: SpanLink | undefined): LaidRow {
    const links: SpanLink[] = [];
    for (let link = chain; link !== undefined; link = link.previous) links.push(link);
    const row = new LaidRow();
    for (const link of links.reverse()) row.push(link);
    return row;
  }

  push({ span, joined }: SpanLink): void {
    const { contents, sources } = span.laidOut;
    if (joined !== undefined) this.#replaceLast(joined);
    for (let index = joined === undefined ? 0 : 1; index < contents.length; index++) {
      const content = contents[index];
      if (content === undefined) continue;
      this.#contents.push(content);
      this.#sources.push(sources[index] ?? []);
    }
  }

  /** Takes the last one off. */
  pop({ previous, joined }: SpanLink): void {
    this.#contents.length = previous?.length ?? 0;
    this.#sources.length = previous?.length ?? 0;
    if (joined !== undefined && previous?.last !== undefined) this.#replaceLast(previous.last);
  }

  /** The contents as a list of their own, with the opening. Copies pointers. */
  contents(): readonly Content[] {
    return this.#needsOpening ? [opening, ...this.#contents] : this.#contents.slice();
  }

  /** The same of where they come from. */
  sources(): readonly (readonly number[])[] {
    return this.#needsOpening ? [noSeqs, ...this.#sources] : this.#sources.slice();
  }

  get #needsOpening(): boolean {
    return this.#contents[0]?.role === 'model';
  }

  #replaceLast({ content, seqs }: Joined): void {
    this.#contents[this.#contents.length - 1] = content;
    this.#sources[this.#sources.length - 1] = seqs;
  }
}
