import { type ErrorFacts, fieldOf, filledText, networkFailure } from './error-facts.ts';

const longestReason = 500;

/** Keys as services write them, and whatever stands behind a word for one. */
const secrets: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|pplx|AIza|ya29)[-_.]?[A-Za-z0-9_*-][A-Za-z0-9_.*-]{10,}/g,
  /(?<=\bBearer\s+)(?=\S*\d)[^\s"',;]{8,}/gi,
  /(?<=\b(?:api[-_ ]?keys?|key|token|authorization|secret|password)\b(?: provided)?["']?\s*[:=]\s*["']?)(?!Bearer\b)[^\s"',;&]{8,}/gi,
];

/**
 * One sentence, without its period, that says why a call failed: what the service itself says, else what its package
 * says and why. Bodies are not quoted, keys are blanked, and it is cut at 500 code points.
 */
export function failureReason(facts: ErrorFacts): string {
  const said = sayingOf(facts.body) ?? messagesOf(facts.links);
  const blanked = secrets.reduce((text, pattern) => text.replace(pattern, '[key]'), said);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to go
  const line = blanked.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
  const sentence = line.replace(/[.:\s]+$/, '');
  const code = facts.networkCode === networkFailure ? undefined : facts.networkCode;
  const whole = code === undefined || sentence.includes(code) ? sentence : `${sentence} (${code})`.trim();
  return cut(whole === '' ? 'it gave no reason' : whole);
}

/** The error message in the body of an answer, in the shapes that services use. */
function sayingOf(body: unknown): string | undefined {
  const one = Array.isArray(body) ? body[0] : body;
  const error = fieldOf(one, 'error');
  return (
    filledText(fieldOf(error, 'message')) ??
    filledText(error) ??
    filledText(fieldOf(one, 'message')) ??
    filledText(fieldOf(one, 'detail'))
  );
}

/** The messages of an error and its causes that add something. */
function messagesOf(links: readonly unknown[]): string {
  const texts: string[] = [];
  for (const link of links) {
    const text = withoutContent(filledText(fieldOf(link, 'message')) ?? filledText(link) ?? '').replace(/[.:\s]+$/, '');
    if (text !== '' && !texts.some((one) => one.includes(text))) texts.push(text);
    if (fieldOf(link, 'name') === 'AI_TypeValidationError') break;
  }
  return texts.join(': ');
}

/** A message without what it quotes: parsers and schemas quote the whole of what they could not read. */
export function withoutContent(message: string): string {
  const parsing = /^(JSON parsing failed|Type validation failed)\b/.exec(message);
  if (parsing !== null) return parsing[0];
  return message.startsWith('Invalid response data: ') ? 'Invalid response data' : message;
}

function cut(text: string): string {
  const points = [...text];
  return points.length <= longestReason ? text : `${points.slice(0, longestReason - 1).join('')}…`;
}
