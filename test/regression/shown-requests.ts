import { expect } from 'vitest';
import {
  type Assembly,
  assemble,
  buildRequest,
  type Event,
  type ModelRequest,
  type Part,
  type PartInput,
  type Provider,
  type View,
  validateRequest,
} from '../../src/index.ts';
import { buildLog, type LoggedInput } from '../logs/log-builder.ts';

/** All whose rules a request can keep. */
export const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];

type Written = Omit<LoggedInput, 'seq' | 'author' | 'content'>;

/** An event of a test's log: who says what, and what else there is to it. */
export type WrittenEvent = Omit<LoggedInput, 'seq'>;

/** An event; texts stand for parts. */
export function says(
  author: string,
  parts: string | readonly (string | PartInput)[],
  more: Written = {},
): WrittenEvent {
  const list = typeof parts === 'string' ? [parts] : parts;
  return {
    author,
    content: { parts: list.map((part) => (typeof part === 'string' ? { text: part } : part)) },
    ...more,
  };
}

/** A call of a tool. */
export function call(name: string, id?: string, args: object = {}): PartInput {
  return { functionCall: { name, ...(id === undefined ? {} : { id }), args: { ...args } } };
}

/** What a tool answers. */
export function answer(name: string, id: string | undefined, response: object): PartInput {
  return { functionResponse: { name, ...(id === undefined ? {} : { id }), response } };
}

/** Bookkeeping. */
export function notes(actions: NonNullable<LoggedInput['actions']>): WrittenEvent {
  return { author: 'system', actions };
}

/** A summary of events. */
export function summary(
  text: string,
  covers: readonly (readonly [number, number])[],
  more: { readonly supersedes?: readonly number[]; readonly branch?: string; readonly isolationScope?: string } = {},
): WrittenEvent {
  const content = { role: 'model' as const, parts: [{ text }] };
  return notes({ compaction: { covers, content, trigger: 'test', sourceHash: '', ...more } });
}

/** A log of events, seqs in order. Who names no invocation goes on with the one before; the user's words begin one. */
export function logged(...events: readonly WrittenEvent[]): readonly Event[] {
  let invocationId = 'i1';
  return buildLog(
    events.map((event, index) => {
      const seq = index + 1;
      const speaks = event.author === 'user' && JSON.stringify(event.content ?? '').includes('"text"');
      if (event.actions?.compaction ?? event.actions?.rewind ?? event.actions?.pin ?? event.actions?.trim)
        return { seq, invocationId: `b${seq}`, ...event };
      invocationId = event.invocationId ?? (speaks ? `i${seq}` : invocationId);
      return { seq, ...event, invocationId };
    }),
  );
}

/** A part in a few words. */
export function outlinePart(part: Part): string {
  const { functionCall, functionResponse, text } = part;
  if (functionCall !== undefined) return `call ${functionCall.name}(${JSON.stringify(functionCall.args ?? {})})`;
  if (functionResponse !== undefined) return `${functionResponse.name} -> ${JSON.stringify(functionResponse.response)}`;
  if (text !== undefined) return part.thought === true ? `(${text})` : text;
  if (part.inlineData !== undefined) return part.inlineData.mimeType;
  return part.executableCode?.code ?? part.codeExecutionResult?.output ?? 'signature';
}

/** All parts of a request, each with its side, whatever contents they are joined to. */
export function outlineOf({ contents }: Pick<ModelRequest, 'contents'>): string[] {
  return contents.flatMap(({ role, parts }) => parts.map((part) => `${role}: ${outlinePart(part)}`));
}

/** What became of an event, in a few words. */
function placed(assembly: Assembly, seq: number): string {
  const placement = assembly.placement(seq);
  switch (placement.outcome) {
    case 'masked':
      return `masked by ${placement.by}`;
    case 'merged':
      return `merged into ${placement.into}`;
    case 'hidden':
      return `hidden: ${placement.why}`;
    default:
      return placement.outcome;
  }
}

/** The request that a log gives with nothing around it. */
export function bareRequest(assembly: Assembly, provider: Provider): ModelRequest {
  return buildRequest({ instruction: [], tools: [], assembly, transient: [] }, provider);
}

/**
 * Expects of a log, for every provider, that the request is accepted, shows these parts in this order, and that each event
 * is placed so. What stands verbatim may be joined to its neighbour where roles must alternate.
 */
export function expectShown(
  log: readonly Event[],
  expected: { readonly parts: readonly string[]; readonly placed: readonly string[]; readonly view?: Partial<View> },
): void {
  for (const provider of providers) {
    const assembly = assemble(log, { agentName: 'assistant', history: 'full', ...expected.view, provider });
    const request = bareRequest(assembly, provider);
    expect(outlineOf(request), provider).toEqual(expected.parts);
    expect(validateRequest(request, provider), provider).toEqual([]);
    const found = log.map(({ seq }, index) => {
      const told = placed(assembly, seq);
      return told.startsWith('merged') && expected.placed[index] === 'verbatim' ? 'verbatim' : told;
    });
    expect(found, provider).toEqual(expected.placed);
  }
}
