import {
  type JsonMap,
  type LanguageModel,
  type ModelCall,
  type ModelPiece,
  PalimpsestError,
  type Part,
  type Provider,
  type Usage,
  validateRequest,
} from '../index.ts';

/** A call that a scripted model makes. */
export interface ScriptedCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** None: the caller has to find one. */
  readonly id?: string;
}

/** What a scripted model answers to one request. */
export interface ScriptedTurn {
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: Usage;
  /** Default `tool-calls` if there are calls, else `stop`. */
  readonly finishReason?: string;
  /** The stream breaks after so many pieces. */
  readonly cutAfter?: number;
  /** Thrown after the pieces, or after `cutAfter` of them. */
  readonly failure?: unknown;
  /** Waited for before the first piece, so that a test decides when the model answers. */
  readonly after?: Promise<unknown>;
}

/** A turn, the text of one, or what finds it from the request and the number of the call, 0 for the first. */
export type Script =
  | readonly (string | ScriptedTurn)[]
  | ((call: ModelCall, index: number) => string | ScriptedTurn | Promise<string | ScriptedTurn>);

/** How a scripted model presents itself. */
export interface ScriptedModelOptions {
  /** Default `scripted`. */
  readonly name?: string;
  /** Whose rules its requests keep. Default `openai`. */
  readonly provider?: Provider;
  /** Code points of a text piece. Default 8. */
  readonly pieceLength?: number;
}

/**
 * A language model that answers by a script, at once and always alike, and keeps every call it was given. A request that
 * its provider would refuse fails with INVALID_ARGUMENT, which says what is wrong with it.
 */
export class ScriptedModel implements LanguageModel {
  readonly name: string;
  readonly vendor = 'scripted';
  readonly provider: Provider;
  /** Every call so far, oldest first. */
  readonly calls: ModelCall[] = [];
  readonly #script: Script;
  readonly #pieceLength: number;

  constructor(script: Script, options: ScriptedModelOptions = {}) {
    this.name = options.name ?? 'scripted';
    this.provider = options.provider ?? 'openai';
    this.#script = script;
    this.#pieceLength = options.pieceLength ?? 8;
  }

  async *call(call: ModelCall): AsyncGenerator<ModelPiece, void, undefined> {
    const index = this.calls.push(call) - 1;
    const problems = validateRequest(call.request, this.provider);
    if (problems.length > 0) {
      const reason = `would be refused by ${this.provider}: ${problems.join('; ')}`;
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'call.request', reason });
    }
    const turn = await this.#turn(call, index);
    await turn.after;
    const pieces = [...piecesOf(turn, this.#pieceLength)];
    for (const piece of pieces.slice(0, turn.cutAfter)) {
      if (call.signal?.aborted) throw new PalimpsestError('ABORTED', { what: 'The model call' });
      yield piece;
    }
    if (turn.failure !== undefined) throw turn.failure;
  }

  async #turn(call: ModelCall, index: number): Promise<ScriptedTurn> {
    const turn = typeof this.#script === 'function' ? await this.#script(call, index) : this.#script[index];
    if (turn === undefined) {
      const reason = `was asked ${index + 1} times, its script has ${this.#script.length} turns`;
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'script', reason });
    }
    return typeof turn === 'string' ? { text: turn } : turn;
  }
}

function* piecesOf(turn: ScriptedTurn, length: number): Generator<ModelPiece> {
  const { thought = '', text = '', calls = [], usage, finishReason } = turn;
  for (const piece of cut(thought, length)) yield { type: 'text', text: piece, thought: true };
  if (thought !== '') yield { type: 'end' };
  for (const piece of cut(text, length)) yield { type: 'text', text: piece };
  if (text !== '') yield { type: 'end' };
  for (const call of calls) yield { type: 'part', part: partOf(call) };
  const reason = finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  yield { type: 'finish', finishReason: reason, ...(usage === undefined ? {} : { usage }) };
}

function partOf({ name, args, id }: ScriptedCall): Part {
  const given = args === undefined ? {} : { args: args as JsonMap };
  return { functionCall: { ...(id === undefined ? {} : { id }), name, ...given } };
}

/** A text in pieces of so many code points. */
function* cut(text: string, length: number): Generator<string> {
  const points = [...text];
  for (let index = 0; index < points.length; index += length) yield points.slice(index, index + length).join('');
}
