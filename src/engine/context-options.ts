import { PalimpsestError } from '../errors/index.ts';
import { isPlainObject, parseId, type View } from '../events/index.ts';
import type { ContextOptions } from './palimpsest.ts';

const providers: readonly unknown[] = ['gemini', 'anthropic', 'openai'] satisfies View['provider'][];

/** Checks the options of a context and returns the view they ask for. Throws INVALID_ARGUMENT or INVALID_ID. */
export function readView(options: ContextOptions): View {
  const given: unknown = options;
  if (!isPlainObject(given)) throw bad('options', 'must be an object');
  const { agentName = 'assistant', provider = 'gemini', history = 'full', branch, isolationScope } = options;
  if (!providers.includes(provider)) throw bad('provider', `must be one of ${providers.join(', ')}`);
  checkHistory(history);
  requireText(options.instruction, 'instruction');
  requireText(options.question, 'question');
  const recall: unknown = options.recall;
  if (recall !== undefined && typeof recall !== 'boolean' && !isPlainObject(recall)) {
    throw bad('recall', 'must be true, false or { limit, tokenBudget }');
  }
  checkThroughSeq(options);
  return {
    agentName: parseId(agentName, 'agentName'),
    history,
    provider,
    ...(branch === undefined ? {} : { branch: parseId(branch, 'branch') }),
    ...(isolationScope === undefined ? {} : { isolationScope: parseId(isolationScope, 'isolationScope') }),
  };
}

function checkHistory(history: unknown): void {
  if (history === 'full' || history === 'invocation') return;
  const window = isPlainObject(history) ? history.window : undefined;
  if (!isPlainObject(window)) throw bad('history', 'must be full, invocation or { window: { invocations, tokens } }');
  for (const name of ['invocations', 'tokens']) {
    const count = window[name];
    if (count === undefined || (Number.isSafeInteger(count) && Number(count) >= 0)) continue;
    throw bad(`history.window.${name}`, 'must be a whole number, 0 or more');
  }
}

/** How long the log is, only who reads it knows. */
function checkThroughSeq({ throughSeq, question, recall }: ContextOptions): void {
  if (throughSeq === undefined) return;
  if (!Number.isSafeInteger(throughSeq) || throughSeq < 1)
    throw bad('throughSeq', 'must be the seq of an event: a whole number, 1 or more');
  if (question !== undefined)
    throw bad('throughSeq', 'is given beside a question, which comes after the newest event: leave one of them out');
  if (recall !== undefined && recall !== false)
    throw bad('recall', 'is given beside throughSeq, but memory is as it is now: leave one of them out');
}

function requireText(value: unknown, argument: string): void {
  if (value !== undefined && typeof value !== 'string') throw bad(argument, 'must be a text');
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
