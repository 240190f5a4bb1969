import { type Event, type EventInput, foldCoverage, isBookkeeping, type PartInput } from '../../events/index.ts';
import type { FoldWindow } from './fold-window.ts';
import type { FoldOutcome, FoldPlan } from './plan-fold.ts';

/** An event as a test writes it, with its place in the log and its tokens. */
type Sample = EventInput & { readonly seq: number; readonly tokens?: { readonly n: number; readonly by: string } };

/** For tests: the window of a log in which everything was read, covered events too. */
export function windowOf(events: readonly Event[]): FoldWindow {
  return { events, coverage: foldCoverage(events.filter(isBookkeeping)), version: events.at(-1)?.seq ?? 0 };
}

/** For tests: the user says something, which begins invocation `i…` of that number. */
export function asked(seq: number, invocation: number, more: Partial<Sample> = {}): Sample {
  return {
    seq,
    author: 'user',
    content: `问题 ${invocation}：去东京的火车？🚄`,
    invocationId: `i${invocation}`,
    ...more,
  };
}

/** For tests: the agent answers in that invocation. */
export function told(seq: number, invocation: number, more: Partial<Sample> = {}): Sample {
  const content = `第 ${invocation} 趟在九点开。`;
  return { seq, author: 'assistant', content, invocationId: `i${invocation}`, ...more };
}

/** For tests: the agent calls tools, by call id. */
export function called(seq: number, invocation: number, ids: readonly string[], more: Partial<Sample> = {}): Sample {
  const parts = ids.map((id): PartInput => ({ functionCall: { id, name: 'look_up', args: { 问: id } } }));
  return { seq, author: 'assistant', content: { parts }, invocationId: `i${invocation}`, ...more };
}

/** For tests: a tool answers a call. */
export function returned(seq: number, invocation: number, id: string, more: Partial<Sample> = {}): Sample {
  const parts: PartInput[] = [{ functionResponse: { id, name: 'look_up', response: { 结果: `${id} 好` } } }];
  return { seq, author: 'assistant', content: { parts }, invocationId: `i${invocation}`, ...more };
}

/** For tests: bookkeeping of the library. */
export function noted(seq: number, actions: NonNullable<EventInput['actions']>): Sample {
  return { seq, author: 'system', actions, invocationId: `note${seq}` };
}

/** For tests: a summary in force. */
export function summed(seq: number, covers: readonly (readonly [number, number])[], text = '他们谈过火车。'): Sample {
  return noted(seq, {
    compaction: { covers, content: { role: 'model', parts: [{ text }] }, trigger: 't', sourceHash: '' },
  });
}

/** For tests: seqs of the events that an outcome folds, none if it is no plan. */
export function foldedSeqs(outcome: FoldOutcome): readonly number[] {
  return outcome.status === 'plan' ? outcome.plan.events.map(({ seq }) => seq) : [];
}

/** For tests: the plan of an outcome that is one. */
export function planIn(outcome: FoldOutcome): FoldPlan | undefined {
  return outcome.status === 'plan' ? outcome.plan : undefined;
}
