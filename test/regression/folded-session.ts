import { expect } from 'vitest';
import {
  assemble,
  type Event,
  type EventInput,
  foldCoverage,
  isBookkeeping,
  type ModelCall,
  type View,
  validateRequest,
} from '../../src/index.ts';
import type { SessionToFold } from '../context/open-compaction.ts';
import { bareRequest, outlineOf, providers, says } from './shown-requests.ts';

/** A summary that is taken whatever it stands for. */
export const shortSummary = '他们谈过一些事。';

/** Appends whole invocations, `i…` of these numbers: a question and an answer each. */
export async function converse(
  { service, key }: SessionToFold,
  { from, to, answer = {} }: { readonly from: number; readonly to: number; readonly answer?: Partial<EventInput> },
): Promise<void> {
  for (let number = from; number <= to; number++) {
    const invocationId = `i${number}`;
    const question = { ...says('user', `问题 ${number}：下一班去东京的车几点开？🚄`), invocationId };
    const reply = { ...says('assistant', `答复 ${number}：九点四十分。`), invocationId, ...answer };
    await service.append(key, [question, reply]);
  }
}

/** Appends events one by one, all of one invocation. */
export async function append(
  { service, key }: SessionToFold,
  invocationId: string,
  events: readonly EventInput[],
): Promise<void> {
  for (const event of events) await service.append(key, [{ invocationId, ...event }]);
}

/** The text that a summariser was given. */
export function givenTo({ request }: ModelCall): string {
  return request.contents.flatMap(({ parts }) => parts.map(({ text = '' }) => text)).join('\n');
}

/** Whether a model is asked for a summary, in whichever way, and not for an answer. */
export function asksForSummary({ request }: ModelCall): boolean {
  return JSON.stringify([request.instruction, request.contents.at(-1)]).includes('in the language of the conversation');
}

/** A section of that text, by its name; empty if it has none. */
export function sectionOf(text: string, name: string): string {
  const [, section = ''] =
    new RegExp(`^\\[fence-\\w+ ${name}\\]\\n([\\s\\S]*?)^\\[fence-\\w+ end\\]`, 'm').exec(text) ?? [];
  return section;
}

/** What a request of this log shows, the same to all providers, each of which would accept it. */
export function shownOf(log: readonly Event[], view: Partial<View> = {}): readonly string[] {
  const shown = providers.map((provider) => {
    const request = bareRequest(
      assemble(log, { agentName: 'assistant', history: 'full', ...view, provider }),
      provider,
    );
    expect(validateRequest(request, provider), provider).toEqual([]);
    return outlineOf(request);
  });
  for (const other of shown) expect(other).toEqual(shown[0]);
  return shown[0] ?? [];
}

/** Expects that whatever is live and says something stands in a request, or is named by exactly one summary in force. */
export function expectWhole(log: readonly Event[], view: Partial<View> = {}): void {
  const coverage = foldCoverage(log.filter(isBookkeeping));
  const { placement } = assemble(log, { agentName: 'assistant', history: 'full', ...view, provider: 'anthropic' });
  for (const { seq, content } of log.filter((event) => !isBookkeeping(event) && coverage.isLive(event.seq))) {
    const by = coverage.summaries.filter(({ compaction }) =>
      compaction.covers.some(([start, end]) => start <= seq && seq <= end),
    );
    const { outcome } = placement(seq);
    if (by.length > 0) expect([by.length, seq, outcome]).toEqual([1, seq, 'masked']);
    else if (content !== undefined)
      expect([seq, outcome]).toEqual([seq, expect.stringMatching(/^(verbatim|narrated|merged)$/)]);
  }
}
