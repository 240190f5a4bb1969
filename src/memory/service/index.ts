/** What past sessions bring: entries with provenance, found by keywords. One thick service over thin stores. */
export { analyze, queryTerms } from './analyzer.ts';
export { createMemoryService, type MemoryServiceOptions } from './create-memory-service.ts';
export { createInMemoryMemoryStore } from './in-memory-store.ts';
export {
  decodeEntry,
  encodeEntry,
  type MemoryEntry,
  type MemoryKind,
  type NewMemory,
  type SourceTrust,
} from './memory-entry.ts';
export type {
  Ingestion,
  MemoryFilter,
  MemoryListOptions,
  MemorySelector,
  MemoryService,
  SearchRequest,
  SearchResponse,
  SessionSource,
} from './memory-service.ts';
export type {
  EntryQuery,
  MemoryCommit,
  MemoryStore,
  Owner,
  OwnerHead,
  Partition,
  PartitionChange,
  PartitionFigures,
  PartitionKey,
  PostingBlock,
  PostingChange,
  SourceHead,
  SourceKey,
  StoredEntry,
  TurnPlace,
  TurnWindow,
} from './memory-store.ts';
export { blockOfBytes, bytesOfBlock, withoutOffsets } from './posting.ts';
