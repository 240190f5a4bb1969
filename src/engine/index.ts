/** The one place that wires the parts: opening, the facade, ingestion, erasure and import across services. */
export type { OpenOptions } from './open-options.ts';
export { openPalimpsest } from './open-palimpsest.ts';
export type {
  ContextOptions,
  ContextRequest,
  ImportResult,
  ImportSession,
  OpenSession,
  Palimpsest,
  RecallOptions,
  User,
} from './palimpsest.ts';
