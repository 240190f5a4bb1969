import { type Content, type EventInput, functionCalls, type Part, type RequestJournal } from '../events/index.ts';
import { uuidV4 } from '../internal/index.ts';
import type { Tool } from './tools/index.ts';
import type { TurnEvent } from './turn-event.ts';

/** What a model event is made of besides the turn. */
export interface ModelEventParts {
  readonly id: string;
  readonly author: string;
  readonly turn: TurnEvent;
  readonly journal?: RequestJournal;
  readonly tools: readonly Tool[];
  /** Ids that calls of this run bear already; the new ones are added. */
  readonly callIds: Set<string>;
}

/** The event that a turn of the model is stored as: every call with an id of its own, long-running ones named. */
export function modelEvent(parts: ModelEventParts): EventInput {
  const { id, author, turn, journal, tools, callIds } = parts;
  const content = turn.content === undefined ? undefined : withCallIds(turn.content, callIds);
  const longRunning = new Set(tools.filter((tool) => tool.longRunning).map(({ declaration }) => declaration.name));
  const longRunningToolIds = functionCalls(content).flatMap(({ id: callId, name }) =>
    callId !== undefined && longRunning.has(name) ? callId : [],
  );
  return {
    ...turn,
    id,
    author,
    ...(content === undefined ? {} : { content }),
    ...(journal === undefined ? {} : { request: journal }),
    ...(longRunningToolIds.length === 0 ? {} : { longRunningToolIds }),
  };
}

function withCallIds(content: Content, taken: Set<string>): Content {
  return { ...content, parts: content.parts.map((part) => withCallId(part, taken)) };
}

/** Some models number their calls anew in each answer, or not at all. */
function withCallId(part: Part, taken: Set<string>): Part {
  const call = part.functionCall;
  if (call === undefined) return part;
  const isFree = call.id !== undefined && call.id !== '' && !taken.has(call.id);
  const id = isFree && call.id !== undefined ? call.id : `call_${uuidV4().replaceAll('-', '').slice(0, 24)}`;
  taken.add(id);
  return isFree ? part : { ...part, functionCall: { ...call, id } };
}
