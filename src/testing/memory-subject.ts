import { type Event, type Ingestion, type MemoryService, modelText, noActions, type Scope, text } from '../index.ts';
import type { LawSubject } from './conformance.ts';

/** A memory service on fresh data, and a second one on the same data. */
export interface MemorySubject extends LawSubject {
  readonly memory: MemoryService;
  readonly second: MemoryService;
}

/** The user whom most checks are about. */
export const u1 = { appName: 'app', userId: 'u1' };

/** A project of that user. */
export const alpha = { ...u1, projectId: 'alpha' };

/** Another project of that user. */
export const beta = { ...u1, projectId: 'beta' };

/** One life of a session of that user. */
export const source = { ...u1, sessionId: 's1', incarnation: 'i1' };

/** An event as a log would give it. */
export function eventAt(seq: number, said: string, more: Partial<Event> = {}): Event {
  const timestamp = new Date(1_760_000_000_000 + seq * 1000).toISOString();
  const content = more.origin === 'agent' ? modelText(said) : text(said);
  return {
    ...{ seq, id: `e${seq}`, invocationId: 'v1', author: 'user', origin: 'user', timestamp, recordedAt: timestamp },
    ...{ content, actions: noActions, ...more },
  };
}

/** The same, said by an agent as its final answer. */
export function answerAt(seq: number, author: string, said: string, more: Partial<Event> = {}): Event {
  return eventAt(seq, said, { author, origin: 'agent', ...more });
}

/** A step along the log of the source, from a watermark to the last of the events. */
export function step(fromSeq: number, events: readonly Event[], more: Partial<Ingestion> = {}): Ingestion {
  return { source, fromSeq, toSeq: Math.max(fromSeq, ...events.map(({ seq }) => seq)), events, ...more };
}

/** The texts that a search finds, best first. */
export async function texts(memory: MemoryService, scope: Scope, query: string): Promise<readonly string[]> {
  return (await memory.search({ scope, query, limit: 100 })).memories.map((entry) => entry.text);
}
