import type { Content, Event, EventInput, FunctionResponse, Part } from '../events/index.ts';
import { isStoppedAnswer } from './open-calls.ts';

/**
 * The events that contents of a prompt are appended as. What tools returned stands in events of its own, so that a
 * question beside it begins its invocation; what the log has answered already is left out.
 */
export function promptEvents(
  fresh: readonly Content[],
  agentName: string,
  live: readonly Event[],
): readonly EventInput[] {
  const events: EventInput[] = [];
  for (const { role, parts } of withoutKnownAnswers(fresh, live)) {
    let run: { isOfTools: boolean; parts: Part[] } | undefined;
    for (const part of parts) {
      const isOfTools = part.functionResponse !== undefined;
      if (run?.isOfTools !== isOfTools) {
        run = { isOfTools, parts: [] };
        const author = role === 'user' && !isOfTools ? 'user' : agentName;
        events.push({ author, content: { role: isOfTools ? 'user' : role, parts: run.parts } });
      }
      run.parts.push(part);
    }
  }
  return events;
}

/** The contents without responses to calls that the log, or something before in them, has answered. */
export function withoutKnownAnswers(contents: readonly Content[], live: readonly Event[]): readonly Content[] {
  const answers = new Answers(live);
  return contents.flatMap((content) => {
    const parts = content.parts.filter((part) => answers.add(part));
    return parts.length === 0 ? [] : parts.length === content.parts.length ? content : { ...content, parts };
  });
}

/**
 * Responses of a prompt that answer calls which the log has open, or answered only because a run had stopped. An id that
 * stands for several calls in the log does not say which of them is meant.
 */
export function overdueAnswers(contents: readonly Content[], live: readonly Event[]): readonly Content[] {
  const answers = new Answers(live);
  const overdue = new Map<string, Content>();
  for (const { parts } of contents) {
    for (const part of parts) {
      const { functionCall, functionResponse } = part;
      if (functionCall?.id !== undefined) overdue.delete(functionCall.id);
      if (functionResponse?.id === undefined || overdue.has(functionResponse.id)) continue;
      if (answers.isOverdue(functionResponse)) overdue.set(functionResponse.id, { role: 'user', parts: [part] });
    }
  }
  return [...overdue.values()];
}

/** What is known of the newest call of each id. */
class Answers {
  /** Ids that are answered, and whether by a tool itself. */
  readonly #answered = new Map<string, { readonly byTool: boolean }>();
  readonly #callCounts = new Map<string, number>();

  constructor(live: readonly Event[]) {
    for (const { content } of live) for (const part of content?.parts ?? []) this.add(part);
  }

  /** Notes what a part asks or answers; `false` for an answer that is known: a call may bear an id that was used before. */
  add({ functionCall, functionResponse }: Part): boolean {
    const called = functionCall?.id;
    if (called !== undefined) {
      this.#answered.delete(called);
      this.#callCounts.set(called, (this.#callCounts.get(called) ?? 0) + 1);
    }
    const id = functionResponse?.id;
    if (functionResponse === undefined || id === undefined) return true;
    const before = this.#answered.get(id);
    const byTool = !isStoppedAnswer(functionResponse);
    if (before?.byTool || (before !== undefined && !byTool)) return false;
    this.#answered.set(id, { byTool });
    return true;
  }

  isOverdue(response: FunctionResponse & { readonly id?: string }): boolean {
    const { id } = response;
    if (id === undefined || isStoppedAnswer(response)) return false;
    return this.#callCounts.get(id) === 1 && this.#answered.get(id)?.byTool !== true;
  }
}
