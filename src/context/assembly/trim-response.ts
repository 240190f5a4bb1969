import type { JsonValue } from '../../events/index.ts';
import { canonicalJson } from '../../internal/index.ts';
import type { Response } from './call-ledger.ts';
import type { StageFacts } from './stage-facts.ts';

/** What a request shows of a tool's result: the value itself, or the start of its text and a note of how much is cut. */
export interface ShownResult {
  readonly value: JsonValue | undefined;
  readonly isCut: boolean;
}

/** Cuts the payload of a response that a trim in force names, unless it is pinned. Counts code points. */
export function trimResponse({ event, part }: Response, { coverage }: StageFacts): ShownResult {
  const value = part.functionResponse?.response;
  const keepChars = coverage.trimmed.get(event.seq);
  if (keepChars === undefined || value === undefined || coverage.pinned.has(event.seq)) return { value, isCut: false };
  const text = typeof value === 'string' ? value : canonicalJson(value);
  const { end, beyond } = measure(text, keepChars);
  if (beyond === 0) return { value, isCut: false };
  return { value: `${text.slice(0, end)}[cut: ${beyond} characters; expand_history ${event.seq}]`, isCut: true };
}

/** Where the first `count` code points end, and how many follow. */
function measure(text: string, count: number): { end: number; beyond: number } {
  let seen = 0;
  let end = 0;
  for (let index = 0; index < text.length; seen++) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
    if (seen < count) end = index;
  }
  return { end, beyond: Math.max(0, seen - count) };
}
