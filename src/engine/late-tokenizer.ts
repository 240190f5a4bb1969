import { PalimpsestError } from '../errors/index.ts';
import { type CountTokens, estimateTokens, isPlainObject } from '../events/index.ts';
import type { Logger } from '../models/index.ts';
import type { BeforeAppend } from '../sessions/index.ts';
import { BytePairCounter, type TokenRanks } from './byte-pair-counter.ts';

/**
 * The tokenizer of a Palimpsest: the caller's, else o200k_base where the package `gpt-tokenizer` is installed, which is
 * loaded when it is first needed, else an estimate. Counts by estimate until it is loaded.
 */
export class LateTokenizer implements CountTokens {
  readonly #load: () => Promise<CountTokens>;
  readonly #logger: Logger;
  #chosen: CountTokens;
  #loading: Promise<void> | undefined;
  #isReady: boolean;

  constructor(given: CountTokens | undefined, logger: Logger, load: () => Promise<CountTokens> = loadSharedTokenizer) {
    this.#load = load;
    this.#logger = logger;
    this.#chosen = given ?? estimateTokens;
    this.#isReady = given !== undefined;
  }

  get name(): string {
    return this.#chosen.name;
  }

  count(text: string): number {
    return this.#chosen.count(text);
  }

  /** Loads the tokenizer, once. Never throws: an append matters more than an exact count. */
  async load(): Promise<void> {
    if (this.#isReady) return;
    this.#loading ??= this.#tryLoad();
    await this.#loading;
  }

  /** A hook that does what `next` does, and sees to it that nothing is counted before the tokenizer is there. */
  before(next: BeforeAppend | undefined): BeforeAppend | undefined {
    if (this.#isReady) return next;
    return (input, key) => {
      if (this.#isReady) return next === undefined ? input : next(input, key);
      return this.#loadFor(input, key, next);
    };
  }

  async #loadFor(...[input, key, next]: [...Parameters<BeforeAppend>, BeforeAppend | undefined]) {
    const event = next === undefined ? input : await next(input, key);
    // What is no event is left to the checks of the append.
    if (isPlainObject(event) && event.content !== undefined) await this.load();
    return event;
  }

  async #tryLoad(): Promise<void> {
    try {
      this.#chosen = await this.#load();
    } catch (error) {
      if (!isMissing(error))
        this.#logger.warn('The tokenizer cannot be loaded; tokens are estimated.', { error: String(error) });
    }
    this.#isReady = true;
  }
}

let shared: Promise<CountTokens> | undefined;

/** It holds 22 MB, so a process has one. */
function loadSharedTokenizer(): Promise<CountTokens> {
  shared ??= loadTokenizer();
  return shared;
}

/** The vocabulary alone is loaded; the package's own encoder takes thirty times as long for Chinese. */
async function loadTokenizer(): Promise<CountTokens> {
  const { default: ranks } = await import('gpt-tokenizer/bpeRanks/o200k_base');
  return checkedCounter(ranks);
}

const sample = "Hello, 世界! It's 12345 <|endoftext|> 🙂";
const tokensOfSample = 16;

/** A counter over a vocabulary. Another version of the package may hold something else: then NOT_SUPPORTED. */
export function checkedCounter(ranks: TokenRanks): CountTokens {
  const counter = new BytePairCounter(Array.isArray(ranks) ? ranks : []);
  if (counter.count(sample) === tokensOfSample) return counter;
  throw new PalimpsestError('NOT_SUPPORTED', {
    capability: 'The vocabulary of the installed gpt-tokenizer',
    instead: 'Install version 4 of it.',
  });
}

function isMissing(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
