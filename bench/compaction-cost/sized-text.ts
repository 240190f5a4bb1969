import { countedText, estimateTokens, type Part } from '../../src/events/index.ts';
import { SeededRandom } from '../fixtures/seeded-random.ts';

const poolLength = 1 << 16;
const first = 0x4e00;
const variety = 20_000;

const pools = { said: pool(1), noted: pool(2) };

/** Chinese characters of which no longer run stands in it twice. */
function pool(seed: number): string {
  const random = new SeededRandom(seed);
  return String.fromCharCode(...Array.from({ length: poolLength }, () => first + random.below(variety)));
}

/** A text of so many tokens, one a character, of its own for each number; what is noted is in no words that were said. */
export function sizedText(tokens: number, number: number, kind: keyof typeof pools = 'said'): string {
  const from = Math.imul(number, 40_503) & (poolLength / 2 - 1);
  return pools[kind].slice(from, from + Math.max(1, tokens));
}

/** A part that counts so many tokens, made around a text. */
export function sizedPart(tokens: number, number: number, make: (text: string) => Part): Part {
  const around = estimateTokens.count(countedText(make('')));
  return make(sizedText(tokens - around, number));
}
