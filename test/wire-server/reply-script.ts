/** A call of a tool in a scripted turn. */
export interface ScriptedCall {
  /** Made up if left out; Gemini's wire then has none. */
  readonly id?: string;
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** In place of args: text that may be no JSON. Gemini, which sends objects, reports a malformed call instead. */
  readonly rawArguments?: string;
  /** Gemini's, also on the OpenAI wire as Google serves it. */
  readonly thoughtSignature?: string;
}

/** Tokens of a scripted turn. What is left out is guessed from the texts, cache figures are left out. */
export interface ScriptedUsage {
  /** The whole prompt, cached parts included, as palimpsest counts it; each wire gets its own figures. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** What a model answers, and what becomes of that on the way. */
export interface Turn {
  /** A list is streamed one entry a step. */
  readonly thought?: string | readonly string[];
  /** Gemini: on the first part that follows the thoughts, or the thought itself. Anthropic: the thinking block's. */
  readonly thoughtSignature?: string;
  readonly text?: string | readonly string[];
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: ScriptedUsage;
  /** The wire's own word; default: what fits the turn. */
  readonly finish?: string;
  /** Milliseconds before each step. */
  readonly dripMs?: number;
  /** The socket is destroyed after so many steps (a thought, a text or a call each); without streaming, half-way. */
  readonly cutAfter?: number;
  /** After so many steps nothing more comes; without streaming, nothing at all. */
  readonly hangAfter?: number;
  /** The answer ends politely after so many steps, without its finish; without streaming, an empty body. */
  readonly endAfter?: number;
  /** After so many steps comes a chunk that is no JSON, then the rest; without streaming, such a body. */
  readonly malformedAfter?: number;
  /** After so many steps comes an error in the service's shape, and the end; without streaming, a 500. */
  readonly errorAfter?: number;
}

/** An HTTP error in place of an answer. */
export interface Refusal {
  readonly status: number;
  readonly message?: string;
  /** Seconds, or a whole `Retry-After` value. */
  readonly retryAfter?: number | string;
  /** In place of the service's error shape: sent as JSON, or as it stands if it is text. */
  readonly body?: unknown;
}

/** A request that is never answered. */
export interface Hang {
  readonly hang: true;
}

/** Whatever a request may get. */
export type Reply = Turn | Refusal | Hang;

/** A reply, or what makes one of the request. */
export type ScriptedReply<Request> = Reply | ((request: Request) => Reply);

/** True for an HTTP error. */
export function isRefusal(reply: Reply): reply is Refusal {
  return 'status' in reply;
}

/** True for silence. */
export function isHang(reply: Reply): reply is Hang {
  return 'hang' in reply;
}

/** One thing a turn streams. */
export type Step =
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ScriptedCall };

/** The steps of a turn: thoughts, texts, calls. */
export function stepsOf({ thought, text, calls = [] }: Turn): readonly Step[] {
  return [
    ...listOf(thought).map((one): Step => ({ type: 'thought', text: one })),
    ...listOf(text).map((one): Step => ({ type: 'text', text: one })),
    ...calls.map((call): Step => ({ type: 'call', call })),
  ];
}

/** All of a text that may come in pieces. */
export function joined(text: string | readonly string[] | undefined): string {
  return listOf(text).join('');
}

/** The arguments of a call as text. */
export function argumentsText(call: ScriptedCall): string {
  return call.rawArguments ?? JSON.stringify(call.args ?? {});
}

/** The arguments of a call as an object; undefined if they are none. */
export function argumentsObject(call: ScriptedCall): object | undefined {
  try {
    const value: unknown = JSON.parse(argumentsText(call));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function listOf(text: string | readonly string[] | undefined): readonly string[] {
  return text === undefined ? [] : typeof text === 'string' ? [text] : text;
}
