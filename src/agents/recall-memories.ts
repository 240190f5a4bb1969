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

/** What a recall is about: the newest of these events that is the user's and stands in their assembly. */
export interface RecallAbout {
  /** In order of seq. */
  readonly events: readonly Event[];
  readonly assembly: Pick<Assembly, 'sources'>;
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
  const query = textOf(newestOfUser(events, assembly)?.content);
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

/** So many contents are looked through first: the newest question stands below them in most conversations. */
const recentContents = 50;

/** What the user said last, of all that stands in the contents. */
function newestOfUser(events: readonly Event[], { sources }: Pick<Assembly, 'sources'>): Event | undefined {
  const newestIn = (some: Assembly['sources']) => {
    const seqs = new Set(some.flat());
    return events.findLast((event) => event.origin === 'user' && !isBookkeeping(event) && seqs.has(event.seq));
  };
  return newestIn(sources.slice(-recentContents)) ?? newestIn(sources);
}

/** Tells of a source whether it is an event that a fork has taken over, which the model sees in the fork's own log. */
function copiedInto({ forkedFrom }: SessionInfo, events: readonly Event[]): (source: ProvenanceRef) => boolean {
  if (forkedFrom === undefined) return () => false;
  const { atSeq, incarnation } = forkedFrom;
  const copied = new Map<number, string>();
  for (const { seq, id } of events) {
    if (seq > atSeq) break;
    copied.set(seq, id);
  }
  // Events that a summary stands for are not at hand; those of the session itself are known without.
  return (source) =>
    source.kind === 'event' &&
    (copied.get(source.seq) === source.eventId || (source.incarnation === incarnation && source.seq <= atSeq));
}
