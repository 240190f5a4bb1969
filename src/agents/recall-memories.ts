import type { Assembly } from '../context/assembly/index.ts';
import { type Event, isBookkeeping, type ProvenanceRef, textOf } from '../events/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import type { SessionInfo } from '../sessions/index.ts';
import type { RecallOptions } from './invocation-driver.ts';

/** Of what scores less than this part of the best, nothing bears on the question. */
const weakestShare = 0.25;

/** As many memories as a search gives unless it is told otherwise. */
const defaultLimit = 10;
/** So many more are asked for, since the same question may have been asked before. */
const room = 10;

/** What a recall is about: the newest question among these events that is not hidden in their assembly. */
export interface RecallAbout {
  readonly events: readonly Event[];
  readonly assembly: Pick<Assembly, 'placement'>;
  /** Default true. */
  readonly recall?: boolean | RecallOptions;
  readonly signal?: AbortSignal;
}

/**
 * Memories of other sessions that bear on the newest question of this one, best first. What a fork has copied counts as
 * its own, and the same question asked before answers nothing.
 */
export async function recallMemories(
  memory: MemoryService,
  session: SessionInfo,
  about: RecallAbout,
): Promise<readonly MemoryEntry[]> {
  const { events, assembly, recall = true, signal } = about;
  if (recall === false) return [];
  const newest = events.findLast(
    (event) => event.origin === 'user' && !isBookkeeping(event) && assembly.placement(event.seq).outcome !== 'hidden',
  );
  const query = textOf(newest?.content);
  if (query.trim() === '') return [];
  const { appName, userId, sessionId } = session.key;
  const { limit = defaultLimit, ...limits } = recall === true ? {} : recall;
  const found = await memory.search({
    ...limits,
    limit: limit > 0 ? limit + room : limit,
    scope: { appName, userId, ...(session.projectId === undefined ? {} : { projectId: session.projectId }) },
    query,
    filter: { notSessions: [sessionId] },
    ...(signal ? { signal } : {}),
  });
  const asked = wordsOf(query);
  const memories = found.memories.filter(({ text }) => wordsOf(text) !== asked);
  const isCopied = copiedInto(session, events);
  const weakest = weakestShare * (memories[0]?.score ?? 0);
  return memories
    .filter(({ provenance, score = 0 }) => score >= weakest && !provenance.every(isCopied))
    .slice(0, limit);
}

/** A text without what does not change its meaning: case, forms of letters, punctuation. */
function wordsOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Tells of a source whether it is an event that a fork has taken over, which the model sees in the fork's own log. */
function copiedInto({ forkedFrom }: SessionInfo, events: readonly Event[]): (source: ProvenanceRef) => boolean {
  const last = forkedFrom?.atSeq ?? 0;
  const copied = new Map<number, string>();
  for (const { seq, id } of events) {
    if (seq > last) break;
    copied.set(seq, id);
  }
  return (source) => source.kind === 'event' && copied.get(source.seq) === source.eventId;
}
