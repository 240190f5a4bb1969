import { stemWord } from './stem-word.ts';
import { stopWords } from './stop-words.ts';

/** One term of a text, in order. */
export interface Token {
  readonly term: string;
  /**
   * What it was: an English or other spaced `word` (stemmed), a `stop` word, a single `character` of a script written
   * without spaces, or a `pair` of neighbouring ones.
   */
  readonly kind: 'word' | 'stop' | 'character' | 'pair';
  /** For a character or the first of a pair: whether it stands alone between other things. */
  readonly alone: boolean;
  /** The text it was made from, normalised but not stemmed. */
  readonly surface: string;
  /** Where it begins, in half words: a word is two long, a character one. */
  readonly at: number;
}

const longestTerm = 64;

// Marks belong to the letter before them: vowel signs of Indic scripts, accents without a precomposed form.
const wordOrRun = /[\p{L}\p{N}\p{M}]+(?:['\u2019][\p{L}\p{M}]+)*/gu;
const cjk = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\u30fc';
const hasCjk = new RegExp(`[${cjk}]`, 'u');
const cjkOrOther = new RegExp(`[${cjk}]+|[^${cjk}]+`, 'gu');
const contraction = /(?:n't|'(?:s|re|ve|ll|d|m))$/;
const irregular: ReadonlyMap<string, string> = new Map([
  ["can't", 'can'],
  ["won't", 'will'],
  ["shan't", 'shall'],
]);

/**
 * The analyser `smart`: NFKC, lower case, split at whatever is no letter and no number; English words are stemmed
 * (`user's` counts as `user`), accents stay; runs of Chinese, Japanese and Korean become characters and pairs. Total:
 * no text has a special meaning or makes it throw.
 */
export function analyze(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const [match] of text.normalize('NFKC').toLowerCase().matchAll(wordOrRun)) {
    const pieces = hasCjk.test(match) ? (match.match(cjkOrOther) ?? []) : [match];
    for (const piece of pieces) at = hasCjk.test(piece) ? addRun(tokens, piece, at) : addWord(tokens, piece, at);
  }
  return tokens;
}

function addWord(tokens: Token[], word: string, start: number): number {
  let at = start;
  const straight = word.replaceAll('\u2019', "'");
  const bare = irregular.get(straight) ?? straight.replace(contraction, '');
  for (const part of bare.includes("'") ? bare.split("'") : [bare]) {
    if (part === '') continue;
    const surface = part.length > longestTerm ? part.slice(0, longestTerm).toWellFormed() : part;
    const kind = stopWords.has(surface) ? 'stop' : 'word';
    tokens.push({ term: stemWord(surface), kind, alone: false, surface, at });
    at += 2;
  }
  return at;
}

function addRun(tokens: Token[], run: string, start: number): number {
  let at = start;
  let previous: string | undefined;
  const characters = Array.from(run);
  const alone = characters.length === 1;
  for (const character of characters) {
    if (previous !== undefined) {
      const pair = previous + character;
      tokens.push({ term: pair, kind: 'pair', alone: false, surface: pair, at: at - 1 });
    }
    tokens.push({ term: character, kind: 'character', alone, surface: character, at });
    previous = character;
    at += 1;
  }
  return at;
}

/** A term that a query asks for. */
export interface QueryTerm {
  readonly term: string;
  /** As the query has it, for showing what matched. */
  readonly surface: string;
  /** Whether the term is of a script written without spaces: its occurrences are weighed differently. */
  readonly cjk: boolean;
  /** `find`: having it makes an entry a candidate; `weigh`: it only counts in entries that are candidates. */
  readonly role: 'find' | 'weigh';
}

/** At most this many distinct terms of each role are taken from a query, the first ones: longer queries stay cheap. */
export const maxQueryTerms = 256;

/**
 * The distinct terms of a query. Stop words are left out if there is any other term. Candidates come from pairs, since
 * single characters of Chinese stand almost everywhere; characters find only where the query has one by itself.
 */
export function queryTerms(query: string): readonly QueryTerm[] {
  const tokens = analyze(query);
  const onlyStopWords = tokens.every((token) => token.kind === 'stop');
  const find = new Map<string, QueryTerm>();
  const weigh = new Map<string, QueryTerm>();
  for (const { term, kind, alone, surface } of tokens) {
    if (kind === 'stop' && !onlyStopWords) continue;
    const cjk = kind === 'pair' || kind === 'character';
    const role = kind === 'character' && !alone ? 'weigh' : 'find';
    const terms = role === 'find' ? find : weigh;
    if (!terms.has(term) && terms.size < maxQueryTerms) terms.set(term, { term, surface, cjk, role });
  }
  return [...find.values(), ...[...weigh.values()].filter(({ term }) => !find.has(term))];
}
