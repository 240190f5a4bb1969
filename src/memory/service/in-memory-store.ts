import { rangeAt, toMillis } from '../../events/index.ts';
import { partitionName } from './memory-scope.ts';
import type {
  EntryQuery,
  MemoryCommit,
  MemoryStore,
  Owner,
  OwnerHead,
  Partition,
  PartitionChange,
  PartitionKey,
  PostingBlock,
  SourceHead,
  SourceKey,
  StoredEntry,
  TurnPlace,
  TurnWindow,
} from './memory-store.ts';
import { withoutOffsets } from './posting.ts';

type Postings = Map<string, Map<number, Uint32Array>>;

interface OwnerData {
  readonly partitions: Map<string, Partition>;
  readonly byId: Map<string, StoredEntry>;
  /** Every passage, to the entry that it belongs to. */
  readonly byPassage: Map<number, StoredEntry>;
  readonly sources: Map<string, SourceHead>;
  /** Turns of a source by their number. */
  readonly turns: Map<string, Map<number, StoredEntry>>;
  stamp: number;
  nextPassage: number;
}

/** A memory store that ends with the process. */
export function createInMemoryMemoryStore(): MemoryStore {
  return new InMemoryMemoryStore();
}

class InMemoryMemoryStore implements MemoryStore {
  readonly name = 'in-memory';
  readonly #owners = new Map<string, OwnerData>();
  /** By number of the partition. */
  readonly #postings = new Map<number, Postings>();
  #partitionsMade = 0;
  #commits = 0;

  async head(owner: Owner, keys?: readonly PartitionKey[]): Promise<OwnerHead | undefined> {
    const data = this.#owners.get(ownerName(owner));
    if (data === undefined) return undefined;
    const wanted = keys?.flatMap((key) => data.partitions.get(partitionName(key)) ?? []);
    const partitions = wanted ?? [...data.partitions.values()];
    return { stamp: data.stamp, nextPassage: data.nextPassage, partitions };
  }

  async source(owner: Owner, source: SourceKey): Promise<SourceHead | undefined> {
    return this.#owners.get(ownerName(owner))?.sources.get(sourceName(source));
  }

  async entries(owner: Owner, query: EntryQuery): Promise<readonly StoredEntry[]> {
    const data = this.#owners.get(ownerName(owner));
    return data === undefined ? [] : findEntries(data, query);
  }

  async turns(owner: Owner, windows: readonly TurnWindow[]): Promise<readonly TurnPlace[]> {
    const data = this.#owners.get(ownerName(owner));
    return windows.flatMap(({ source, from, to }) => {
      const turns = data?.turns.get(sourceName(source));
      const places: TurnPlace[] = [];
      for (let number = from; number <= to; number++) {
        const stored = turns?.get(number);
        if (stored !== undefined) places.push({ source, number, place: stored.place, passages: stored.passages });
      }
      return places;
    });
  }

  async postings(
    partitions: readonly number[],
    terms: readonly string[],
  ): Promise<readonly (readonly PostingBlock[])[]> {
    return terms.map((term) =>
      partitions.flatMap((no): PostingBlock[] =>
        Array.from(this.#postings.get(no)?.get(term) ?? [], ([block, postings]) => ({ block, postings })),
      ),
    );
  }

  async commit(commit: MemoryCommit): Promise<'committed' | 'moved'> {
    const name = ownerName(commit.owner);
    const known = this.#owners.get(name);
    if (known?.stamp !== commit.expectedStamp) return 'moved';
    const data = known ?? newOwner();
    this.#owners.set(name, data);
    data.stamp = ++this.#commits;
    data.nextPassage = commit.nextPassage;
    for (const change of commit.partitions) this.#changePartition(data, change);
    const { source, forget = [] } = commit;
    if (source !== undefined) data.sources.set(sourceName(source), source);
    for (const gone of forget) data.sources.delete(sourceName(gone));
    if (data.partitions.size === 0 && data.sources.size === 0) this.#owners.delete(name);
    return 'committed';
  }

  health(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#owners.clear();
    this.#postings.clear();
  }

  #changePartition(data: OwnerData, change: PartitionChange): void {
    const name = partitionName(change.key);
    const no = data.partitions.get(name)?.no ?? ++this.#partitionsMade;
    if (change.clear) {
      for (const stored of data.byId.values()) if (partitionName(stored.partition) === name) dropEntry(data, stored);
      this.#postings.delete(no);
    }
    for (const stored of change.remove) dropEntry(data, stored);
    for (const { new: stored } of change.replace) keepEntry(data, stored);
    for (const stored of change.add) keepEntry(data, stored);
    if (change.figures.entries === 0) {
      data.partitions.delete(name);
      this.#postings.delete(no);
      return;
    }
    data.partitions.set(name, { ...change.figures, key: change.key, no });
    const lists: Postings = this.#postings.get(no) ?? new Map();
    this.#postings.set(no, lists);
    changePostings(lists, change);
  }
}

