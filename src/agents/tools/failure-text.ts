import { shortenText } from './shorten-text.ts';

const longestText = 2_000;

/**
 * What a thrown value says of itself, without a stack, cut to 2,000 code points; `undefined` if it says nothing. Never
 * throws, whatever was thrown.
 */
export function failureText(thrown: unknown): string | undefined {
  try {
    const said = spoken(thrown).trim();
    return said === '' ? undefined : shortenText(said, longestText);
  } catch {
    // Reading the value failed, as with a message that is a getter which throws.
    return undefined;
  }
}

function spoken(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return '';
  if (typeof thrown !== 'object') return String(thrown);
  if ('message' in thrown && typeof thrown.message === 'string' && thrown.message.trim() !== '') return thrown.message;
  if (thrown instanceof Error) return thrown.name;
  return JSON.stringify(thrown) ?? '';
}
