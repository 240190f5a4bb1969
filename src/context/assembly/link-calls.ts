import type { Event, FunctionCall, Part } from '../../events/index.ts';
import { isAuthExchange } from './auth-exchange.ts';

/** One function call of the log. */
export interface Call {
  readonly event: Event;
  readonly call: FunctionCall;
  readonly longRunning: boolean;
}

/** One function response of the log and the call it answers, if that is visible. */
export interface Response {
  readonly event: Event;
  readonly part: Part;
  readonly call: Call | undefined;
}

/** Which response answers which call, by seq; lists follow the order of the parts. */
export interface CallLinks {
  callsOf(seq: number): readonly Call[];
  responsesOf(seq: number): readonly Response[];
  readonly responses: Iterable<readonly Response[]>;
}

const none: readonly never[] = Object.freeze([]);

/**
 * Finds the call of every response: the newest one above it with its id, or, for a response without an id, the oldest
 * one of its tool and branch that nothing has answered. Nothing answers what precedes it.
 */
export function linkCalls(visible: readonly Event[]): CallLinks {
  const calls = new Map<number, Call[]>();
  const responses = new Map<number, Response[]>();
  const open = new OpenCalls();
  for (const event of visible) {
    for (const part of event.content?.parts ?? none) {
      if (part.functionCall !== undefined) {
        const isAwaited = mayCall(event) && !isAuthExchange(part);
        const call = callOf(event, part.functionCall, isAwaited);
        add(calls, event.seq, call);
        if (isAwaited) open.add(call);
      } else if (part.functionResponse !== undefined) {
        add(responses, event.seq, {
          event,
          part,
          call: isAuthExchange(part) ? undefined : open.answeredBy(event, part),
        });
      }
    }
  }
  return {
    callsOf: (seq) => calls.get(seq) ?? none,
    responsesOf: (seq) => responses.get(seq) ?? none,
    responses: responses.values(),
  };
}

function callOf(event: Event, call: FunctionCall, isAwaited: boolean): Call {
  const longRunning = isAwaited && call.id !== undefined && event.longRunningToolIds?.includes(call.id) === true;
  return { event, call, longRunning };
}

/** The user's side calls no tools, whatever a log says. */
function mayCall(event: Event): boolean {
  return event.author !== 'user' && event.origin !== 'user';
}

function add<Item>(lists: Map<number, Item[]>, seq: number, item: Item): void {
  const list = lists.get(seq);
  if (list === undefined) lists.set(seq, [item]);
  else list.push(item);
}

/** The calls seen so far, by id and by place. */
class OpenCalls {
  readonly #byId = new Map<string, Call>();
  readonly #byPlace = new Map<string, { readonly calls: Call[]; next: number }>();
  readonly #answered = new Set<Call>();

  add(call: Call): void {
    if (call.call.id !== undefined) this.#byId.set(call.call.id, call);
    const place = placeKey(call.event, call.call.name);
    const queue = this.#byPlace.get(place);
    if (queue === undefined) this.#byPlace.set(place, { calls: [call], next: 0 });
    else queue.calls.push(call);
  }

  answeredBy(event: Event, part: Part): Call | undefined {
    const id = part.functionResponse?.id;
    const call = id === undefined ? this.#oldestOpen(event, part.functionResponse?.name ?? '') : this.#byId.get(id);
    if (call !== undefined) this.#answered.add(call);
    return call;
  }

  #oldestOpen(event: Event, name: string): Call | undefined {
    const queue = this.#byPlace.get(placeKey(event, name));
    if (queue === undefined) return undefined;
    for (; queue.next < queue.calls.length; queue.next++) {
      const call = queue.calls[queue.next];
      if (call !== undefined && !this.#answered.has(call)) return call;
    }
    return undefined;
  }
}

function placeKey(event: Event, name: string): string {
  return event.branch === undefined ? name : `${event.branch}\n${name}`;
}