function newOwner(): OwnerData {
  return {
    partitions: new Map(),
    byId: new Map(),
    byPassage: new Map(),
    sources: new Map(),
    turns: new Map(),
    stamp: 0,
    nextPassage: 0,
  };
}

function keepEntry(data: OwnerData, stored: StoredEntry): void {
  data.byId.set(stored.entry.id, stored);
  for (let index = 0; index < stored.passages; index++) data.byPassage.set(stored.place + index, stored);
  if (stored.turn === undefined) return;
  const name = sourceName(stored.turn.source);
  const turns = data.turns.get(name) ?? new Map();
  data.turns.set(name, turns.set(stored.turn.number, stored));
}

function dropEntry(data: OwnerData, stored: StoredEntry): void {
  data.byId.delete(stored.entry.id);
  for (let index = 0; index < stored.passages; index++) data.byPassage.delete(stored.place + index);
  if (stored.turn === undefined) return;
  const name = sourceName(stored.turn.source);
  const turns = data.turns.get(name);
  turns?.delete(stored.turn.number);
  if (turns?.size === 0) data.turns.delete(name);
}

function changePostings(lists: Postings, change: PartitionChange): void {
  for (const { term, block, add, dropOffsets } of change.postings) {
    const blocks = lists.get(term) ?? new Map<number, Uint32Array>();
    const old = withoutOffsets(blocks.get(block) ?? new Uint32Array(), dropOffsets);
    const list = new Uint32Array(old.length + add.length);
    list.set(old);
    list.set(add, old.length);
    if (list.length > 0) blocks.set(block, list);
    else blocks.delete(block);
    if (blocks.size > 0) lists.set(term, blocks);
    else lists.delete(term);
  }
}

function findEntries(data: OwnerData, query: EntryQuery): readonly StoredEntry[] {
  switch (query.by) {
    case 'id':
      return query.ids.flatMap((id) => data.byId.get(id) ?? []);
    case 'passage':
      return [...new Set(query.passages.flatMap((passage) => data.byPassage.get(passage) ?? []))];
    case 'source':
      return [...data.byId.values()].filter((stored) => comesFrom(stored, query));
    case 'newest':
      return newest(data, query);
  }
}

function comesFrom(stored: StoredEntry, query: EntryQuery & { by: 'source' }): boolean {
  return stored.entry.provenance.some(
    (ref) =>
      ref.kind === 'event' &&
      ref.sessionId === query.sessionId &&
      (query.incarnation === undefined || ref.incarnation === query.incarnation) &&
      (query.ranges === undefined || rangeAt(query.ranges, ref.seq) >= 0),
  );
}

function newest(data: OwnerData, query: EntryQuery & { by: 'newest' }): readonly StoredEntry[] {
  const { after, limit } = query;
  const names = new Set<string>();
  for (const [name, { no }] of data.partitions) if (query.partitions.includes(no)) names.add(name);
  const dated = [...data.byId.values()]
    .filter((stored) => names.has(partitionName(stored.partition)))
    .map((stored) => ({ stored, timestamp: toMillis(stored.entry.timestamp) }));
  return dated
    .filter(({ stored, timestamp }) => {
      if (after === undefined || timestamp < after.timestamp) return true;
      return timestamp === after.timestamp && stored.place < after.place;
    })
    .sort((a, b) => b.timestamp - a.timestamp || b.stored.place - a.stored.place)
    .slice(0, limit)
    .map(({ stored }) => stored);
}

function ownerName(owner: Owner): string {
  return JSON.stringify([owner.appName, owner.userId]);
}

function sourceName(source: SourceKey): string {
  return JSON.stringify([source.sessionId, source.incarnation]);
}
