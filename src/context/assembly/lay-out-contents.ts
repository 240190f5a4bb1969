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

/** What the opening comes from. */
export const noSeqs: readonly number[] = Object.freeze([]);

/** Contents with their sources, and where the newest question ends among them. */
export interface LaidOut {
  readonly contents: readonly Content[];
  readonly sources: readonly (readonly number[])[];
  readonly question: QuestionEnd | undefined;
}

/**
 * Stage 10: leaves out parts that say nothing, and joins neighbours where the provider wants roles to alternate (for all
 * of them, a call to the model's words before it).
 */
export function layOutContents(
  pieces: readonly Piece[],
  question: Question | undefined,
  { rules, placements }: Pick<StageFacts, 'rules' | 'placements'>,
): LaidOut {
  const said = withoutBlanks(pieces, rules);
  const starts = startsOfContents(said, rules);
  const contents: Content[] = [];
  const sources: (readonly number[])[] = [];
  const replies = new Replies(said);
  for (let index = 0; index < starts.length; index++) {
    const from = starts[index] ?? 0;
    const to = starts[index + 1] ?? said.length;
    // Most contents come of one piece; a list of one would be made for each of them.
    const group = to > from + 1 ? said.slice(from, to) : undefined;
    const piece = group === undefined ? said[from] : joinPieces(group);
    if (group !== undefined) placeMerged(group, (seq) => replies.hold(seq, from), placements);
    if (piece === undefined) continue;
    contents.push(endedRight(piece.content, rules));
    sources.push(piece.seqs);
  }
  return { contents, sources, question: question && endOf(question, said, starts) };
}

/** The events whose responses stand elsewhere, at their calls. */
class Replies {
  readonly #pieces: readonly Piece[];
  readonly #seqs = new Set<number>();
  #next = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** True if a reply up to and with that piece brings a response of the event. Asked seldom, so looked up when asked. */
  hold(seq: number, index: number): boolean {
    for (; this.#next <= index; this.#next++) {
      const piece = this.#pieces[this.#next];
      if (piece?.isReply === true) for (const reply of piece.seqs) this.#seqs.add(reply);
    }
    return this.#seqs.has(seq);
  }
}

/** Where the question ends: in the last content that it is a part of. */
function endOf(question: Question, said: readonly Piece[], starts: readonly number[]): QuestionEnd | undefined {
  for (let content = starts.length - 1; content >= 0; content--) {
    const [from, to] = [starts[content] ?? 0, starts[content + 1] ?? said.length];
    const parts = partsThrough(said, { from, to }, question.seq);
    if (parts !== undefined) return { content, parts };
  }
  return undefined;
}

/** The same with the opening in front, if it would begin with the model's words. */
export function withOpening(laidOut: LaidOut): LaidOut {
  if (laidOut.contents[0]?.role !== 'model') return laidOut;
  const { question } = laidOut;
  return {
    contents: [opening, ...laidOut.contents],
    sources: [noSeqs, ...laidOut.sources],
    question: question && { ...question, content: question.content + 1 },
  };
}

function withoutBlanks(pieces: readonly Piece[], rules: ProviderRules): readonly Piece[] {
  if (pieces.every(({ content }) => countStanding(content, rules) === content.parts.length)) return pieces;
  return pieces.flatMap((piece) => {
    const { role, parts } = piece.content;
    const standing = parts.filter((part) => mayStand(part, role, rules));
    if (standing.length === parts.length) return piece;
    return standing.length === 0 ? [] : { ...piece, content: { role, parts: standing } };
  });
}

function countStanding({ role, parts }: Content, rules: ProviderRules): number {
  let count = 0;
  for (const part of parts) if (mayStand(part, role, rules)) count++;
  return count;
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

function joinPieces(group: readonly Piece[]): Piece {
  const role = group[0]?.content.role ?? opening.role;
  const parts: Part[] = [];
  const seqs: number[] = [];
  for (const piece of group) {
    for (const part of piece.content.parts) parts.push(part);
    for (const seq of piece.seqs) seqs.push(seq);
  }
  return { seqs, content: { role, parts } };
}

function endedRight(content: Content, rules: ProviderRules): Content {
  const { role, parts } = content;
  const length = rules.thoughtsMayEnd || role === 'user' ? parts.length : lengthWithoutLastThoughts(parts);
  return length === parts.length ? content : { role, parts: parts.slice(0, length) };
}

function lengthWithoutLastThoughts(parts: readonly Part[]): number {
  let { length } = parts;
  for (let last = parts[length - 1]; last !== undefined && isThought(last); last = parts[length - 1]) length--;
  return length;
}

/** How many parts of a content stand up to and with the question, or `undefined` if it is not among them. */
function partsThrough(
  said: readonly Piece[],
  { from, to }: { readonly from: number; readonly to: number },
  question: number,
): number | undefined {
  let count = 0;
  let found: number | undefined;
  for (let index = from; index < to; index++) {
    const piece = said[index];
    if (piece === undefined) continue;
    count += piece.content.parts.length;
    if (piece.isReply !== true && piece.seqs.includes(question)) found = count;
  }
  return found;
}

/** Says of every verbatim event whose content was joined to another's where it went; one with a reply elsewhere stands. */
function placeMerged(group: readonly Piece[], isReplied: (seq: number) => boolean, placements: PlacementTable): void {
  const head = group[0]?.seqs[0];
  for (let index = 1; head !== undefined && index < group.length; index++) {
    for (const seq of group[index]?.seqs ?? noSeqs) {
      if (placements.isVerbatim(seq) && !isReplied(seq)) placements.merge(seq, head);
    }
  }
}
