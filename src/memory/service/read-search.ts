import { isPlainObject, parseId, parseInstant, toMillis } from '../../events/index.ts';
import type { MemoryEntry } from './memory-entry.ts';
import { memoryKinds } from './memory-entry.ts';
import { type MemoryScope, readScope } from './memory-scope.ts';
import type { SearchRequest } from './memory-service.ts';
import { bad } from './read-memory.ts';

/** The most memories that one search returns. */
export const maxLimit = 100;
const defaultLimit = 10;

/** A checked filter, ready to be asked about many entries. */
interface ReadyFilter {
  readonly kinds?: ReadonlySet<string>;
  readonly authors?: ReadonlySet<string>;
  readonly labels?: ReadonlySet<string>;
  readonly topics?: ReadonlySet<string>;
  readonly sessions?: ReadonlySet<string>;
  readonly notSessions?: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  readonly after?: number;
  readonly before?: number;
}

/** A checked search. */
export interface SearchPlan {
  readonly scope: MemoryScope;
  readonly query: string;
  readonly limit: number;
  /** Whether more was asked for than a search returns. */
  readonly capped: boolean;
  readonly tokenBudget?: number;
  readonly minScore: number;
  readonly projectOnly: boolean;
  readonly filter: ReadyFilter;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal?: AbortSignal;
}

const searchFields: ReadonlySet<string> = new Set<keyof SearchRequest>([
  'scope',
  'query',
  'limit',
  'tokenBudget',
  'minScore',
  'projectOnly',
  'filter',
  'signal',
]);

/** Checks a search. Throws INVALID_ARGUMENT or INVALID_ID naming the field. */
export function readSearch(request: SearchRequest, now: number): SearchPlan {
  const scope = readScope(request?.scope);
  const unknown = Object.keys(request).find((name) => !searchFields.has(name));
  if (unknown !== undefined) throw bad(unknown, 'is no known option of a search');
  const { query, limit = defaultLimit, tokenBudget, minScore = 0, projectOnly = false, filter = {}, signal } = request;
  if (typeof query !== 'string') throw bad('query', 'must be a text');
  requireCount(limit, 'limit');
  if (tokenBudget !== undefined) requireCount(tokenBudget, 'tokenBudget');
  if (typeof minScore !== 'number' || !(minScore >= 0 && minScore <= 1))
    throw bad('minScore', 'must be a number from 0 to 1');
  if (typeof projectOnly !== 'boolean') throw bad('projectOnly', 'must be true or false');
  if (projectOnly && scope.home.projectId === undefined) throw bad('projectOnly', 'needs a scope with a projectId');
  return {
    scope,
    query,
    limit: Math.min(limit, maxLimit),
    capped: limit > maxLimit,
    ...(tokenBudget !== undefined && { tokenBudget }),
    minScore,
    projectOnly,
    filter: readFilter(filter),
    now,
    ...(signal && { signal }),
  };
}

/** True if an entry is still valid and has what the filter of the plan asks for. */
export function passesFilter(entry: MemoryEntry, { filter, now }: Pick<SearchPlan, 'filter' | 'now'>): boolean {
  if (isExpired(entry, now)) return false;
  const { kinds, authors, labels, topics, sessions, notSessions, after, before } = filter;
  return (
    (kinds === undefined || kinds.has(entry.kind)) &&
    (authors === undefined || authors.has(entry.author)) &&
    (topics === undefined || (entry.topic !== undefined && topics.has(entry.topic))) &&
    (labels === undefined || (entry.labels?.some((label) => labels.has(label)) ?? false)) &&
    (sessions === undefined || (entry.sessionId !== undefined && sessions.has(entry.sessionId))) &&
    (notSessions === undefined || entry.sessionId === undefined || !notSessions.has(entry.sessionId)) &&
    (after === undefined || toMillis(entry.timestamp) >= after) &&
    (before === undefined || toMillis(entry.timestamp) < before)
  );
}

/** True from the moment on that an entry expires. */
export function isExpired(entry: MemoryEntry, now: number): boolean {
  return entry.expiresAt !== undefined && toMillis(entry.expiresAt) <= now;
}

function readFilter(filter: NonNullable<SearchRequest['filter']>): ReadyFilter {
  if (!isPlainObject(filter)) throw bad('filter', 'must be an object');
  const ready: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined) continue;
    if (name === 'after' || name === 'before') ready[name] = toMillis(parseInstant(value, `filter.${name}`));
    else if (listFilters.has(name)) ready[name] = readList(value, `filter.${name}`);
    else throw bad(`filter.${name}`, 'is no known filter');
  }
  const unknownKind = [...(ready.kinds instanceof Set ? ready.kinds : [])].find((kind) => !memoryKinds.includes(kind));
  if (unknownKind !== undefined) throw bad('filter.kinds', `must be among ${memoryKinds.join(', ')}`);
  return ready as ReadyFilter;
}

const listFilters: ReadonlySet<string> = new Set(['kinds', 'authors', 'labels', 'topics', 'sessions', 'notSessions']);

function readList(value: unknown, path: string): ReadonlySet<string> {
  if (!Array.isArray(value)) throw bad(path, 'must be a list');
  return new Set(value.map((item: unknown, index) => parseId(item, `${path}[${index}]`)));
}

/** Checks that a number counts something. */
export function requireCount(value: unknown, argument: string): asserts value is number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw bad(argument, 'must be a whole number, 0 or more');
  }
}
