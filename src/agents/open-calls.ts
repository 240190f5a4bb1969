import { type Event, type EventInput, functionCalls, functionResponses, isPlainObject } from '../events/index.ts';

const stoppedText = 'The run stopped before this call was answered. Whether it took effect is not known.';

/** A call that nothing has answered. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** The event that makes the call. */
  readonly event: Event;
}

/** The calls among live events that nothing has answered and whose answer is not to come later, while there come more. */
export class OpenCalls {
  readonly #open = new Map<string, OpenCall>();

  constructor(live: Iterable<Event>) {
    for (const event of live) this.add(event);
  }

  add(event: Event): void {
    if (event.content === undefined) return;
    for (const { id } of functionResponses(event.content)) if (id !== undefined) this.#open.delete(id);
    for (const { id, name } of functionCalls(event.content)) {
      if (id === undefined) continue;
      this.#open.delete(id);
      if (!event.longRunningToolIds?.includes(id)) this.#open.set(id, { id, name, event });
    }
  }

  /** In order. */
  list(): readonly OpenCall[] {
    return [...this.#open.values()];
  }
}

/** Answers a call of a run that is no more, so that the next request is whole: nobody knows what became of it. */
export function stoppedAnswer({ id, name, event }: OpenCall): EventInput {
  const { author, invocationId, branch, isolationScope } = event;
  return {
    author,
    invocationId,
    content: { role: 'user', parts: [{ functionResponse: { id, name, response: { error: stoppedText } } }] },
    ...(branch === undefined ? {} : { branch }),
    ...(isolationScope === undefined ? {} : { isolationScope }),
  };
}

/** True for such an answer. A tool's own answer that comes after all takes its place. */
export function isStoppedAnswer({ response }: { readonly response?: unknown }): boolean {
  return isPlainObject(response) && response.error === stoppedText;
}

/** True if these events, not stored yet, have results of tools in them. */
export function answersCalls(events: readonly EventInput[]): boolean {
  return events.some(
    ({ content }) =>
      typeof content === 'object' && content.parts.some(({ functionResponse }) => functionResponse !== undefined),
  );
}

/** Ids of the calls that these events, not stored yet, answer. */
export function idsAnswered(events: readonly EventInput[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { content } of events) {
    if (content === undefined || typeof content === 'string') continue;
    for (const { functionResponse } of content.parts) if (functionResponse?.id) ids.add(functionResponse.id);
  }
  return ids;
}
