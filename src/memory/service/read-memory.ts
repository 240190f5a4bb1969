import { PalimpsestError } from '../../errors/index.ts';
import {
  type CopyReport,
  copyJson,
  copyJsonMap,
  copyText,
  type Instant,
  isPlainObject,
  type ProvenanceRef,
  parseId,
  parseInstant,
  parseTimeZone,
} from '../../events/index.ts';
import { canonicalJson } from '../../internal/index.ts';
import { type MemoryEntry, memoryKinds, sourceTrusts } from './memory-entry.ts';
import type { PartitionKey } from './memory-store.ts';

/** The longest text of a memory that is added, in UTF-16 code units. */
export const longestText = 65_536;

/** A checked, frozen memory that waits for its id and time. */
export type MemoryDraft = Omit<MemoryEntry, 'id' | 'timestamp' | 'recordedAt' | 'provenance' | 'revision'> & {
  readonly id?: string;
  readonly timestamp?: Instant;
  readonly provenance?: readonly ProvenanceRef[];
};

type FieldReader = (value: unknown, path: string, report: CopyReport) => unknown;

/**
 * Checks what a caller adds and copies it, deep-frozen. `path` is what errors start with. Throws INVALID_ARGUMENT,
 * INVALID_ID or NOT_JSON naming the field.
 */
export function readMemory(value: unknown, path: string): MemoryDraft {
  if (!isPlainObject(value)) throw bad(path, 'must be an object');
  const report: CopyReport = { replacedSurrogates: 0, size: 0 };
  const draft: Record<string, unknown> = { text: readStatement(value.text, `${path}.text`, report) };
  for (const name of Object.keys(value)) {
    if (value[name] === undefined || name === 'text') continue;
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) throw bad(`${path}.${name}`, 'is no known field; put what is your own into customMetadata');
    draft[name] = read(value[name], `${path}.${name}`, report);
  }
  draft.kind ??= 'fact';
  draft.author ??= 'user';
  draft.sourceTrust ??= draft.author === 'user' ? 'userStated' : 'agent';
  // The readers are the proof that each field has the type that MemoryDraft declares.
  return draft as object as MemoryDraft;
}

/** The entry that a draft becomes. */
export function placeMemory(
  draft: MemoryDraft,
  placed: { readonly id: string; readonly at: Instant; readonly partition: PartitionKey },
): MemoryEntry {
  const { id, at, partition } = placed;
  const direct: readonly ProvenanceRef[] = Object.freeze([Object.freeze({ kind: 'direct', source: 'api', id, at })]);
  return Object.freeze({
    ...draft,
    ...partition,
    id,
    timestamp: draft.timestamp ?? at,
    recordedAt: at,
    provenance: draft.provenance ?? direct,
    revision: 1,
  });
}

/** True if adding the draft again would say what the stored entry says. */
export function saysTheSame(draft: MemoryDraft, stored: MemoryEntry, partition: PartitionKey): boolean {
  const again = placeMemory(draft, { id: stored.id, at: stored.recordedAt, partition });
  const sources = draft.provenance === undefined ? stored.provenance : again.provenance;
  return canonicalJson({ ...again, provenance: sources }) === canonicalJson({ ...stored, revision: 1 });
}

function readStatement(value: unknown, path: string, report: CopyReport): string {
  if (typeof value !== 'string') throw bad(path, 'must be a text');
  if (value.trim() === '') throw bad(path, 'is blank; give a statement');
  if (value.length > longestText) {
    throw bad(path, `is ${value.length} UTF-16 code units long, the limit is ${longestText}; split it into statements`);
  }
  return copyText(value, report, path);
}

function oneOf(values: readonly string[]): FieldReader {
  return (value, path) => {
    if (typeof value === 'string' && values.includes(value)) return value;
    throw bad(path, `must be one of ${values.join(', ')}`);
  };
}

const readShare: FieldReader = (value, path) => {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value === 0 ? 0 : value;
  throw bad(path, 'must be a number from 0 to 1');
};

const readLabels: FieldReader = (value, path) => {
  if (!Array.isArray(value)) throw bad(path, 'must be a list of labels');
  return Object.freeze([...new Set(value.map((label: unknown, index) => parseId(label, `${path}[${index}]`)))]);
};

const readProvenance: FieldReader = (value, path) => {
  if (!Array.isArray(value) || value.length === 0) throw bad(path, 'must be a list of at least one source');
  return Object.freeze(value.map((ref: unknown, index) => Object.freeze(readRef(ref, `${path}[${index}]`))));
};

function readRef(ref: unknown, path: string): ProvenanceRef {
  if (isPlainObject(ref) && ref.kind === 'event') {
    const seq = ref.seq;
    if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) throw bad(`${path}.seq`, 'must be a seq');
    return {
      kind: 'event',
      sessionId: parseId(ref.sessionId, `${path}.sessionId`),
      incarnation: parseId(ref.incarnation, `${path}.incarnation`),
      seq,
      eventId: parseId(ref.eventId, `${path}.eventId`),
    };
  }
  if (isPlainObject(ref) && ref.kind === 'direct') {
    return {
      kind: 'direct',
      source: parseId(ref.source, `${path}.source`),
      id: parseId(ref.id, `${path}.id`),
      at: parseInstant(ref.at, `${path}.at`),
    };
  }
  throw bad(path, 'must be { kind: "event", … } or { kind: "direct", … }');
}

const readers: Readonly<Record<string, FieldReader>> = {
  id: parseId,
  kind: oneOf(memoryKinds),
  author: parseId,
  topic: parseId,
  labels: readLabels,
  data: copyJson,
  customMetadata: copyJsonMap,
  timestamp: parseInstant,
  timeZone: parseTimeZone,
  provenance: readProvenance,
  sourceTrust: oneOf(sourceTrusts),
  confidence: readShare,
  importance: readShare,
  expiresAt: parseInstant,
};

/** The error for an argument that is not as it must be. */
export function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
