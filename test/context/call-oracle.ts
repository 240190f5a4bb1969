import type { Event, FunctionCall, Part } from '../../src/events/index.ts';
import { kindOf } from './marks.ts';

/** A call that a model made and waits for, and what answers it, the newest last. */
export interface ExpectedCall {
  readonly event: Event;
  readonly call: FunctionCall;
  readonly isLong: boolean;
  readonly answers: readonly ExpectedResponse[];
}

/** A result, and the call it answers, if the view sees that. */
export interface ExpectedResponse {
  readonly event: Event;
  readonly part: Part;
  readonly call: ExpectedCall | undefined;
}

/** Which of a log's results answer which of its calls. */
export interface CallOracle {
  /** `undefined` for a call that no model made or that a framework asks the user with. */
  callOf(part: Part): ExpectedCall | undefined;
  /** `undefined` for a part that is no result. */
  responseOf(part: Part): ExpectedResponse | undefined;
}

interface GrowingCall extends ExpectedCall {
  readonly answers: ExpectedResponse[];
}

/** Pairs calls and results of the events that a view sees, by looking through all calls for each result. */
export function pairCalls(seen: readonly Event[]): CallOracle {
  const calls = new Map<Part, GrowingCall>();
  const responses = new Map<Part, ExpectedResponse>();
  for (const event of seen)
    for (const part of event.content?.parts ?? []) {
      const { functionCall: call, functionResponse } = part;
      const isMade = event.author !== 'user' && event.origin !== 'user' && kindOf(part) === 'call';
      if (call !== undefined && isMade) calls.set(part, { event, call, isLong: isLong(event, call), answers: [] });
      if (functionResponse === undefined) continue;
      const answered =
        kindOf(part) === 'response' ? answeredBy(event, functionResponse, [...calls.values()]) : undefined;
      const response = { event, part, call: answered };
      responses.set(part, response);
      answered?.answers.push(response);
    }
  return { callOf: (part) => calls.get(part), responseOf: (part) => responses.get(part) };
}

function isLong({ longRunningToolIds = [] }: Event, { id }: FunctionCall): boolean {
  return id !== undefined && longRunningToolIds.includes(id);
}

/** The newest call of that id; without one, the oldest call of that tool and branch without an answer. */
function answeredBy({ branch }: Event, { id, name }: FunctionCall, calls: readonly GrowingCall[]) {
  if (id !== undefined) return calls.findLast(({ call }) => call.id === id);
  return calls.find(
    ({ event, call, answers }) => call.name === name && event.branch === branch && answers.length === 0,
  );
}
