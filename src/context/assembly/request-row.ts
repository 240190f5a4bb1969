import type { Content, ModelRequest } from '../../events/index.ts';
import { opening } from './lay-out-contents.ts';
import { mayStand, type ProviderRules } from './provider-rules.ts';

/** The contents of a request, put in a row; where the provider wants it, neighbours of one role become one. */
export class RequestRow {
  readonly #rules: ProviderRules;
  readonly #contents: Content[] = [];
  readonly #transient: number[] = [];
  #transientParts: ModelRequest['transientParts'];
  /** Where in the last content parts stand that are there for one invocation only. */
  #within: { readonly from: number; readonly to: number } | undefined;

  constructor(rules: ProviderRules) {
    this.#rules = rules;
  }

  /** Adds contents, without what the provider does not take. */
  add(contents: readonly Content[]): void {
    for (const content of contents) this.#push(content);
  }

  /** The same for contents that are there for one invocation only. */
  addTransient(contents: readonly Content[]): void {
    for (const content of contents) {
      const parts = this.#push(content);
      const end = this.#contents.at(-1)?.parts.length ?? 0;
      if (parts > 0) this.#within = { from: this.#within?.from ?? end - parts, to: end };
    }
  }

  /** Adds a piece of the conversation. If it is laid out for the provider, its contents fit, and fit together. */
  addConversation(contents: readonly Content[], isLaidOut: boolean): void {
    const [first] = contents;
    if (!isLaidOut || first === undefined) {
      this.add(contents);
      return;
    }
    this.#push(first);
    if (contents.length === 1) return;
    this.#close();
    for (let index = 1; index < contents.length; index++) {
      const content = contents[index];
      if (content !== undefined) this.#contents.push(content);
    }
  }

  /** The contents, and which of them, or of their parts, are there for one invocation only. */
  laid(): Pick<ModelRequest, 'contents' | 'transient' | 'transientParts'> {
    this.#close();
    const needsOpening = this.#contents[0]?.role === 'model';
    const before = needsOpening ? 1 : 0;
    const within = this.#transientParts;
    return {
      contents: needsOpening ? [opening, ...this.#contents] : this.#contents,
      transient: this.#transient.map((index) => index + before),
      ...(within === undefined ? {} : { transientParts: { ...within, content: within.content + before } }),
    };
  }

  /** How many parts of the content were added. */
  #push(content: Content): number {
    const { role } = content;
    const stands = content.parts.every((part) => mayStand(part, role, this.#rules));
    const parts = stands ? content.parts : content.parts.filter((part) => mayStand(part, role, this.#rules));
    if (parts.length === 0) return 0;
    const last = this.#contents.at(-1);
    if (this.#rules.mergesBlocks && last?.role === role) {
      this.#contents[this.#contents.length - 1] = { role, parts: [...last.parts, ...parts] };
    } else {
      this.#close();
      this.#contents.push(stands ? content : { ...content, parts });
    }
    return parts.length;
  }

  /** Notes what of the last content is transient; nothing is added to it any more. */
  #close(): void {
    const index = this.#contents.length - 1;
    const last = this.#contents[index];
    if (this.#within !== undefined && last !== undefined) {
      const { from, to } = this.#within;
      if (to - from === last.parts.length) this.#transient.push(index);
      else this.#transientParts = { content: index, from, to };
    }
    this.#within = undefined;
  }
}
