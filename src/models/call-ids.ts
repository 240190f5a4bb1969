import type { FunctionCall, FunctionResponse } from '../events/index.ts';

/**
 * Gives an id to every call and response of one conversation, told from its front. Where there is none, a call gets one
 * by its place, and a response that of the oldest call of its tool that nothing has answered.
 */
export class CallIds {
  readonly #given = new Set<string>();
  readonly #open = new Map<string, string[]>();
  #count = 0;

  ofCall({ id, name }: FunctionCall): string {
    const callId = id ?? this.#next();
    this.#given.add(callId);
    const open = this.#open.get(name);
    if (open === undefined) this.#open.set(name, [callId]);
    else open.push(callId);
    return callId;
  }

  ofResponse({ id, name }: FunctionResponse): string {
    const open = this.#open.get(name) ?? [];
    const place = id === undefined ? 0 : open.indexOf(id);
    const [callId] = place < 0 ? [] : open.splice(place, 1);
    return id ?? callId ?? this.#next();
  }

  #next(): string {
    this.#count++;
    let id = `call-${this.#count}`;
    while (this.#given.has(id)) id = `${id}_`;
    return id;
  }
}
