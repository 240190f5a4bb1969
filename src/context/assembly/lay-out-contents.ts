import type { Content, Part } from '../../events/index.ts';
import type { QuestionEnd } from './assembly.ts';
import type { Question } from './find-question.ts';
import type { Piece } from './pair-responses.ts';
import type { PlacementTable } from './placement-table.ts';
import { isThought, mayStand, type ProviderRules } from './provider-rules.ts';
import type { StageFacts } from './stage-facts.ts';

/** What stands in front of a request that would begin with the model's own words: one content, always the same. */
export const opening: Content = Object.freeze({
  role: 'user',
  parts: Object.freeze([Object.freeze({ text: '[The conversation so far:]' })]),
});

/** Contents with their sources, and where the newest question ends among them. */
export interface LaidOut {
  readonly contents: readonly Content[];
  readonly sources: readonly (readonly number[])[];
  readonly question: QuestionEnd | undefined;
}

/**
 * Stage 10: leaves out parts that say nothing, joins neighbours where the provider wants roles to alternate (for all of
 * them, a call to the model's words before it), and puts the opening in front where it is needed.
 */
export function layOutContents(
  pieces: readonly Piece[],
  question: Question | undefined,
  { rules, placements }: Pick<StageFacts, 'rules' | 'placements'>,
): LaidOut {
  const said = withoutBlanks(pieces, rules);
  const starts = startsOfContents(said, rules);
  const needsOpening = said[0]?.content.role === 'model';
  const contents: Content[] = needsOpening ? [opening] : [];
  const sources: (readonly number[])[] = needsOpening ? [noSeqs] : [];
  const replied = new Set<number>();
  let end: QuestionEnd | undefined;
  for (let index = 0; index < starts.length; index++) {
    const group = said.slice(starts[index], starts[index + 1]);
    const parts = question && partsThrough(group, question.seq);
    if (parts !== undefined) end = { content: contents.length, parts };
    contents.push(contentOf(group, rules));
    sources.push(sourcesOf(group));
    placeMerged(group, replied, placements);
  }
  return { contents, sources, question: end };
}

const noSeqs: readonly number[] = Object.freeze([]);

function withoutBlanks(pieces: readonly Piece[], rules: ProviderRules): readonly Piece[] {
  const said: Piece[] = [];
  for (const piece of pieces) {
    const { role, parts } = piece.content;
    const stands = (part: Part) => mayStand(part, role, rules);
    if (parts.every(stands)) said.push(piece);
    else if (parts.some(stands)) said.push({ ...piece, content: { role, parts: parts.filter(stands) } });
  }
  return said;
}

/** Index of the first piece of each content. */
function startsOfContents(pieces: readonly Piece[], rules: ProviderRules): readonly number[] {
  const starts: number[] = [];
  let before: Piece | undefined;
  let startOfRole = 0;
  for (let index = 0; index < pieces.length; index++) {
    const piece = pieces[index];
    if (piece === undefined) continue;
    if (piece.content.role !== before?.content.role) startOfRole = starts.push(index);
    else if (!rules.alternates && callsTools(piece)) starts.length = startOfRole;
    else if (!rules.alternates) starts.push(index);
    before = piece;
  }
  return starts;
}

function callsTools({ content }: Piece): boolean {
  return content.role === 'model' && content.parts.some((part) => part.functionCall !== undefined);
}

function contentOf(group: readonly Piece[], rules: ProviderRules): Content {
  const first = group[0]?.content ?? opening;
  const parts = group.length === 1 ? first.parts : group.flatMap(({ content }) => content.parts);
  const length = rules.thoughtsMayEnd || first.role === 'user' ? parts.length : lengthWithoutLastThoughts(parts);
  if (parts === first.parts && length === parts.length) return first;
  return { role: first.role, parts: parts.slice(0, length) };
}

function lengthWithoutLastThoughts(parts: readonly Part[]): number {
  let { length } = parts;
  for (let last = parts[length - 1]; last !== undefined && isThought(last); last = parts[length - 1]) length--;
  return length;
}

function sourcesOf(group: readonly Piece[]): readonly number[] {
  return group.length === 1 ? (group[0]?.seqs ?? noSeqs) : group.flatMap(({ seqs }) => seqs);
}

/** How many parts of a content stand up to and with the question, or `undefined` if it is not among them. */
function partsThrough(group: readonly Piece[], question: number): number | undefined {
  let count = 0;
  let found: number | undefined;
  for (const { seqs, content, isReply } of group) {
    count += content.parts.length;
    if (isReply !== true && seqs.includes(question)) found = count;
  }
  return found;
}

/** Says of every verbatim event whose content was joined to another's where it went; one with a reply elsewhere stands. */
function placeMerged(group: readonly Piece[], replied: Set<number>, placements: PlacementTable): void {
  const first = group[0];
  if (first?.isReply === true) for (const seq of first.seqs) replied.add(seq);
  const head = first?.seqs[0];
  for (let index = 1; head !== undefined && index < group.length; index++) {
    for (const seq of group[index]?.seqs ?? noSeqs) {
      if (placements.isVerbatim(seq) && !replied.has(seq)) placements.merge(seq, head);
    }
  }
}
