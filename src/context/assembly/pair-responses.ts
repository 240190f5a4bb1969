import type { Content, JsonValue, Part } from '../../events/index.ts';
import type { Turn } from './join-transcripts.ts';
import type { Call, Response } from './link-calls.ts';
import { ProviderCalls } from './provider-calls.ts';
import { speaks } from './provider-rules.ts';
import type { StageFacts } from './stage-facts.ts';
import { trimResponse } from './trim-response.ts';

/** A content to be, and the events it comes from. */
export interface Piece {
  readonly seqs: readonly number[];
  readonly content: Content;
  /** It holds the responses to the calls of the piece before it. */
  readonly isReply?: true;
}

type Answers = ReadonlyMap<Call, Response>;

/** What stands in for the response of a long-running call that nothing has answered yet. */
const pending = Object.freeze({ status: 'pending' });

/**
 * Stage 9: puts the newest response of every call directly behind the turn that made the call, whenever it came. Calls
 * without a response are left out, long-running ones are shown as pending; so are responses without a call.
 */
export function pairResponses(turns: readonly Turn[], facts: StageFacts): readonly Piece[] {
  const answers = newestAnswers(turns);
  const providerCalls = new ProviderCalls(facts.rules);
  const pieces: Piece[] = [];
  for (const turn of turns) {
    if (turn.responses.length > 0) placeResponses(turn, answers, facts);
    if (turn.content.parts.length === 0) continue;
    const calls = facts.links.callsOf(turn.event.seq);
    if (calls.length === 0) pieces.push(turn);
    else pushCalls(pieces, turn, pairCalls(turn, calls, answers, providerCalls, facts), facts);
  }
  return pieces;
}

function newestAnswers(turns: readonly Turn[]): Answers {
  const answers = new Map<Call, Response>();
  for (const { responses } of turns) {
    for (const response of responses) if (response.call !== undefined) answers.set(response.call, response);
  }
  return answers;
}

/** Says what became of an event whose responses go elsewhere. */
function placeResponses({ event, responses, content }: Turn, answers: Answers, { placements }: StageFacts): void {
  let newer: Response | undefined;
  for (const response of responses) {
    const answer = response.call && answers.get(response.call);
    if (answer === response) return;
    newer ??= answer;
  }
  if (content.parts.length > 0) return;
  if (newer === undefined) placements.hide(event.seq, 'orphanResponse');
  else placements.merge(event.seq, newer.event.seq);
}

interface PairedTurn {
  readonly parts: readonly Part[];
  readonly replies: readonly Part[];
  readonly replySeqs: readonly number[];
}

function pairCalls(
  turn: Turn,
  calls: readonly Call[],
  answers: Answers,
  providerCalls: ProviderCalls,
  facts: StageFacts,
): PairedTurn {
  const parts: Part[] = [];
  const replies: Part[] = [];
  const replySeqs = new Set<number>();
  let next = 0;
  for (const part of turn.content.parts) {
    if (part.functionCall === undefined) {
      parts.push(part);
      continue;
    }
    const place = next++;
    const call = calls[place];
    const reply = call && replyTo(call, answers, facts);
    if (reply === undefined) continue;
    const pair = providerCalls.pair(part, reply.part, reply.value, `call_${turn.event.seq}_${place}`);
    parts.push(pair.call);
    replies.push(pair.response);
    replySeqs.add(reply.seq);
  }
  return { parts, replies, replySeqs: [...replySeqs] };
}

interface Reply {
  readonly seq: number;
  readonly part: Part;
  readonly value: JsonValue | undefined;
}

function replyTo(call: Call, answers: Answers, facts: StageFacts): Reply | undefined {
  const answer = answers.get(call);
  if (answer === undefined) {
    if (!call.longRunning) return undefined;
    const part = { functionResponse: { name: call.call.name, response: pending } };
    return { seq: call.event.seq, part, value: pending };
  }
  const shown = trimResponse(answer, facts);
  if (shown.isCut) facts.placements.trim(answer.event.seq);
  return { seq: answer.event.seq, part: answer.part, value: shown.value };
}

function pushCalls(pieces: Piece[], turn: Turn, paired: PairedTurn, facts: StageFacts): void {
  const { parts, replies, replySeqs } = paired;
  if (!parts.some((part) => speaks(part, turn.content.role, facts.rules))) {
    facts.placements.hide(turn.event.seq, 'orphanCall');
    return;
  }
  const isWhole =
    parts.length === turn.content.parts.length && parts.every((part, at) => part === turn.content.parts[at]);
  pieces.push(isWhole ? turn : { seqs: turn.seqs, content: { role: turn.content.role, parts } });
  if (replies.length > 0) pieces.push({ seqs: replySeqs, content: { role: 'user', parts: replies }, isReply: true });
}
