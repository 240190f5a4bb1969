import { PalimpsestError } from '../../errors/index.ts';
import type { Page, Scope } from '../../events/index.ts';
import { parseId, toMillis } from '../../events/index.ts';
import { type Clock, decodeCursor, encodeCursor, systemClock } from '../../internal/index.ts';
import { addMemories } from './add-memories.ts';
import { deleteMemories } from './delete-memories.ts';
import { ingestSession, readSource } from './ingest-session.ts';
import type { MemoryEntry, NewMemory } from './memory-entry.ts';
import { readScope, sees, visiblePartitions } from './memory-scope.ts';
import type {
  Ingestion,
  MemoryListOptions,
  MemorySelector,
  MemoryService,
  SearchRequest,
  SearchResponse,
  SessionSource,
} from './memory-service.ts';
import type { EntryQuery, MemoryStore, StoredEntry } from './memory-store.ts';
import { bad } from './read-memory.ts';
import { isExpired, readSearch } from './read-search.ts';
import { searchMemory } from './search-memory.ts';

/** What a memory service is made of. */
export interface MemoryServiceOptions {
  readonly store: MemoryStore;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/** Makes the memory service over a store: the one place where its rules are. */
export function createMemoryService(options: MemoryServiceOptions): MemoryService {
  return new KeywordMemoryService(options);
}

const capabilities: ReadonlySet<string> = new Set(['keyword', 'project', 'session']);
const defaultPage = 50;
const largestPage = 1000;

class KeywordMemoryService implements MemoryService {
  readonly name: string;
  readonly #store: MemoryStore;
  readonly #clock: Clock;
  #open = true;

  constructor({ store, clock = systemClock }: MemoryServiceOptions) {
    this.name = store.name;
    this.#store = store;
    this.#clock = clock;
  }

  capabilities(): ReadonlySet<string> {
    return capabilities;
  }

  async add(scope: Scope, memories: readonly NewMemory[]): Promise<readonly MemoryEntry[]> {
    this.#refuseClosed();
    return addMemories(this.#store, this.#clock, { scope: readScope(scope), memories });
  }

  async search(request: SearchRequest): Promise<SearchResponse> {
    this.#refuseClosed();
    const started = performance.now();
    const found = await searchMemory(this.#store, readSearch(request, this.#clock.now()));
    return { ...found, mode: 'keyword', degraded: [], tookMs: performance.now() - started };
  }

  async get(scope: Scope, id: string): Promise<MemoryEntry | undefined> {
    this.#refuseClosed();
    const { owner, home } = readScope(scope);
    const [stored] = await this.#store.entries(owner, { by: 'id', ids: [parseId(id, 'id')] });
    if (stored === undefined || !sees(home, stored.partition)) return undefined;
    return isExpired(stored.entry, this.#clock.now()) ? undefined : stored.entry;
  }

  async list(scope: Scope, page: MemoryListOptions = {}): Promise<Page<MemoryEntry>> {
    this.#refuseClosed();
    const { owner, home } = readScope(scope);
    if (typeof page !== 'object' || page === null) throw bad('page', 'must be an object');
    const limit = readPageLimit(page.limit);
    const after = page.cursor === undefined ? undefined : readCursor(page.cursor);
    const head = await this.#store.head(owner, visiblePartitions(home));
    if (head === undefined || head.partitions.length === 0) return { items: [] };
    const partitions = head.partitions.map(({ no }) => no);
    const query: EntryQuery = { by: 'newest', partitions, limit: limit + 1, ...(after && { after }) };
    const stored = await this.#store.entries(owner, query);
    const shown = stored.slice(0, limit);
    const last = shown.at(-1);
    const now = this.#clock.now();
    const items = shown.map(({ entry }) => entry).filter((entry) => !isExpired(entry, now));
    return stored.length > limit && last ? { items, nextCursor: cursorAt(last) } : { items };
  }

  async delete(scope: Scope, selector: MemorySelector): Promise<number> {
    this.#refuseClosed();
    if (typeof selector !== 'object' || selector === null) throw bad('selector', 'must be an object');
    return deleteMemories(this.#store, readScope(scope), selector);
  }

  async watermark(source: SessionSource): Promise<number | undefined> {
    this.#refuseClosed();
    const { appName, userId, sessionId, incarnation } = readSource(source);
    return (await this.#store.source({ appName, userId }, { sessionId, incarnation }))?.seq;
  }

  async ingest(ingestion: Ingestion): Promise<{ readonly added: number; readonly removed: number }> {
    this.#refuseClosed();
    return ingestSession(this.#store, ingestion);
  }

  async healthCheck(): Promise<void> {
    this.#refuseClosed();
    await this.#store.health();
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#store.close();
  }

  #refuseClosed(): void {
    if (!this.#open) throw new PalimpsestError('CLOSED', { what: 'The memory service' });
  }
}

function readPageLimit(limit: number = defaultPage): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= largestPage) return limit;
  throw bad('limit', `must be a whole number from 1 to ${largestPage}`);
}

function cursorAt(stored: StoredEntry): string {
  return encodeCursor([toMillis(stored.entry.timestamp), stored.place]);
}

function readCursor(cursor: string): { readonly timestamp: number; readonly place: number } {
  const [timestamp, place, more] = (typeof cursor === 'string' ? decodeCursor(cursor) : undefined) ?? [];
  if (typeof timestamp !== 'number' || typeof place !== 'number' || more !== undefined) {
    throw bad('cursor', 'is none that list returned');
  }
  return { timestamp, place };
}
