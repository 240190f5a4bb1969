import { isPalimpsestError } from '../errors/index.ts';
import { type Content, type EventInput, isPlainObject, type Part, prepareEvent, type Usage } from '../events/index.ts';

const kinds = ['text', 'end', 'part', 'finish'];

/** Why something that a model gave is no piece of an answer, as the end of a sentence; `undefined` if it is one. */
export function pieceProblem(piece: unknown): string | undefined {
  if (!isPlainObject(piece)) return `it gave ${shown(piece)}, which is no piece of an answer`;
  const { type } = piece;
  if (typeof type !== 'string' || !kinds.includes(type))
    return `it gave a piece of type ${shown(type)}; there are ${kinds.join(', ')}`;
  const problem = memberProblem(type, piece);
  return problem === undefined ? undefined : `it gave a piece of type ${type} that cannot be kept: ${problem}`;
}

function memberProblem(type: string, piece: Record<string, unknown>): string | undefined {
  const { text, thought, thoughtSignature, extensions, part, finishReason, modelVersion, usage } = piece;
  switch (type) {
    case 'text':
      return typeof text !== 'string' ? `its text is ${shown(text)}` : flagProblem(thought);
    case 'end':
      return partProblem({ text: '', thoughtSignature, extensions });
    case 'part':
      return part === undefined ? 'it has no part' : partProblem(part);
    default:
      return (
        textProblem('finishReason', finishReason) ??
        textProblem('modelVersion', modelVersion) ??
        storingProblem({ usage: usage as Usage | undefined })
      );
  }
}

function flagProblem(value: unknown): string | undefined {
  return value === undefined || typeof value === 'boolean' ? undefined : `its thought is ${shown(value)}`;
}

function textProblem(name: string, value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? undefined : `its ${name} is ${shown(value)}`;
}

function partProblem(part: unknown): string | undefined {
  const content = { role: 'model', parts: [part as Part] } satisfies Content;
  return storingProblem({ content });
}

/** What storing it would say; what is only too large is cut later. */
function storingProblem(fields: { readonly [name in 'content' | 'usage']?: unknown }): string | undefined {
  try {
    prepareEvent({ author: 'model', ...fields } as EventInput, 'piece');
    return undefined;
  } catch (error) {
    if (isPalimpsestError(error, 'EVENT_TOO_LARGE')) return undefined;
    return (isPalimpsestError(error) ? error.message : String(error)).replace(/\.$/, '');
  }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 64));
  if (typeof value === 'object' && value !== null) return `an instance of ${value.constructor?.name ?? 'no class'}`;
  return typeof value === 'function' ? 'a function' : String(value);
}
