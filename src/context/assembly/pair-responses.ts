import type { Content, Part } from '../../events/index.ts';
import type { Call, Response } from './call-ledger.ts';
import type { Turn } from './join-transcripts.ts';
import { ProviderCalls, type ShownResponse } from './provider-calls.ts';
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

/** What stands in for the response of a long-running call that nothing has answered yet. */
const pending = Object.freeze({ status: 'pending' });

/**
 * Stage 9: puts the newest response of every call directly behind the turn that made the call, whenever it came. Calls
 * without a response are left out, long-running ones are shown as pending; so are responses without a call.
 */
export function pairResponses(
  turns: readonly Turn[],
  facts: StageFacts,
  providerCalls = new ProviderCalls(facts.rules),
): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const turn of turns) {
    if (turn.responses.length > 0) placeResponses(turn, facts);
    if (turn.content.parts.length === 0) continue;
    const calls = facts.links.callsOf(turn.event);
    if (calls.length === 0) pieces.push(turn);
    else pushCalls(pieces, turn, pairCalls(turn, calls, providerCalls, facts), facts);
  }
  return pieces;
}

/** The newest response to a call that neither masking nor the window took away. */
function answerTo(call: Call, { isSetAside }: StageFacts): Response | undefined {
  let answer = call.newest;
  while (answer !== undefined && isSetAside(answer.event.seq)) answer = answer.older;
  return answer;
}

/** True if the event brings a response that stands at its call. */
function bringsAnswer({ responses }: Turn, facts: StageFacts): boolean {
  return responses.some((response) => response.call !== undefined && answerTo(response.call, facts) === response);
}

/** Says what became of an event that has nothing but responses, which go elsewhere. */
function placeResponses(turn: Turn, facts: StageFacts): void {
  const { event, responses, content } = turn;
  if (content.parts.length > 0 || bringsAnswer(turn, facts)) return;
  let newer: Response | undefined;
  for (const { call } of responses) newer ??= call && answerTo(call, facts);
  if (newer === undefined) facts.placements.hide(event.seq, 'orphanResponse');
  else facts.placements.merge(event.seq, newer.event.seq);
}

interface PairedTurn {
  readonly parts: readonly Part[];
  readonly replies: readonly Part[];
  readonly replySeqs: readonly number[];
}

function pairCalls(turn: Turn, calls: readonly Call[], providerCalls: ProviderCalls, facts: StageFacts): PairedTurn {
  const said = turn.content.parts;
  let parts: Part[] | undefined;
  let replies: Part[] | undefined;
  let replySeqs: number[] | undefined;
  let next = 0;
  for (let index = 0; index < said.length; index++) {
    const part = said[index];
    if (part?.functionCall === undefined) {
      if (part !== undefined) parts?.push(part);
      continue;
    }
    const place = next++;
    const call = calls[place];
    const reply = call && replyTo(call, facts);
    const pair = reply && providerCalls.pair(part, reply, { seq: turn.event.seq, place });
    if (pair?.call !== part) parts ??= said.slice(0, index);
    if (reply === undefined || pair === undefined) continue;
    parts?.push(pair.call);
    replies = withItem(replies, pair.response);
    if (replySeqs?.includes(reply.seq) !== true) replySeqs = withItem(replySeqs, reply.seq);
  }
  return { parts: parts ?? said, replies: replies ?? [], replySeqs: replySeqs ?? [] };
}

/** Most lists stay at one item, for which an empty list to push to would be made much too large. */
function withItem<Item>(list: Item[] | undefined, item: Item): Item[] {
  if (list === undefined) return [item];
  list.push(item);
  return list;
}

interface Reply extends ShownResponse {
  readonly seq: number;
}

function replyTo(call: Call, facts: StageFacts): Reply | undefined {
  const answer = answerTo(call, facts);
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
    placeWithoutCalls(turn, facts);
    return;
  }
  pieces.push(parts === turn.content.parts ? turn : { seqs: turn.seqs, content: { role: turn.content.role, parts } });
  if (replies.length > 0) pieces.push({ seqs: replySeqs, content: { role: 'user', parts: replies }, isReply: true });
}

/** Says what became of an event whose calls are left out, and that says nothing else itself. */
function placeWithoutCalls(turn: Turn, facts: StageFacts): void {
  const { event, responses } = turn;
  if (facts.links.responsesOf(event).length > responses.length) facts.placements.narrate(event.seq);
  else if (!bringsAnswer(turn, facts)) facts.placements.hide(event.seq, 'orphanCall');
}
