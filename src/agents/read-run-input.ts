import { PalimpsestError } from '../errors/index.ts';
import { type EventInput, isPlainObject, parseId, parseSessionKey, type SessionKey } from '../events/index.ts';
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
  if (typeof message === 'string' && message.trim() === '') throw bad('message', 'must not be blank');
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

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
