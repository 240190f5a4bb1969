/** The one place that wires the parts: opening, the facade, ingestion, erasure and import across services. */
export type { CacheOption, CacheOptions } from './cache-option.ts';
export type { CompactionOption, CompactionSettings } from './compaction-option.ts';
export type { OpenOptions } from './open-options.ts';
export { openPalimpsest } from './open-palimpsest.ts';
export type {
  CompactRequest,
  ContextOptions,
  ContextRequest,
  FacadeAgentOptions,
  ImportResult,
  ImportSession,
  OpenSession,
  Palimpsest,
  PastRequest,
  User,
} from './palimpsest.ts';
export type {
  DeclaredState,
  GivenState,
  StateKey,
  StateKeys,
  StateKeysOf,
  StoredState,
} from './state-keys.ts';
