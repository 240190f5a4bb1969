import type { Event, FunctionCall, Part } from '../../events/index.ts';
import { isAuthExchange } from './auth-exchange.ts';

/** One function call of the log. */
export interface Call {
  readonly event: Event;
  readonly call: FunctionCall;
  readonly longRunning: boolean;
  /** The last response to it. */
  readonly newest: Response | undefined;
}

/** One function response of the log and the call it answers, if that is visible. */
export interface Response {
  readonly event: Event;
  readonly part: Part;
  readonly call: Call | undefined;
  /** The one before it that answers the same call. */
  readonly older: Response | undefined;
}

/** Which response answers which call; lists follow the order of the parts. */
export interface CallLinks {
  callsOf(event: Event): readonly Call[];
  responsesOf(event: Event): readonly Response[];
  /** Seqs of the events that answer a call of the given one. */
  answersTo(seq: number): readonly number[];
}

const none: readonly never[] = Object.freeze([]);

/**
 * Finds the call of every response: the newest one above it with its id, or, for a response without an id, the oldest
 * one of its tool and branch that nothing has answered. Nothing answers what precedes it. Events come in order; the
 * newest can be taken back.
 */
export class CallLedger implements CallLinks {
  /** By seq, counted from the first one: an array, which is much quicker than a map where few seqs are missing. */
  readonly #pages: (Page | undefined)[] = [];
  #first: number | undefined;
  readonly #byId = new Map<string, BookedCall>();
  readonly #awaited: BookedCall[] = [];
  /** Calls by tool and branch; made when a response without an id is met, which most logs do not have. */
  #byPlace: Map<string, Queue> | undefined;

  add(event: Event): void {
    let calls: BookedCall[] | undefined;
    let responses: BookedResponse[] | undefined;
    for (const part of event.content?.parts ?? none) {
      if (part.functionCall !== undefined) {
        const call = this.#bookCall(event, part, part.functionCall);
        if (calls === undefined) calls = [call];
        else calls.push(call);
      } else if (part.functionResponse !== undefined) {
        const response = this.#bookResponse(event, part);
        if (responses === undefined) responses = [response];
        else responses.push(response);
      }
    }
    if (calls === undefined && responses === undefined) return;
    this.#first ??= event.seq;
    this.#pages[event.seq - this.#first] = { calls: calls ?? none, responses: responses ?? none };
  }

  /** Takes back the events from that seq on. */
  takeBack(fromSeq: number): void {
    if (this.#first === undefined) return;
    const kept = Math.max(0, fromSeq - this.#first);
    for (let index = this.#pages.length - 1; index >= kept; index--) {
      const { calls, responses } = this.#pages[index] ?? emptyPage;
      for (const response of [...responses].reverse()) this.#takeBackResponse(response);
      for (const call of [...calls].reverse()) this.#takeBackCall(call);
    }
    this.#pages.length = Math.min(kept, this.#pages.length);
    if (kept === 0) this.#first = undefined;
  }

  callsOf(event: Event): readonly Call[] {
    return this.#pageOf(event).calls;
  }

  responsesOf(event: Event): readonly Response[] {
    return this.#pageOf(event).responses;
  }

  answersTo(seq: number): readonly number[] {
    const seqs: number[] = [];
    for (const { newest } of this.#pageAt(seq).calls) {
      for (let answer = newest; answer !== undefined; answer = answer.older) seqs.push(answer.event.seq);
    }
    return seqs;
  }

  #pageOf({ seq, content }: Event): Page {
    // Most events have neither calls nor responses; to see that takes less time than to look them up.
    for (const { functionCall, functionResponse } of content?.parts ?? none)
      if (functionCall !== undefined || functionResponse !== undefined) return this.#pageAt(seq);
    return emptyPage;
  }

  #pageAt(seq: number): Page {
    return this.#pages[seq - (this.#first ?? 0)] ?? emptyPage;
  }

  #bookCall(event: Event, part: Part, call: FunctionCall): BookedCall {
    const isAwaited = mayCall(event) && !isAuthExchange(part);
    const longRunning = isAwaited && call.id !== undefined && event.longRunningToolIds?.includes(call.id) === true;
    const older = isAwaited && call.id !== undefined ? this.#byId.get(call.id) : undefined;
    const booked: BookedCall = { event, call, longRunning, isAwaited, older, newest: undefined };
    if (!isAwaited) return booked;
    if (call.id !== undefined) this.#byId.set(call.id, booked);
    this.#awaited.push(booked);
    if (this.#byPlace !== undefined) addByPlace(this.#byPlace, booked);
    return booked;
  }

  #bookResponse(event: Event, part: Part): BookedResponse {
    const call = isAuthExchange(part) ? undefined : this.#answeredBy(event, part);
    const response = { event, part, call, older: call?.newest };
    if (call !== undefined) call.newest = response;
    return response;
  }

  #answeredBy(event: Event, part: Part): BookedCall | undefined {
    const id = part.functionResponse?.id;
    if (id !== undefined) return this.#byId.get(id);
    const queue = this.#placed().get(placeKey(event, part.functionResponse?.name ?? ''));
    if (queue === undefined) return undefined;
    for (; queue.next < queue.calls.length; queue.next++) {
      const call = queue.calls[queue.next];
      if (call !== undefined && call.newest === undefined) return call;
    }
    return undefined;
  }

  #takeBackResponse({ call, older }: BookedResponse): void {
    if (call === undefined) return;
    call.newest = older;
    if (older !== undefined) return;
    const queue = this.#byPlace?.get(placeKey(call.event, call.call.name));
    if (queue !== undefined) queue.next = 0;
  }

  #takeBackCall({ event, call, isAwaited, older }: BookedCall): void {
    if (!isAwaited) return;
    if (call.id !== undefined && older === undefined) this.#byId.delete(call.id);
    else if (call.id !== undefined && older !== undefined) this.#byId.set(call.id, older);
    this.#awaited.pop();
    this.#byPlace?.get(placeKey(event, call.name))?.calls.pop();
  }

  #placed(): Map<string, Queue> {
    if (this.#byPlace === undefined) {
      this.#byPlace = new Map();
      for (const call of this.#awaited) addByPlace(this.#byPlace, call);
    }
    return this.#byPlace;
  }
}

interface BookedCall extends Call {
  readonly isAwaited: boolean;
  /** The call that had the same id before. */
  readonly older: BookedCall | undefined;
  newest: BookedResponse | undefined;
}

interface BookedResponse extends Response {
  readonly call: BookedCall | undefined;
  readonly older: BookedResponse | undefined;
}

/** The calls and responses of one event. */
interface Page {
  readonly calls: readonly BookedCall[];
  readonly responses: readonly BookedResponse[];
}

const emptyPage: Page = Object.freeze({ calls: none, responses: none });

/** Calls of one tool on one branch, and how many of the first are known to be answered. */
interface Queue {
  readonly calls: BookedCall[];
  next: number;
}

/** The user's side calls no tools, whatever a log says. */
function mayCall(event: Event): boolean {
  return event.author !== 'user' && event.origin !== 'user';
}

function addByPlace(queues: Map<string, Queue>, booked: BookedCall): void {
  const place = placeKey(booked.event, booked.call.name);
  const queue = queues.get(place);
  if (queue === undefined) queues.set(place, { calls: [booked], next: 0 });
  else queue.calls.push(booked);
}

function placeKey(event: Event, name: string): string {
  return event.branch === undefined ? name : `${event.branch}\n${name}`;
}
