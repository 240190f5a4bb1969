import { PalimpsestError } from '../../../errors/index.ts';

/** The seq that stands for an argument. Throws INVALID_ARGUMENT unless it is a whole number, 1 or more. */
export function readSeq(argument: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  const reason = `must be the seq of an event, a whole number, 1 or more, not ${JSON.stringify(text)}`;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}

/** Seqs with commas or spaces between them. Throws INVALID_ARGUMENT for what is none. */
export function readSeqs(argument: string, texts: readonly string[]): readonly number[] {
  const parts = texts.flatMap((text) => text.split(/[\s,，、]+/)).filter((part) => part !== '');
  if (parts.length === 0) {
    const reason = 'must name seqs of events, such as 3,7';
    throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
  }
  return [...new Set(parts.map((part) => readSeq(argument, part)))];
}
