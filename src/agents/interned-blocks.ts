import type { Block, Content } from '../events/index.ts';
import { canonicalJson, sha256 } from '../internal/index.ts';
import { frozenCopy } from './frozen-copy.ts';

/** So much text of blocks is remembered, in UTF-16 code units, of those used last. */
const mostText = 8 * 1024 * 1024;

/** The text of a block's content, as a journal names it. */
export interface BlockText {
  readonly hash: string;
  readonly json: string;
}

const texts = new WeakMap<Content, BlockText>();

/** Canonical JSON of a block's content and its SHA-256; of one that was interned, worked out once. */
export function blockText(content: Content): BlockText {
  const known = texts.get(content);
  if (known !== undefined) return known;
  const json = canonicalJson(content);
  return { hash: sha256(json), json };
}

/**
 * Contents of blocks, one for each that says the same: whoever gives equal blocks anew each time gives the same contents,
 * and whoever changes a block that he has given changes nothing that was sent.
 */
export class InternedBlocks {
  readonly #contents = new Map<string, Content>();
  #size = 0;

  /** The block with a content that is frozen, and the same for all that say the same. */
  intern(block: Block): Block {
    const content = this.#contentOf(block.content);
    return content === block.content ? block : { ...block, content };
  }

  #contentOf(given: Content): Content {
    const text = blockText(given);
    const content = this.#drop(text.hash) ?? frozenCopy(given);
    texts.set(content, text);
    this.#contents.set(text.hash, content);
    this.#size += text.json.length;
    for (const oldest of this.#contents.keys()) {
      if (this.#size <= mostText || oldest === text.hash) break;
      this.#drop(oldest);
    }
    return content;
  }

  #drop(hash: string): Content | undefined {
    const content = this.#contents.get(hash);
    if (content === undefined) return undefined;
    this.#contents.delete(hash);
    this.#size -= blockText(content).json.length;
    return content;
  }
}
