import type { MemoryEntry } from './memory-entry.ts';
import { partitionName } from './memory-scope.ts';
import type {
  MemoryCommit,
  Owner,
  OwnerHead,
  Partition,
  PartitionChange,
  PartitionFigures,
  PartitionKey,
  PostingChange,
  SourceHead,
  SourceKey,
  StoredEntry,
} from './memory-store.ts';
import { type Passage, passagesOf } from './passages.ts';
import { blockOf, offsetOf, packPosting } from './posting.ts';

interface OpenPosting {
  readonly add: number[];
  readonly dropOffsets: number[];
}

interface OpenPartition {
  readonly key: PartitionKey;
  readonly add: StoredEntry[];
  readonly remove: StoredEntry[];
  readonly replace: { readonly old: StoredEntry; readonly new: StoredEntry }[];
  /** By term, then block. */
  readonly postings: Map<string, Map<number, OpenPosting>>;
  figures: PartitionFigures;
  clear: boolean;
}

/** An entry to store, analysed. */
export interface NewEntry {
  readonly partition: PartitionKey;
  readonly entry: MemoryEntry;
  readonly passages: readonly Passage[];
  readonly turn?: StoredEntry['turn'];
}

const empty: PartitionFigures = { entries: 0, passages: 0, length: 0 };

/** Gathers what one commit changes and keeps entries, postings and figures in step. */
export class ChangeSet {
  readonly #owner: Owner;
  readonly #head: OwnerHead | undefined;
  readonly #partitions = new Map<string, OpenPartition>();
  readonly #forget: SourceKey[] = [];
  #source: SourceHead | undefined;
  #nextPassage: number;

  constructor(owner: Owner, head: OwnerHead | undefined) {
    this.#owner = owner;
    this.#head = head;
    this.#nextPassage = head?.nextPassage ?? 0;
  }

  add({ partition, entry, passages, turn }: NewEntry): void {
    const open = this.#open(partition);
    const place = this.#nextPassage;
    this.#nextPassage += passages.length;
    open.add.push({ place, passages: passages.length, partition, entry, ...(turn && { turn }) });
    let length = 0;
    for (const [index, passage] of passages.entries()) {
      length += passage.length;
      const offset = offsetOf(place + index);
      for (const [term, times] of passage.terms) {
        posting(open, term, blockOf(place + index)).add.push(packPosting(offset, { times, length: passage.length }));
      }
    }
    open.figures = sum(open.figures, { entries: 1, passages: passages.length, length });
  }

  /** What was indexed is found by analysing again: another analyser calls for a new index, not for this. */
  remove(stored: StoredEntry): void {
    const open = this.#open(stored.partition);
    open.remove.push(stored);
    let length = 0;
    for (const [index, passage] of passagesOf(stored.entry).entries()) {
      length += passage.length;
      const offset = offsetOf(stored.place + index);
      for (const term of passage.terms.keys()) {
        posting(open, term, blockOf(stored.place + index)).dropOffsets.push(offset);
      }
    }
    open.figures = sum(open.figures, { entries: -1, passages: -stored.passages, length: -length });
  }

  /** Changes an entry whose indexed text stays as it is. */
  replace(old: StoredEntry, entry: MemoryEntry): void {
    this.#open(old.partition).replace.push({ old, new: { ...old, entry } });
  }

  /** Removes all entries of a partition at once. */
  clear(partition: Partition): void {
    const open = this.#open(partition.key);
    open.clear = true;
    open.figures = empty;
  }

  /** Sets how far a source has been read. */
  readTo(source: SourceHead): void {
    this.#source = source;
  }

  /** Forgets a source's watermark. */
  forget(source: SourceKey): void {
    this.#forget.push(source);
  }

  commit(): MemoryCommit {
    return {
      owner: this.#owner,
      expectedStamp: this.#head?.stamp,
      nextPassage: this.#nextPassage,
      partitions: [...this.#partitions.values()].map(closed),
      ...(this.#source && { source: this.#source }),
      ...(this.#forget.length > 0 && { forget: this.#forget }),
    };
  }

  #open(key: PartitionKey): OpenPartition {
    const name = partitionName(key);
    let open = this.#partitions.get(name);
    if (open === undefined) {
      const figures = this.#head?.partitions.find((partition) => partitionName(partition.key) === name) ?? empty;
      open = { key, figures, clear: false, add: [], remove: [], replace: [], postings: new Map() };
      this.#partitions.set(name, open);
    }
    return open;
  }
}

function posting(open: OpenPartition, term: string, block: number): OpenPosting {
  const blocks = open.postings.get(term) ?? new Map<number, OpenPosting>();
  open.postings.set(term, blocks);
  const found = blocks.get(block) ?? { add: [], dropOffsets: [] };
  blocks.set(block, found);
  return found;
}

function closed(open: OpenPartition): PartitionChange {
  const postings: PostingChange[] = [];
  for (const [term, blocks] of open.postings) {
    for (const [block, { add, dropOffsets }] of blocks) {
      postings.push({ term, block, add: Uint32Array.from(add), dropOffsets });
    }
  }
  return { ...open, postings };
}

function sum(a: PartitionFigures, b: PartitionFigures): PartitionFigures {
  return { entries: a.entries + b.entries, passages: a.passages + b.passages, length: a.length + b.length };
}
