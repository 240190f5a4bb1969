import type { JsonValue, Part } from '../../events/index.ts';
import { canonicalJson } from '../../internal/index.ts';
import { isAuthExchange } from './auth-exchange.ts';
import type { Response } from './call-ledger.ts';
import type { Turn } from './join-transcripts.ts';
import { mayStand } from './provider-rules.ts';
import { speakerOf } from './speaker.ts';
import type { StageFacts } from './stage-facts.ts';
import { trimResponse } from './trim-response.ts';

/**
 * Stage 8: retells the turns of other agents, and what their tools returned, as text on the user's side. Their thoughts
 * are left out; media stand as they are. A response to a call of the agent's own is left to pairing, whoever brings it.
 */
export function narrateForeign(turns: readonly Turn[], facts: StageFacts): readonly Turn[] {
  const first = turns.findIndex((turn) => isTold(turn, facts));
  if (first === -1) return turns;
  const told = turns.slice();
  let length = first;
  for (let index = first; index < turns.length; index++) {
    const turn = turns[index];
    if (turn === undefined) continue;
    if (isTold(turn, facts)) for (const retold of narrate(turn, facts)) told[length++] = retold;
    else told[length++] = turn;
  }
  told.length = length;
  return told;
}

function isTold({ event, responses }: Turn, facts: StageFacts): boolean {
  if (speakerOf(event, facts.view.agentName) === 'other') return true;
  return responses.length > 0 && responses.some((response) => isForeignResponse(response, false, facts));
}

/** The turn as it is told. What the model says itself beside another agent's result stays on its side, as a turn of its own. */
function narrate(turn: Turn, facts: StageFacts): readonly Turn[] {
  const { event, seqs, content } = turn;
  const isForeign = speakerOf(event, facts.view.agentName) === 'other';
  const told: Part[] = [];
  const own: Response[] = [];
  for (const response of turn.responses) {
    if (isForeignResponse(response, isForeign, facts)) told.push(narrateResponse(response, facts));
    else own.push(response);
  }
  const isOwnSide = !isForeign && content.role === 'model' && content.parts.length > 0;
  if (!isOwnSide) {
    for (const part of content.parts) {
      const shown = isForeign ? narratePart(part, event.author, facts) : part;
      if (shown !== undefined) told.push(shown);
    }
  }
  if (told.length === 0 && own.length === 0 && !isOwnSide) {
    for (const seq of seqs) facts.placements.hide(seq, 'empty');
    return [];
  }
  const isAllTold = own.length === 0 && (isForeign || content.parts.length === 0);
  if (isAllTold && facts.placements.isVerbatim(event.seq)) facts.placements.narrate(event.seq);
  const retold: Turn = { event, seqs, content: { role: 'user', parts: told }, responses: own };
  return isOwnSide
    ? [
        { ...retold, responses: [] },
        { ...turn, responses: own },
      ]
    : [retold];
}

/** A response belongs to whoever called; one whose call is not to be seen, to whoever brings it. */
function isForeignResponse({ call, part }: Response, isForeign: boolean, { view }: StageFacts): boolean {
  if (call !== undefined) return speakerOf(call.event, view.agentName) === 'other';
  return isForeign && !isAuthExchange(part);
}

function narrateResponse(response: Response, facts: StageFacts): Part {
  const { value, isCut } = trimResponse(response, facts);
  if (isCut) facts.placements.trim(response.event.seq);
  const tool = response.part.functionResponse?.name ?? '';
  return said(`[${(response.call?.event ?? response.event).author}] ${tool} returned ${plain(value)}`);
}

function narratePart(part: Part, author: string, { rules }: StageFacts): Part | undefined {
  const { text, functionCall, executableCode, codeExecutionResult } = part;
  if (functionCall !== undefined) {
    const call = `[${author}] called ${functionCall.name}(${canonicalJson(functionCall.args ?? {})})`;
    return isAuthExchange(part) ? undefined : said(call);
  }
  if (!mayStand(part, 'user', rules)) return undefined;
  if (text !== undefined) return said(`[${author}] said: ${text}`);
  if (executableCode !== undefined) return said(`[${author}] called code(${canonicalJson(executableCode.code)})`);
  if (codeExecutionResult !== undefined)
    return said(`[${author}] code returned ${plain(codeExecutionResult.output ?? codeExecutionResult.outcome)}`);
  return part.inlineData === undefined && part.fileData === undefined ? undefined : part;
}

function plain(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

function said(text: string): Part {
  return Object.freeze({ text });
}
