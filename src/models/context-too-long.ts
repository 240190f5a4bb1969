import { isPalimpsestError } from '../errors/index.ts';
import { type ErrorFacts, fieldOf, readErrorFacts } from './error-facts.ts';

/** What a refusal says about a request that is longer than the model's context. */
export interface TooLong {
  readonly contextTooLong: true;
  /** Tokens that the prompt may have, where the service says that. */
  readonly maximumTokens?: number;
}

/** How services say it. `most`: what they take in all; `answer`: what of that was set aside for the answer. */
interface Saying {
  readonly says: RegExp;
  readonly source: string;
  readonly date: string;
}

const sayings: readonly Saying[] = [
  {
    // This model's maximum context length is N tokens. However, you requested M tokens (A in the messages, B in the completion).
    says: /maximum context length (?:is|of) (?<most>[\d,]+) tokens?(?:.*?(?<answer>[\d,]+) (?:in|for) the (?:completion|output))?/is,
    source: 'OpenAI chat completions; vLLM, DeepSeek and OpenRouter alike',
    date: '2026-12-01',
  },
  { says: /\bcontext_length_exceeded\b/, source: 'OpenAI and Groq, the code of the error', date: '2026-12-01' },
  { says: /exceeds the context window of (?:this|the) model/i, source: 'OpenAI responses', date: '2026-12-01' },
  {
    says: /prompt is too long(?:: [\d,]+ tokens > (?<most>[\d,]+))?/i,
    source: 'Anthropic messages',
    date: '2026-12-01',
  },
  {
    says: /exceed context limit: [\d,]+ \+ (?<answer>[\d,]+) > (?<most>[\d,]+)/i,
    source: 'Anthropic messages, with max_tokens',
    date: '2026-12-01',
  },
  {
    says: /input token count.{0,40}exceeds the maximum number of tokens allowed \(?(?<most>[\d,]+)/is,
    source: 'Gemini generateContent',
    date: '2026-12-01',
  },
  { says: /input is too long for requested model/i, source: 'Amazon Bedrock', date: '2026-12-01' },
  {
    says: /too large for model with (?<most>[\d,]+) maximum context length/i,
    source: 'Mistral chat completions',
    date: '2026-12-01',
  },
  {
    says: /exceeds the available context size(?: \((?<most>[\d,]+) tokens\))?/i,
    source: 'llama.cpp server',
    date: '2026-12-01',
  },
  {
    says: /range of input length should be \[\d+, ?(?<most>[\d,]+)\]/i,
    source: 'Alibaba Cloud Model Studio (Qwen)',
    date: '2026-12-01',
  },
  { says: /maximum prompt length is (?<most>[\d,]+)/i, source: 'xAI', date: '2026-12-01' },
  { says: /exceeded model token limit: ?(?<most>[\d,]+)/i, source: 'Moonshot (Kimi)', date: '2026-12-01' },
];

/** Too much for a minute is too much only now; the sentences resemble each other. */
const rateLimited = /tokens per (?:min|minute|day)|\bTP[MD]\b|rate limit/i;

/** True if a model was not asked since the request is longer than what it takes: a shorter one may be answered. */
export function isContextTooLong(error: unknown): boolean {
  if (isPalimpsestError(error, 'MODEL_FAILED') && error.details.contextTooLong === true) return true;
  return readTooLong(readErrorFacts(error)) !== undefined;
}

/** What a failure says about the length of its request; `undefined` if it is about something else. */
export function readTooLong(facts: ErrorFacts): TooLong | undefined {
  if (facts.status === 429) return undefined;
  const texts = facts.links.flatMap(textsOf);
  if (texts.some((text) => rateLimited.test(text))) return undefined;
  const found = sayings.flatMap(({ says }) => texts.map((text) => says.exec(text)).filter((match) => match !== null));
  if (found.length === 0) return undefined;
  const [maximumTokens] = found.flatMap(({ groups }) => mostOf(groups));
  return { contextTooLong: true, ...(maximumTokens === undefined ? {} : { maximumTokens }) };
}

function mostOf({ most, answer }: Readonly<Record<string, string | undefined>> = {}): number | [] {
  const tokens = numberOf(most) - (answer === undefined ? 0 : numberOf(answer));
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : [];
}

function numberOf(text: string | undefined): number {
  return text === undefined ? Number.NaN : Number(text.replaceAll(',', ''));
}

/** What a link of a failure says: its own words, those of the answer's body, and those of an error within it. */
function textsOf(link: unknown): string[] {
  const within = [link, fieldOf(link, 'error'), fieldOf(fieldOf(link, 'data'), 'error')];
  const said = within.flatMap((one) => ['message', 'code', 'type'].map((name) => fieldOf(one, name)));
  return [link, ...said, fieldOf(link, 'responseBody')].filter((text) => typeof text === 'string');
}
