import { isPalimpsestError } from '../../errors/index.ts';
import type { Event, EventInput, SessionKey, View } from '../../events/index.ts';
import { compactionInput } from './compaction-input.ts';
import type { CompactionLog, CompactionOutcome } from './compactor.ts';
import type { CompactorSettings } from './compactor-settings.ts';
import { type FoldWindow, foldPlaceOf } from './fold-window.ts';
import { type FoldOptions, type FoldOutcome, type FoldPlan, planFold } from './plan-fold.ts';
import { readOverlap } from './read-overlap.ts';
import { isStale } from './source-hash.ts';
import { trimBeside } from './trim-results.ts';
import { type Summarizer, type SummaryOrder, writeSummary } from './write-summary.ts';

/** A fold that is to be made. */
export interface FoldOrder extends Pick<SummaryOrder, 'focus' | 'sharing' | 'patience'> {
  readonly key: SessionKey;
  readonly view: View;
  readonly window: FoldWindow;
  readonly fold: FoldOptions;
  /** The runs under way in a window, none of whose events is folded. */
  readonly openIn: (window: FoldWindow) => ReadonlySet<string>;
  /** The most tokens that one summary is made from, but for a piece that cannot be parted. */
  readonly mostTokens: number;
  readonly trigger: string;
  /** Old results are cut in the same append. */
  readonly trim?: CompactorSettings['trim'] | undefined;
}

/** What came of a fold. */
export interface MadeFold {
  readonly outcome: CompactionOutcome;
  /** Made of what there was to fold. */
  readonly plan?: FoldPlan;
  /** There was more to fold than one summary takes. */
  readonly isPartial: boolean;
}

/**
 * Makes one fold: plans it, has a summary written, and appends that if the log still is what it was made from. Throws
 * what the log throws.
 */
export async function makeFold(log: CompactionLog, summarizer: Summarizer, order: FoldOrder): Promise<MadeFold> {
  const { key, view, openIn, trigger } = order;
  const { planned, isPartial } = await planWhole(log, order);
  if (planned.status !== 'plan') return { outcome: planned, isPartial: false };
  const { plan } = planned;
  const written = await writeSummary(summarizer, { ...order, plan });
  if (written.status === 'failed') return { outcome: written, plan, isPartial };
  const now = await log.readLive(key, view);
  if (isStale(plan, now, { openInvocations: openIn(now) })) return { outcome: { status: 'stale' }, plan, isPartial };
  const cut = trimBeside(now, plan, order.trim);
  const inputs = [inputOf(plan, written.text, { ...written, trigger }), ...(cut === undefined ? [] : [cut])];
  const event = await appendSummary(log, key, inputs);
  return { outcome: event === undefined ? { status: 'stale' } : { status: 'compacted', event }, plan, isPartial };
}

/** Plans a fold of no more than one summary is made from, and reads what is to be read along. */
async function planWhole(
  log: CompactionLog,
  { key, window, fold, openIn, mostTokens }: FoldOrder,
): Promise<{ readonly planned: FoldOutcome; readonly isPartial: boolean }> {
  const options: FoldOptions = { ...fold, openInvocations: openIn(window) };
  const whole = planFold(window, options);
  if (whole.status !== 'plan') return { planned: whole, isPartial: false };
  const place = foldPlaceOf(whole.plan);
  const limited: FoldOptions = { ...options, place, most: { ...fold.most, tokens: mostTokens } };
  const part = whole.plan.tokens.folded > mostTokens ? planFold(window, limited) : whole;
  if (part.status !== 'plan') return { planned: part, isPartial: false };
  const isPartial = part.plan.tokens.folded < whole.plan.tokens.folded;
  const { overlap: invocations = 0 } = fold;
  if (invocations === 0) return { planned: part, isPartial };
  const beforeSeq = part.plan.events[0]?.seq ?? 0;
  const earlier = await readOverlap(log, key, { window, place, beforeSeq, invocations });
  return { planned: planFold({ ...window, earlier }, part === whole ? { ...options, place } : limited), isPartial };
}

function inputOf(plan: FoldPlan, text: string, origin: Parameters<typeof compactionInput>[2]) {
  const input = compactionInput(plan, text, origin);
  const dead = plan.steppedOver.filter(({ why }) => why === 'deadCall');
  return dead.length === 0 ? input : { ...input, customMetadata: { steppedOver: dead } };
}

/** The event of a summary, or `undefined` if the log has gone another way and refuses it. */
async function appendSummary(
  log: CompactionLog,
  key: SessionKey,
  inputs: readonly EventInput[],
): Promise<Event | undefined> {
  try {
    const { events } = await log.append(key, inputs);
    return events[0];
  } catch (error) {
    if (isPalimpsestError(error, 'INVALID_COMPACTION') || isPalimpsestError(error, 'INVALID_PIN')) return undefined;
    throw error;
  }
}
