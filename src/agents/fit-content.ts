import type { Content, Part } from '../events/index.ts';

const cutMark = '… [cut]';
/** Moved media leave a reference of about this size. */
const referenceBytes = 1024;

/**
 * As much of a content as fits into so many bytes of JSON: parts from the first on, the text that does not fit cut
 * between code points and marked. Calls are left out: of an answer that is not whole none is made. Pure.
 */
export function fitContent({ role, parts }: Content, bytes: number): Content | undefined {
  const kept: Part[] = [];
  let left = bytes;
  for (const part of parts) {
    if (part.functionCall !== undefined) continue;
    const size = part.inlineData === undefined ? bytesOf(part) : referenceBytes;
    if (size > left) {
      const beginning = cutPart(part, left);
      if (beginning !== undefined) kept.push(beginning);
      break;
    }
    kept.push(part);
    left -= size + 1;
  }
  return kept.length === 0 ? undefined : { role, parts: kept };
}

function cutPart({ thought, text }: Part, bytes: number): Part | undefined {
  if (text === undefined) return undefined;
  const cut = (length: number): Part => ({
    text: `${beginningOf(text, length)}${cutMark}`,
    ...(thought === undefined ? {} : { thought }),
  });
  let [fits, tooLong] = [0, text.length + 1];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (bytesOf(cut(middle)) <= bytes) fits = middle;
    else tooLong = middle;
  }
  return fits === 0 ? undefined : cut(fits);
}

/** So many code units at most, without half of a code point at the end. */
function beginningOf(text: string, length: number): string {
  const last = text.codePointAt(length - 1) ?? 0;
  return text.slice(0, last > 0xffff ? length - 1 : length);
}

function bytesOf(part: Part): number {
  return Buffer.byteLength(JSON.stringify(part));
}
