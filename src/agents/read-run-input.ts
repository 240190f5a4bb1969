import { PalimpsestError } from '../errors/index.ts';
import {
  type EventInput,
  isPlainObject,
  parseId,
  parseSessionKey,
  prepareEvent,
  type SessionKey,
} from '../events/index.ts';
import type { RunInput } from './agent-options.ts';
import type { OnBusy } from './invocation-driver.ts';

/** What starts a run, checked. */
export interface CheckedInput {
  readonly key: SessionKey;
  readonly projectId?: string;
  readonly content?: EventInput['content'];
  readonly stateDelta: Readonly<Record<string, unknown>>;
  readonly onBusy?: OnBusy;
  readonly signal?: AbortSignal;
}

const known = ['userId', 'sessionId', 'projectId', 'message', 'stateDelta', 'onBusy', 'signal'];

/** Checks what starts a run. Throws INVALID_ARGUMENT or INVALID_ID naming what is wrong. */
export function readRunInput(input: RunInput, appName: string): CheckedInput {
  if (!isPlainObject(input)) throw bad('input', 'must be { userId, sessionId, message }');
  for (const name of Object.keys(input)) if (!known.includes(name)) throw bad(name, 'is no known option of a run');
  const { userId, sessionId, projectId, message, stateDelta = {}, onBusy, signal } = input;
  if (message !== undefined) checkMessage(message);
  if (!isPlainObject(stateDelta)) throw bad('stateDelta', 'must be an object');
  if (onBusy !== undefined && onBusy !== 'refuse' && onBusy !== 'queue' && !isPlainObject(onBusy))
    throw bad('onBusy', 'must be refuse, queue or { waitMs }');
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw bad('signal', 'must be an AbortSignal');
  return {
    key: parseSessionKey({ appName, userId, sessionId }),
    ...(projectId === undefined ? {} : { projectId: parseId(projectId, 'projectId') }),
    ...(message === undefined ? {} : { content: message }),
    stateDelta,
    ...(onBusy === undefined ? {} : { onBusy }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** The failure of a run that nobody has said anything for. */
export function nothingSaid(): PalimpsestError {
  return bad('message', 'is missing, and the session holds nothing that could be answered; give what the user says');
}

/** Its parts are checked where they are stored; here, that they are the user's and say something. */
function checkMessage(message: unknown): void {
  if (typeof message === 'string') {
    if (message.trim() === '') throw bad('message', 'must not be blank; leave it out to answer the log as it stands');
    return;
  }
  if (!isPlainObject(message) || !Array.isArray(message.parts))
    throw bad('message', 'must be a text or { parts: a list of parts }; leave it out to answer the log as it stands');
  const { role, parts } = message;
  if (role !== undefined && role !== 'user')
    throw bad(
      'message',
      `has the role ${JSON.stringify(role)}, but what starts a run is the user's; leave the role out`,
    );
  if (parts.some((part) => isPlainObject(part) && part.functionCall !== undefined))
    throw bad('message', 'holds a functionCall, which only a model makes; give text, media or a functionResponse');
  if (parts.some(saysSomething)) return;
  // A misspelt part is told as that.
  prepareEvent({ author: 'user', content: { parts } }, 'message');
  throw bad('message', 'says nothing; give text that is neither blank nor a thought, media or a functionResponse');
}

function saysSomething(part: unknown): boolean {
  if (!isPlainObject(part)) return false;
  const { text, thought, inlineData, fileData, functionResponse } = part;
  if (inlineData !== undefined || fileData !== undefined || functionResponse !== undefined) return true;
  return thought !== true && typeof text === 'string' && text.trim() !== '';
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
