import type { EventInput, Overflow, SeqRange } from '../index.ts';

/** The user says something. */
export function says(content: string, more: Partial<EventInput> = {}): EventInput {
  return { author: 'user', content, ...more };
}

/** The agent answers. */
export function answers(content: string, more: Partial<EventInput> = {}): EventInput {
  return { author: 'assistant', content, ...more };
}

/** The agent calls a tool. */
export function calls(id: string, more: Partial<EventInput> = {}): EventInput {
  return { author: 'assistant', content: { parts: [{ functionCall: { id, name: 'look_up', args: {} } }] }, ...more };
}

/** The tool answers the call. */
export function returns(id: string, response: unknown = { ok: true }): EventInput {
  return { author: 'assistant', content: { parts: [{ functionResponse: { id, name: 'look_up', response } }] } };
}

/** The agent writes state, without any content. */
export function sets(stateDelta: Readonly<Record<string, unknown>>, more: Partial<EventInput> = {}): EventInput {
  return { author: 'assistant', actions: { stateDelta }, ...more };
}

/** The agent removes keys of state. */
export function removes(...stateRemoved: string[]): EventInput {
  return { author: 'assistant', actions: { stateRemoved } };
}

/** A summary of some events. */
export function compacts(
  covers: readonly SeqRange[],
  more: { branch?: string; isolationScope?: string; supersedes?: readonly number[] } = {},
): EventInput {
  const content = { role: 'model' as const, parts: [{ text: 'They talked.' }] };
  return {
    author: 'system',
    actions: { compaction: { covers, content, trigger: 'manual', sourceHash: 'none', ...more } },
  };
}

/** A mark that compaction must keep events verbatim. */
export function pins(...seqs: number[]): EventInput {
  return { author: 'system', actions: { pin: { seqs } } };
}

/** The end of such a mark. */
export function unpins(...seqs: number[]): EventInput {
  return { author: 'system', actions: { unpin: { seqs } } };
}

/** A mark that the payload of events is shown cut. */
export function trims(...seqs: number[]): EventInput {
  return { author: 'system', actions: { trim: { seqs, keepChars: 10 } } };
}

/** A note that a request was made shorter, or that nothing could be folded. */
export function overflows(overflow: Overflow): EventInput {
  return { author: 'system', actions: { overflow } };
}
