import type { Content, Role } from '../../../events/index.ts';
import type { QuestionEnd } from '../assembly.ts';
import { isOneTranscript } from '../join-transcripts.ts';
import type { LaidOut } from '../lay-out-contents.ts';
import type { ProviderRules } from '../provider-rules.ts';
import type { Span, SpanCounts } from './span.ts';

/** A span and all before it, with what they come to. Never changes, so that assemblies share it. */
export interface SpanLink {
  readonly span: Span;
  readonly previous: SpanLink | undefined;
  /** The first content of the span, if it is one with the last before it. */
  readonly joined: Joined | undefined;
  /** How many contents there are, without an opening. */
  readonly length: number;
  readonly firstRole: Role | undefined;
  readonly last: Joined | undefined;
  readonly question: QuestionEnd | undefined;
  readonly counts: SpanCounts;
}

/** A content and the seqs that it comes from. */
export interface Joined {
  readonly content: Content;
  readonly seqs: readonly number[];
}

/** Puts a span behind others. They must be fit to be laid out apart: see `mayFollow`. */
export function linkSpan(previous: SpanLink | undefined, span: Span, rules: ProviderRules): SpanLink {
  const { contents, question } = span.laidOut;
  const joined = rules.alternates ? joinAtSeam(previous?.last, span.laidOut) : undefined;
  const before = (previous?.length ?? 0) - (joined === undefined ? 0 : 1);
  const partsBefore = joined === undefined ? 0 : (previous?.last?.content.parts.length ?? 0);
  const end = question && {
    content: before + question.content,
    parts: question.parts + (question.content === 0 ? partsBefore : 0),
  };
  return {
    span,
    previous,
    joined,
    length: before + contents.length,
    firstRole: previous?.firstRole ?? contents[0]?.role,
    last: contents.length === 1 && joined !== undefined ? joined : (lastOf(span.laidOut) ?? previous?.last),
    question: span.asks ? end : previous?.question,
    counts: previous === undefined ? span.counts : sumOf(previous.counts, span.counts),
  };
}

/**
 * True if laying out a span apart from those before it comes to the same as laying out all at once. Where both sides of
 * the seam are the user's, they stand apart, or are one content by having their parts put together.
 */
export function mayFollow({ span: before, last }: SpanLink, span: Span): boolean {
  if (isOneTranscript(before.last, span.first)) return false;
  return last?.content.role !== 'model' || span.laidOut.contents[0]?.role !== 'model';
}

/** How many contents that is. */
export function lengthOf(link: SpanLink | undefined): number {
  return link === undefined ? 0 : link.length + (link.firstRole === 'model' ? 1 : 0);
}

/** Where the newest question ends in it. */
export function questionOf(link: SpanLink | undefined): QuestionEnd | undefined {
  const { question, firstRole } = link ?? {};
  return question && { ...question, content: question.content + (firstRole === 'model' ? 1 : 0) };
}

/** The last content so far and the first of a span, if they are one. */
function joinAtSeam(last: Joined | undefined, { contents, sources }: LaidOut): Joined | undefined {
  const [content, seqs] = [contents[0], sources[0]];
  if (last === undefined || content === undefined || last.content.role !== content.role) return undefined;
  const parts = [...last.content.parts, ...content.parts];
  return { content: { role: content.role, parts }, seqs: [...last.seqs, ...(seqs ?? [])] };
}

function lastOf({ contents, sources }: LaidOut): Joined | undefined {
  const content = contents.at(-1);
  return content && { content, seqs: sources.at(-1) ?? [] };
}

function sumOf(a: SpanCounts, b: SpanCounts): SpanCounts {
  return {
    inWindow: a.inWindow + b.inWindow,
    recovered: a.recovered + b.recovered,
    turns: a.turns + b.turns,
    narrated: a.narrated + b.narrated,
    paired: a.paired + b.paired,
  };
}
