import { type CountTokens, estimateTokens, functionCalls, type Part, textOf } from '../../events/index.ts';
import type { ModelReply } from '../../models/index.ts';
import type { FoldPlan } from './plan-fold.ts';
import { ScriptCount, type ScriptName } from './script-count.ts';
import { shingleOverlap } from './shingle-overlap.ts';
import { type Told, tellEvent } from './tell-event.ts';

/** Why a summariser's answer is not taken. */
export type SummaryRefusal =
  /** It did not come to its end: cut for length, filtered, failed, or its stream broke off. */
  | { readonly why: 'unfinished'; readonly finishReason: string | undefined }
  /** It has parts that are no text. */
  | { readonly why: 'notProse'; readonly calls: readonly string[] }
  | { readonly why: 'empty' }
  /** All of it is thought. */
  | { readonly why: 'onlyThoughts' }
  | { readonly why: 'tooLong'; readonly tokens: number; readonly most: number }
  /** It is written in a script that the conversation hardly uses. */
  | { readonly why: 'otherScript'; readonly script: ScriptName; readonly expected: ScriptName }
  /** So much of it, from 0 to 1, stands word for word in what it was to summarise. */
  | { readonly why: 'echo'; readonly share: number };

/** What became of a summariser's answer. */
export type SummaryCheck =
  | { readonly status: 'accepted'; readonly text: string; readonly tokens: number }
  | { readonly status: 'refused'; readonly refusal: SummaryRefusal };

/** What is read of an answer. */
export type SummaryReply = Pick<ModelReply, 'content' | 'finishReason'> & Partial<Pick<ModelReply, 'isWhole'>>;

/** Finish reasons of an answer that was cut, filtered or failed, or that goes on with tools. */
const unfinished: ReadonlySet<string> = new Set(['length', 'content-filter', 'error', 'tool-calls']);

const echoShare = 0.8;

/** A summary is of another script if so much of it is, and less than that of the conversation. */
const script = { ofSummary: 0.6, ofConversation: 0.25 } as const;

/** In fewer letters than that, names and numbers may be all there is. */
const fewLetters = 24;

/**
 * Takes a summariser's answer or says why not: it has to be whole, prose, no longer than the plan allows, in a script of
 * the conversation and in words of its own. It is taken as it stands or not at all.
 */
export function checkSummary(
  reply: SummaryReply,
  plan: FoldPlan,
  { countTokens = estimateTokens }: { readonly countTokens?: CountTokens } = {},
): SummaryCheck {
  const { content, finishReason } = reply;
  const parts = content?.parts ?? [];
  const calls = functionCalls(content).map(({ name }) => name);
  if (parts.some(isNoText)) return refused({ why: 'notProse', calls });
  if (reply.isWhole === false || unfinished.has(finishReason ?? ''))
    return refused({ why: 'unfinished', finishReason });
  const text = textOf(content).trim().toWellFormed();
  if (text === '') return refused({ why: parts.some(isThought) ? 'onlyThoughts' : 'empty' });
  const tokens = countTokens.count(text);
  if (tokens > plan.mostTokens) return refused({ why: 'tooLong', tokens, most: plan.mostTokens });
  const refusal = refuseScript(text, plan) ?? refuseEcho(text, plan);
  return refusal === undefined ? { status: 'accepted', text, tokens } : refused(refusal);
}

function refused(refusal: SummaryRefusal): SummaryCheck {
  return { status: 'refused', refusal };
}

/** A part that carries a signature and nothing else says nothing. */
function isNoText(part: Part): boolean {
  const { text: _, thought: __, thoughtSignature: ___, extensions: ____, ...payload } = part;
  return Object.values(payload).some((value) => value !== undefined);
}

function isThought({ thought, text = '' }: Part): boolean {
  return thought === true && text.trim() !== '';
}

/** What people and agents said counts, not what tools carry: that is often of another language. */
function refuseScript(text: string, { events, supersedes }: FoldPlan): SummaryRefusal | undefined {
  const said = events.flatMap(tellEvent).filter(({ kind }) => kind === 'said');
  const older = supersedes.map(({ compaction }) => textOf(compaction.content));
  const source = new ScriptCount([...said.map(textOfTold), ...older]);
  const own = new ScriptCount([text]);
  if (source.total() < fewLetters || own.total() < fewLetters) return undefined;
  const leading = own.leading();
  const isOther = own.share(leading) >= script.ofSummary && source.share(leading) < script.ofConversation;
  return isOther ? { why: 'otherScript', script: leading, expected: source.leading() } : undefined;
}

/** Older summaries do not count as input: what they say in few words may well be said the same way again. */
function refuseEcho(text: string, { events, context }: FoldPlan): SummaryRefusal | undefined {
  const share = shingleOverlap(text, [...context, ...events].flatMap(tellEvent).map(textOfTold));
  return share !== undefined && share >= echoShare ? { why: 'echo', share } : undefined;
}

function textOfTold({ text }: Told): string {
  return text;
}
