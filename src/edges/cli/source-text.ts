import type { MemoryEntry } from '../../memory/service/index.ts';
import { oneLine } from './display/index.ts';

/** Where a memory comes from: `session #seq`, or what stated it directly. */
export function sourceText(memory: Pick<MemoryEntry, 'id' | 'provenance'>): string {
  const seqs = new Map<string, number[]>();
  const direct: string[] = [];
  for (const source of memory.provenance) {
    if (source.kind === 'direct') direct.push(`stated by ${source.source}`);
    else seqs.set(source.sessionId, [...(seqs.get(source.sessionId) ?? []), source.seq]);
  }
  const events = [...seqs].map(([session, numbers]) => `${session} ${numbers.map((seq) => `#${seq}`).join(' ')}`);
  return oneLine([...events, ...direct].join('; ')) || memory.id;
}
