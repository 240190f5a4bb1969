import { PalimpsestError } from '../errors/index.ts';
import { isPlainObject, parseId, parseSessionKey, prepareEvent } from '../events/index.ts';
import type { BeginInvocation, OnBusy } from './invocation-driver.ts';

/** How long a run waits that is told to queue, in milliseconds. */
const queueMs = 600_000;

/** How an invocation begins, checked. */
export interface CheckedBegin extends BeginInvocation {
  readonly waitMs: number;
}

/** Checks how an invocation is to begin, so that nothing is made or held for bad input. */
export function readBegin(input: BeginInvocation): CheckedBegin {
  if (!isPlainObject(input)) throw bad('input', 'must be an object');
  const agentName = parseId(input.agentName, 'agentName');
  if (agentName === 'user' || agentName === 'system') throw bad('agentName', `must not be ${agentName}`);
  const { events, prompt, promptIs } = input;
  if (events !== undefined && prompt !== undefined) throw bad('prompt', 'stands beside events; give one of them');
  if (events !== undefined) checkEvents(events);
  if (prompt !== undefined) checkPrompt(prompt);
  if (promptIs !== undefined && promptIs !== 'tail' && promptIs !== 'whole')
    throw bad('promptIs', 'must be tail or whole');
  return { ...input, key: parseSessionKey(input.key), agentName, waitMs: waitMsOf(input.onBusy) };
}

function checkEvents(events: unknown): void {
  if (!Array.isArray(events)) throw bad('events', 'must be a list of events');
  for (const [index, event] of events.entries()) prepareEvent(event, `events[${index}]`);
}

function checkPrompt(prompt: unknown): void {
  if (!Array.isArray(prompt)) throw bad('prompt', 'must be a list of contents');
  for (const [index, content] of prompt.entries()) {
    const isContent =
      isPlainObject(content) && (content.role === 'user' || content.role === 'model') && Array.isArray(content.parts);
    if (!isContent || !Array.prototype.every.call(content.parts, isPlainObject))
      throw bad(`prompt[${index}]`, 'must be { role: user or model, parts: a list of parts }');
  }
}

function waitMsOf(onBusy: OnBusy = 'refuse'): number {
  if (onBusy === 'refuse') return 0;
  if (onBusy === 'queue') return queueMs;
  const given: unknown = onBusy;
  const waitMs = isPlainObject(given) ? given.waitMs : undefined;
  if (typeof waitMs === 'number' && waitMs >= 0 && Number.isFinite(waitMs)) return waitMs;
  throw bad('onBusy', 'must be refuse, queue or { waitMs }, a number of milliseconds');
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
