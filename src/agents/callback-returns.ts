import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { type Content, isPlainObject, modelText, prepareEvent } from '../events/index.ts';
import type { ModelCall } from '../models/index.ts';
import type { AgentCallbacks } from './agent-options.ts';

/** What a callback said in the place of the agent or its model; `undefined` if it said nothing. Throws INVALID_ARGUMENT. */
export function contentReturned(name: keyof AgentCallbacks, returned: unknown): Content | undefined {
  if (returned === undefined || returned === null) return undefined;
  return contentOf(name, returned, 'must return a text, a content { role, parts }, or nothing');
}

/** What beforeModel wants: another call, or content in place of one; `undefined`: neither. Throws INVALID_ARGUMENT. */
export function choiceReturned(
  returned: unknown,
): { readonly call: ModelCall } | { readonly content: Content } | undefined {
  if (returned === undefined || returned === null) return undefined;
  const rule = 'must return { call }, { content }, or nothing';
  if (!isPlainObject(returned)) throw wrong('beforeModel', rule, returned);
  if ('content' in returned) return { content: contentOf('beforeModel', returned.content, rule) };
  const { call } = returned;
  if (!isCall(call)) throw wrong('beforeModel', rule, 'call' in returned ? call : returned);
  return { call };
}

/** The text that an instruction provider gave. Throws INVALID_ARGUMENT. */
export function instructionReturned(returned: unknown): string {
  if (typeof returned === 'string') return returned;
  throw bad('instruction', `must return a text; it returned ${described(returned)}`);
}

function contentOf(name: keyof AgentCallbacks, value: unknown, rule: string): Content {
  if (typeof value === 'string') return modelText(value);
  if (!isPlainObject(value)) throw wrong(name, rule, value);
  const content = { role: 'model', ...value } as object as Content;
  try {
    prepareEvent({ author: 'agent', content }, 'returned');
  } catch (error) {
    // One that is too large is stored as far as it fits.
    if (isPalimpsestError(error, 'EVENT_TOO_LARGE')) return content;
    throw bad(`callbacks.${name}`, `${rule}; ${isPalimpsestError(error) ? error.message : String(error)}`);
  }
  return content;
}

function isCall(value: unknown): value is ModelCall {
  if (!isPlainObject(value) || !isPlainObject(value.request)) return false;
  const { instruction, tools, contents, transient } = value.request;
  return [instruction, tools, contents, transient].every(Array.isArray);
}

function wrong(name: keyof AgentCallbacks, rule: string, returned: unknown): PalimpsestError {
  return bad(`callbacks.${name}`, `${rule}; it returned ${described(returned)}`);
}

function described(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isPlainObject(value)) return `an object with ${Object.keys(value).slice(0, 8).join(', ') || 'nothing in it'}`;
  if (value === null || typeof value === 'undefined' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  return typeof value === 'string' ? 'a text' : `a value of type ${typeof value}`;
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
