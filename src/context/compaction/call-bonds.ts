import { type Event, type FunctionCall, type FunctionResponse, isPlainObject } from '../../events/index.ts';
import { keyOfPlace } from './fold-window.ts';

/** Calls of this kind ask a person, not a tool; one answer is the final one. */
const asksPerson = /^adk_request_/;

/** Something that an event asks for and that has not come. */
export interface Obligation {
  readonly event: Event;
  /** A confirmation or an authorisation. */
  readonly needsPerson: boolean;
  readonly isLongRunning: boolean;
  /** It has a first word, and the final one is still to come. */
  readonly isBegun: boolean;
}

interface Awaited extends Omit<Obligation, 'isBegun'> {
  answers: number;
  isOver: boolean;
}

/**
 * Which events belong together because one answers a call, a confirmation or an authorisation of another, and what is
 * still owed, over live events in order of seq. Says of two views that pair differently what holds in both: a response
 * belongs to the newest call of its id above it, and to the newest of its own branch.
 */
export class CallBonds {
  readonly #above = new Map<number, number>();
  readonly #members = new Map<number, number[]>();
  readonly #awaited: Awaited[] = [];
  readonly #calls = new Map<string, Awaited>();
  readonly #requests = new Map<string, Awaited[]>();
  readonly #queues = new Map<string, Awaited[]>();

  constructor(events: Iterable<Event>) {
    for (const event of events) this.#add(event);
    for (const seq of this.#above.keys()) {
      const root = this.#rootOf(seq);
      const members = this.#members.get(root);
      if (members === undefined) this.#members.set(root, [seq]);
      else members.push(seq);
    }
  }

  /** Seqs of the events that belong to the one of that seq, itself included. */
  bundleOf(seq: number): readonly number[] {
    return this.#members.get(this.#rootOf(seq)) ?? [seq];
  }

  /** What is owed, in the order in which it was asked for. */
  owed(): readonly Obligation[] {
    return this.#awaited.flatMap(({ event, needsPerson, isLongRunning, answers, isOver }) =>
      isOver ? [] : [{ event, needsPerson, isLongRunning, isBegun: answers > 0 }],
    );
  }

  #add(event: Event): void {
    for (const { functionCall, functionResponse } of event.content?.parts ?? []) {
      if (functionCall !== undefined) this.#addCall(event, functionCall);
      else if (functionResponse !== undefined) this.#addResponse(event, functionResponse);
    }
    const { requestedToolConfirmations = {}, requestedAuthConfigs = {} } = event.actions;
    for (const id of [...Object.keys(requestedToolConfirmations), ...Object.keys(requestedAuthConfigs)])
      pushTo(this.#requests, requestKey(event, id), this.#await(event, { needsPerson: true, isLongRunning: false }));
  }

  #addCall(event: Event, { id, name }: FunctionCall): void {
    // What the user's side calls is no call.
    if (event.author === 'user' || event.origin === 'user') return;
    const needsPerson = asksPerson.test(name);
    const isLongRunning = !needsPerson && id !== undefined && event.longRunningToolIds?.includes(id) === true;
    const awaited = this.#await(event, { needsPerson, isLongRunning });
    pushTo(this.#queues, queueKey(event, name), awaited);
    if (id === undefined) return;
    for (const key of idKeys(event, id, needsPerson)) this.#calls.set(key, awaited);
  }

  #await(event: Event, kind: Pick<Awaited, 'needsPerson' | 'isLongRunning'>): Awaited {
    const awaited = { event, ...kind, answers: 0, isOver: false };
    this.#awaited.push(awaited);
    return awaited;
  }

  #addResponse(event: Event, response: FunctionResponse): void {
    for (const awaited of this.#answeredBy(event, response)) {
      awaited.answers++;
      awaited.isOver ||= !awaited.isLongRunning || awaited.answers > 1 || isFailure(response);
      this.#join(awaited.event.seq, event.seq);
    }
  }

  #answeredBy(event: Event, { id, name }: FunctionResponse): ReadonlySet<Awaited> {
    if (id === undefined) {
      const next = this.#queues.get(queueKey(event, name))?.find(({ answers }) => answers === 0);
      return new Set(next === undefined ? [] : [next]);
    }
    const fromPerson = asksPerson.test(name);
    const calls = this.#callsOf(event, id, fromPerson);
    // What a person says never stands for what a tool returns.
    const answered = fromPerson || calls.length > 0 ? calls : this.#callsOf(event, id, true);
    return new Set([...(this.#requests.get(requestKey(event, id)) ?? []), ...answered]);
  }

  #callsOf(event: Event, id: string, needsPerson: boolean): readonly Awaited[] {
    return idKeys(event, id, needsPerson).flatMap((key) => this.#calls.get(key) ?? []);
  }

  #join(a: number, b: number): void {
    const [rootA, rootB] = [this.#rootOf(a), this.#rootOf(b)];
    for (const seq of [a, b]) if (!this.#above.has(seq)) this.#above.set(seq, seq);
    if (rootA !== rootB) this.#above.set(Math.max(rootA, rootB), Math.min(rootA, rootB));
  }

  #rootOf(seq: number): number {
    let root = seq;
    for (let above = this.#above.get(root); above !== undefined && above !== root; above = this.#above.get(root))
      root = above;
    if (root !== seq) this.#above.set(seq, root);
    return root;
  }
}

/** A long-running call that failed at once has no further word to wait for. */
function isFailure({ response }: FunctionResponse): boolean {
  return isPlainObject(response) && response.error !== undefined;
}

function requestKey({ isolationScope = '' }: Event, id: string): string {
  return `${isolationScope}\n${id}`;
}

/** Where the calls of an id are found that a view of the whole scope, and one of this branch alone, would find. */
function idKeys(event: Event, id: string, needsPerson: boolean): readonly string[] {
  const kind = needsPerson ? 'person' : 'tool';
  return [`${kind}\n${requestKey(event, id)}`, `${kind}\n${keyOfPlace(event)}\n${id}`];
}

function queueKey(event: Event, name: string): string {
  return `${keyOfPlace(event)}\n${name}`;
}

function pushTo<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
