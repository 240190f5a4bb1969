import { type Event, isBookkeeping, isFinal, type ProvenanceRef, textOf } from '../../events/index.ts';
import { canonicalJson, sha256 } from '../../internal/index.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { SessionSource } from './memory-service.ts';

/**
 * The entry that an event of a log becomes, word for word, or `undefined`: only what a user or, as a final answer, an
 * agent said outside of sealed conversations is learnt; thoughts, tool payloads and bookkeeping are not. The id
 * follows from the event, so that learning it again makes the same entry.
 */
export function turnOf(event: Event, source: SessionSource): MemoryEntry | undefined {
  const said = event.origin === 'user' || (event.origin === 'agent' && isFinal(event));
  if (!said || event.isolationScope !== undefined || isBookkeeping(event)) return undefined;
  const text = textOf(event.content);
  if (text.trim() === '') return undefined;
  const { appName, userId, projectId, sessionId, incarnation } = source;
  const from: ProvenanceRef = { kind: 'event', sessionId, incarnation, seq: event.seq, eventId: event.id };
  return Object.freeze({
    id: sha256(canonicalJson([appName, userId, incarnation, event.seq])).slice(0, 32),
    text,
    kind: 'turn',
    author: event.author,
    timestamp: event.timestamp,
    recordedAt: event.recordedAt,
    ...(event.timeZone === undefined ? {} : { timeZone: event.timeZone }),
    sessionId,
    ...(projectId === undefined ? {} : { projectId }),
    provenance: Object.freeze([Object.freeze(from)]),
    sourceTrust: event.origin === 'user' ? 'userStated' : 'agent',
    revision: 1,
  });
}
