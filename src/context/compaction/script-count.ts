const scriptNames = ['latin', 'cjk', 'hangul', 'cyrillic', 'greek', 'arabic', 'hebrew', 'indic', 'thai'] as const;

/** Writing systems that are told apart. Chinese and Japanese are one. */
export type ScriptName = (typeof scriptNames)[number];

/** By UTF-16 code unit. What lies between is no letter, or of a script that is not told apart. */
const ranges: readonly (readonly [from: number, to: number, script: ScriptName])[] = [
  [0x41, 0x5a, 'latin'],
  [0x61, 0x7a, 'latin'],
  [0xc0, 0x24f, 'latin'],
  [0x370, 0x3ff, 'greek'],
  [0x400, 0x52f, 'cyrillic'],
  [0x590, 0x5ff, 'hebrew'],
  [0x600, 0x77f, 'arabic'],
  [0x900, 0xdff, 'indic'],
  [0xe00, 0xe7f, 'thai'],
  [0x1e00, 0x1eff, 'latin'],
  [0x1f00, 0x1fff, 'greek'],
  [0x3040, 0x30ff, 'cjk'],
  [0x3400, 0x9fff, 'cjk'],
  [0xac00, 0xd7af, 'hangul'],
  // First halves of the rarer ideographs.
  [0xd840, 0xd88d, 'cjk'],
  [0xf900, 0xfaff, 'cjk'],
];

/** An ideograph, or a block of syllables, says as much as so many letters of an alphabet. */
const lettersASign = 3;

const codeUnits = 0x10000;

/** For each code unit, one more than the index of its script's name; 0 for none. */
const scriptByUnit = tableOfUnits();

function tableOfUnits(): Uint8Array {
  const table = new Uint8Array(codeUnits);
  for (const [from, to, script] of ranges) table.fill(scriptNames.indexOf(script) + 1, from, to + 1);
  return table;
}

/** How much of some texts is written in which script, an ideograph counting as much as three letters. */
export class ScriptCount {
  readonly #units = new Float64Array(scriptNames.length + 1);

  constructor(texts: Iterable<string>) {
    for (const text of texts) {
      for (let index = 0; index < text.length; index++) {
        const code = scriptByUnit[text.charCodeAt(index)] ?? 0;
        this.#units[code] = (this.#units[code] ?? 0) + 1;
      }
    }
  }

  /** Letters of all scripts. */
  total(): number {
    return scriptNames.reduce((sum, script) => sum + this.#lettersOf(script), 0);
  }

  /** From 0 to 1. */
  share(script: ScriptName): number {
    const total = this.total();
    return total === 0 ? 0 : this.#lettersOf(script) / total;
  }

  /** The script that most is written in. */
  leading(): ScriptName {
    return scriptNames.reduce((best, name) => (this.#lettersOf(name) > this.#lettersOf(best) ? name : best));
  }

  #lettersOf(script: ScriptName): number {
    const units = this.#units[scriptNames.indexOf(script) + 1] ?? 0;
    return script === 'cjk' || script === 'hangul' ? units * lettersASign : units;
  }
}
