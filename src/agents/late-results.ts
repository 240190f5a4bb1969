import type { Event, EventInput } from '../events/index.ts';
import { canonicalJson } from '../internal/index.ts';
import { isStoppedAnswer } from './open-calls.ts';

/** A result as it is stored, or as it is given. */
interface Result {
  readonly id?: string;
  readonly name: string;
  readonly response?: unknown;
}

/** A part, as far as it calls or answers. */
interface CallPart {
  readonly functionCall?: { readonly id?: string; readonly name: string };
  readonly functionResponse?: Result;
}

/** A call of the log, and what has answered it. */
interface KnownCall {
  /** More than one word may come. */
  readonly isLongRunning: boolean;
  readonly answers: Set<string>;
}

/**
 * Why no call of a live log waits for a result among new events; `undefined` if each is waited for. A call waits until it
 * is answered; what was said for it when its run had stopped is no answer. A long-running call waits on, for anything
 * that has not been said to it yet, so a result that is delivered twice is not wanted the second time.
 */
export function unwantedResult(live: readonly Event[], news: readonly EventInput[]): string | undefined {
  const calls = new KnownCalls();
  const stored = new Set(live.map(({ id }) => id));
  for (const { content, longRunningToolIds } of live)
    for (const part of content?.parts ?? []) calls.note(part, longRunningToolIds);
  for (const { id, content, longRunningToolIds } of news) {
    // The same event again is no second result; append tells whether it is the same.
    if (content === undefined || typeof content === 'string' || (id !== undefined && stored.has(id))) continue;
    for (const part of content.parts) {
      const problem = part.functionResponse && calls.problemOf(part.functionResponse);
      if (problem !== undefined) return problem;
      calls.note(part, longRunningToolIds);
    }
  }
  return undefined;
}

class KnownCalls {
  readonly #byId = new Map<string, KnownCall>();
  readonly #namesWithoutId = new Set<string>();

  note({ functionCall, functionResponse }: CallPart, longRunning: readonly string[] | undefined): void {
    if (functionCall !== undefined) {
      const { id, name } = functionCall;
      if (id === undefined) this.#namesWithoutId.add(name);
      else this.#byId.set(id, { isLongRunning: longRunning?.includes(id) === true, answers: new Set() });
    }
    if (functionResponse?.id === undefined || isStoppedAnswer(functionResponse)) return;
    this.#byId.get(functionResponse.id)?.answers.add(wordOf(functionResponse));
  }

  /** Why no call waits for a response. */
  problemOf(response: Result): string | undefined {
    const { id, name } = response;
    if (id === undefined) {
      if (this.#namesWithoutId.has(name)) return undefined;
      return `answers a call of ${JSON.stringify(name)} without naming it: give functionResponse the id of the call`;
    }
    const call = this.#byId.get(id);
    if (call === undefined)
      return `answers call ${JSON.stringify(id)}, which the session does not have, or a rewind has hidden: send the id of a call of this session, as its event has it`;
    const isAnswered = call.isLongRunning ? call.answers.has(wordOf(response)) : call.answers.size > 0;
    if (!isAnswered) return undefined;
    return `answers call ${JSON.stringify(id)}, which is answered already: nothing is to be sent again; what is new goes into a message of its own`;
  }
}

function wordOf({ response }: Result): string {
  return canonicalJson(response);
}
