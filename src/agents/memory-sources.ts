import type { EventInput, JsonMap, ProvenanceRef } from '../events/index.ts';
import { canonicalJson } from '../internal/index.ts';
import type { MemoryEntry } from '../memory/service/index.ts';
import { toldMemoryIds } from './tools/index.ts';

/** The most sources that one event names. */
const mostSources = 200;

/**
 * What an event that quotes memories says of them in its custom metadata: `memorySources`, where the quoted words come
 * from, so that an erasure of those sources finds the event. Nothing if there are none.
 */
export function sourcesMetadata(memories: Iterable<Pick<MemoryEntry, 'provenance'>>): JsonMap {
  const sources = new Map<string, ProvenanceRef>();
  for (const { provenance } of memories) for (const source of provenance) sources.set(canonicalJson(source), source);
  if (sources.size === 0) return {};
  return { memorySources: [...sources.values()].slice(0, mostSources).map((source) => ({ ...source })) };
}

/**
 * Events not stored yet, with the sources of what answers of load_memory in them quote. For loops that run their tools
 * themselves: what a memory's sources are is looked up by the ids that such an answer tells.
 */
export async function withMemorySources(
  events: readonly EventInput[],
  memoryOf: (id: string) => Promise<MemoryEntry | undefined>,
): Promise<readonly EventInput[]> {
  const marked: EventInput[] = [];
  for (const event of events) {
    const quoted: MemoryEntry[] = [];
    for (const id of quotedIds(event)) {
      const memory = await memoryOf(id);
      if (memory !== undefined) quoted.push(memory);
    }
    const sources = sourcesMetadata(quoted);
    const isMarked = Object.keys(sources).length > 0;
    marked.push(isMarked ? { ...event, customMetadata: { ...event.customMetadata, ...sources } } : event);
  }
  return marked;
}

function quotedIds({ content }: EventInput): readonly string[] {
  if (content === undefined || typeof content === 'string') return [];
  const ids = content.parts.flatMap(({ functionResponse }) =>
    functionResponse ? toldMemoryIds(functionResponse) : [],
  );
  return [...new Set(ids)].slice(0, mostSources);
}
