/**
 * The stem of a lower-case English word, by the rules of Porter's algorithm (M. F. Porter, "An algorithm for suffix
 * stripping", 1980): `preferences`, `preferred` and `preferring` become `prefer`. A word with other letters than a–z,
 * or shorter than three, is its own stem.
 */
export function stemWord(word: string): string {
  if (!englishWord.test(word)) return word;
  const known = memory.get(word);
  if (known !== undefined) return known;
  const stem = tidyEnd(longSuffix(adjectiveSuffix(nounSuffix(pastAndGerund(plural(word))))));
  if (memory.size >= memorySize) memory.clear();
  memory.set(word, stem);
  return stem;
}

const englishWord = /^[a-z]{3,32}$/;

/** Text repeats its words; looking a stem up is five times as fast as making it. */
const memory = new Map<string, string>();
const memorySize = 20_000;

type Suffixes = readonly (readonly [suffix: string, replacement: string])[];

const nounSuffixes: Suffixes = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['bli', 'ble'],
  ['eli', 'e'],
];

const adjectiveSuffixes: Suffixes = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

const longSuffixes: Suffixes = [
  ...['ement', 'ance', 'ence', 'able', 'ible', 'ment', 'ant', 'ent', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'],
  ...['al', 'er', 'ic', 'ou'],
].map((suffix) => [suffix, '']);

function plural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function pastAndGerund(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = word.endsWith('ing') ? 3 : word.endsWith('ed') ? 2 : 0;
  const stem = word.slice(0, word.length - ending);
  if (ending === 0 || !hasVowel(stem)) return yToI(word);
  if (/(?:at|bl|iz)$/.test(stem)) return yToI(`${stem}e`);
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return yToI(stem.slice(0, -1));
  return yToI(measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem);
}

function yToI(word: string): string {
  return word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

function nounSuffix(word: string): string {
  return replaceSuffix(word, nounSuffixes, 0);
}

function adjectiveSuffix(word: string): string {
  return replaceSuffix(word, adjectiveSuffixes, 0);
}

function longSuffix(word: string): string {
  if (/[st]ion$/.test(word)) return measure(word.slice(0, -3)) > 1 ? word.slice(0, -3) : word;
  return replaceSuffix(word, longSuffixes, 1);
}

function tidyEnd(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const shorter = stem.slice(0, -1);
    const syllables = measure(shorter);
    if (syllables > 1 || (syllables === 1 && !endsShort(shorter))) stem = shorter;
  }
  return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

/** Only the first suffix that fits counts, whether or not what is left of the word is long enough. */
function replaceSuffix(word: string, suffixes: Suffixes, longerThan: number): string {
  for (const [suffix, replacement] of suffixes) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, -suffix.length);
    return measure(stem) > longerThan ? stem + replacement : word;
  }
  return word;
}

/** How often a vowel is followed by a consonant, groups counted as one: Porter's m. */
function measure(stem: string): number {
  return shape(stem).match(/v+c+/g)?.length ?? 0;
}

function hasVowel(stem: string): boolean {
  return shape(stem).includes('v');
}

function endsDouble(stem: string): boolean {
  return stem.length > 1 && stem.at(-1) === stem.at(-2) && shape(stem).endsWith('c');
}

/** Consonant, vowel, consonant, the last none of w, x and y. */
function endsShort(stem: string): boolean {
  return shape(stem).endsWith('cvc') && !/[wxy]$/.test(stem);
}

/** One `c` or `v` a letter; y is a vowel after a consonant. */
function shape(stem: string): string {
  let letters = '';
  for (const letter of stem) {
    const vowel = 'aeiou'.includes(letter) || (letter === 'y' && letters.endsWith('c'));
    letters += vowel ? 'v' : 'c';
  }
  return letters;
}
