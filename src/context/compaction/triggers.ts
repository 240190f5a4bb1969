import { PalimpsestError } from '../../errors/index.ts';
import { isPlainObject } from '../../events/index.ts';
import { checkCount } from './check-count.ts';
import type { Retain } from './find-cut.ts';

/** Folds when so many invocations are newer than the last covered one, up to the last of them. */
export interface WindowTrigger {
  readonly kind: 'window';
  readonly interval: number;
  readonly overlap: number;
}

/** Folds when the prompt has so many tokens. */
export interface ThresholdTrigger {
  readonly kind: 'threshold';
  readonly tokens: number;
  readonly retain: Retain;
}

/** Folds when nothing has been appended for so many seconds. */
export interface IdleTrigger {
  readonly kind: 'idle';
  readonly seconds: number;
  readonly retain: Retain;
}

/** Folds when the agent says that its task is done. */
export interface TaskCompleteTrigger {
  readonly kind: 'taskComplete';
  readonly retain: Retain;
}

/** Folds when sending the foldable tokens again and again has cost as much as folding does, whatever is folded. */
export interface RentOrBuyTrigger {
  readonly kind: 'rentOrBuy';
  readonly retain: Retain;
  /** Tokens that a summary is expected to have for each token that it stands for. */
  readonly summaryShare: number;
}

/** Folds when the model asks for it. */
export interface ModelDrivenTrigger {
  readonly kind: 'modelDriven';
  readonly retain: Retain;
}

/** What makes a fold happen. */
export type Trigger =
  | WindowTrigger
  | ThresholdTrigger
  | IdleTrigger
  | TaskCompleteTrigger
  | RentOrBuyTrigger
  | ModelDrivenTrigger;

/** The name of a trigger, as it stands in the log. */
export type TriggerKind = Trigger['kind'];

/** Folds stay clear of the newest exchanges, so that the model has them verbatim. */
const defaultTail: Retain = Object.freeze({ tokens: 6000 });

const lastInvocation: Retain = Object.freeze({ invocations: 1 });

/** As measured with the summaries of cheap models over long conversations. */
const defaultSummaryShare = 0.12;

/**
 * Counts invocations: fires at `interval` newer than the last covered one. `overlap` invocations before the folded ones
 * are read along, not covered twice. Throws INVALID_ARGUMENT for an interval below 1 or an overlap not below it.
 */
export function window(options: { readonly interval: number; readonly overlap?: number }): WindowTrigger {
  const { interval, overlap = 0 } = fieldsOf(options);
  checkCount('interval', interval);
  checkCount('overlap', overlap, 0);
  if (overlap >= interval) throw invalid('overlap', `must be less than the interval, ${interval}`);
  return Object.freeze({ kind: 'window', interval, overlap });
}

/** Fires when the prompt has `tokens` or more; `retain` says what of it stays verbatim. Throws INVALID_ARGUMENT. */
export function threshold(options: { readonly tokens: number; readonly retain: Retain }): ThresholdTrigger {
  const { tokens, retain } = fieldsOf(options);
  checkCount('tokens', tokens);
  return Object.freeze({ kind: 'threshold', tokens, retain: checkRetain(retain) });
}

/** Fires when nothing was appended for `seconds`. Retains the last invocation, unless told otherwise. */
export function idle(options: { readonly seconds: number; readonly retain?: Retain }): IdleTrigger {
  const { seconds, retain = lastInvocation } = fieldsOf(options);
  checkCount('seconds', seconds);
  return Object.freeze({ kind: 'idle', seconds, retain: checkRetain(retain) });
}

/** Fires when a task is complete. Retains the last invocation, unless told otherwise. */
export function taskComplete({ retain = lastInvocation }: { readonly retain?: Retain } = {}): TaskCompleteTrigger {
  return Object.freeze({ kind: 'taskComplete', retain: checkRetain(retain) });
}

/**
 * Fires when what has been paid for sending foldable tokens again reaches what a fold costs beyond what each folded token
 * adds; at most twice the cost of the best schedule of the same folds. Retains 6,000 tokens, unless told otherwise.
 */
export function rentOrBuy({
  retain = defaultTail,
  summaryShare = defaultSummaryShare,
}: {
  readonly retain?: Retain;
  readonly summaryShare?: number;
} = {}): RentOrBuyTrigger {
  if (!(summaryShare > 0 && summaryShare < 1)) throw invalid('summaryShare', 'must be a number between 0 and 1');
  return Object.freeze({ kind: 'rentOrBuy', retain: checkRetain(retain), summaryShare });
}

/** Fires when the model asks for it. Retains the last invocation, unless told otherwise. */
export function modelDriven({ retain = lastInvocation }: { readonly retain?: Retain } = {}): ModelDrivenTrigger {
  return Object.freeze({ kind: 'modelDriven', retain: checkRetain(retain) });
}

/** Says what stays verbatim, in one of three units. Throws INVALID_ARGUMENT, which names the field. */
export function checkRetain(retain: Retain, argument = 'retain'): Retain {
  const [entry, ...more] = isPlainObject(retain) ? Object.entries(retain) : [];
  const [unit, count] = entry ?? [];
  if (count === undefined || more.length > 0 || (unit !== 'events' && unit !== 'tokens' && unit !== 'invocations'))
    throw invalid(argument, 'must be one of { events }, { tokens } and { invocations }');
  checkCount(`${argument}.${unit}`, count);
  return Object.freeze({ ...retain });
}

function fieldsOf<T extends object>(options: T): T {
  if (isPlainObject(options)) return options;
  throw invalid('options', 'must be an object with the fields of the trigger');
}

function invalid(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
