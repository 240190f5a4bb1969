import { toMillis } from '../../events/index.ts';
import {
  blockOfBytes,
  bytesOfBlock,
  encodeEntry,
  type MemoryCommit,
  type PartitionChange,
  type PartitionKey,
  type PostingChange,
  type SourceKey,
  type StoredEntry,
  withoutOffsets,
} from '../../memory/service/index.ts';
import type { Row } from './driver.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** The statements of one commit, inside its transaction. */
export class MemoryWriting {
  readonly #file: SqliteFile;
  readonly #owner: number;
  readonly #sources = new Map<string, number>();

  constructor(file: SqliteFile, owner: number) {
    this.#file = file;
    this.#owner = owner;
  }

  apply(commit: MemoryCommit): void {
    const { partitions, source, forget = [] } = commit;
    for (const change of partitions) this.#changePartition(change);
    if (source !== undefined) {
      const update = 'UPDATE memory_sources SET seq = ?, last_turn = ? WHERE no = ?';
      this.#file.run(update, source.seq ?? null, source.lastTurn, this.#sourceNo(source));
    }
    const unread = 'UPDATE memory_sources SET seq = NULL, last_turn = 0 WHERE no = ?';
    for (const gone of forget) this.#file.run(unread, this.#sourceNo(gone));
    if (removesText(commit)) this.#dropUncitedSources();
    const removeUnused = `DELETE FROM memory_owners WHERE no = ?
      AND NOT EXISTS (SELECT 1 FROM memory_partitions WHERE owner = memory_owners.no)
      AND NOT EXISTS (SELECT 1 FROM memory_sources WHERE owner = memory_owners.no)`;
    this.#file.run(removeUnused, this.#owner);
  }

  #changePartition(change: PartitionChange): void {
    const no = this.#partitionNo(change.key);
    if (change.clear) this.#clear(no);
    for (const stored of change.remove) this.#remove(stored);
    for (const { old, new: stored } of change.replace) this.#replace(old, stored);
    for (const stored of change.add) this.#add(no, stored);
    if (change.figures.entries === 0) {
      this.#file.run('DELETE FROM memory_postings WHERE partition = ?', no);
      this.#file.run('DELETE FROM memory_partitions WHERE no = ?', no);
      return;
    }
    const { entries, passages, length } = change.figures;
    const update = 'UPDATE memory_partitions SET entries = ?, passages = ?, length = ? WHERE no = ?';
    this.#file.run(update, entries, passages, length, no);
    for (const posting of inKeyOrder(change.postings)) this.#changePosting(no, posting);
  }

  #changePosting(partition: number, { term, block, add, dropOffsets }: PostingChange): void {
    if (dropOffsets.length > 0) this.#dropPostings(partition, { term, block, dropOffsets });
    if (add.length === 0) return;
    const append = `INSERT INTO memory_postings (partition, term, block, postings) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET postings = CAST(postings || excluded.postings AS BLOB)`;
    this.#file.run(append, partition, term, block, bytesOfBlock(add));
  }

  #dropPostings(partition: number, { term, block, dropOffsets }: Omit<PostingChange, 'add'>): void {
    const where = 'WHERE partition = ? AND term = ? AND block = ?';
    const row = this.#file.get(`SELECT postings FROM memory_postings ${where}`, partition, term, block);
    if (row === undefined) return;
    const left = withoutOffsets(postingsIn(row), dropOffsets);
    if (left.length === 0) this.#file.run(`DELETE FROM memory_postings ${where}`, partition, term, block);
    else {
      this.#file.run(`UPDATE memory_postings SET postings = ? ${where}`, bytesOfBlock(left), partition, term, block);
    }
  }

  #add(partition: number, stored: StoredEntry): void {
    const { place, passages, entry, turn } = stored;
    const insert = `INSERT INTO memory_entries (owner, place, passages, partition, id, at, source, turn, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const source = turn === undefined ? null : this.#sourceNo(turn.source);
    const at = toMillis(entry.timestamp);
    const number = turn?.number ?? null;
    this.#file.run(insert, this.#owner, place, passages, partition, entry.id, at, source, number, encodeEntry(entry));
    this.#cite(stored);
  }

  #remove(stored: StoredEntry): void {
    this.#uncite(stored);
    this.#file.run('DELETE FROM memory_entries WHERE owner = ? AND place = ?', this.#owner, stored.place);
  }

  #replace(old: StoredEntry, stored: StoredEntry): void {
    this.#uncite(old);
    const update = 'UPDATE memory_entries SET body = ? WHERE owner = ? AND place = ?';
    this.#file.run(update, encodeEntry(stored.entry), this.#owner, stored.place);
    this.#cite(stored);
  }

  #clear(partition: number): void {
    const uncite = `DELETE FROM memory_provenance WHERE source IN (SELECT no FROM memory_sources WHERE owner = ?)
      AND place IN (SELECT place FROM memory_entries WHERE partition = ?)`;
    this.#file.run(uncite, this.#owner, partition);
    this.#file.run('DELETE FROM memory_entries WHERE partition = ?', partition);
    this.#file.run('DELETE FROM memory_postings WHERE partition = ?', partition);
  }

  #cite({ place, entry }: StoredEntry): void {
    const insert = 'INSERT OR IGNORE INTO memory_provenance (source, seq, place) VALUES (?, ?, ?)';
    for (const ref of entry.provenance)
      if (ref.kind === 'event') this.#file.run(insert, this.#sourceNo(ref), ref.seq, place);
  }

  #uncite({ place, entry }: StoredEntry): void {
    const remove = 'DELETE FROM memory_provenance WHERE source = ? AND seq = ? AND place = ?';
    for (const ref of entry.provenance)
      if (ref.kind === 'event') this.#file.run(remove, this.#sourceNo(ref), ref.seq, place);
  }

  /** Sources that nothing cites and nobody reads would only keep a session's id. */
  #dropUncitedSources(): void {
    const remove = `DELETE FROM memory_sources WHERE owner = ? AND seq IS NULL
      AND NOT EXISTS (SELECT 1 FROM memory_provenance WHERE source = memory_sources.no)`;
    this.#file.run(remove, this.#owner);
  }

  #partitionNo({ projectId = '', sessionId = '' }: PartitionKey): number {
    const insert = `INSERT OR IGNORE INTO memory_partitions (owner, project, session, entries, passages, length)
      VALUES (?, ?, ?, 0, 0, 0)`;
    this.#file.run(insert, this.#owner, projectId, sessionId);
    const select = 'SELECT no FROM memory_partitions WHERE owner = ? AND project = ? AND session = ?';
    return Number(this.#file.get(select, this.#owner, projectId, sessionId)?.no);
  }

  #sourceNo({ sessionId, incarnation }: SourceKey): number {
    const name = `${incarnation} ${sessionId}`;
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const insert = `INSERT OR IGNORE INTO memory_sources (owner, session, incarnation, seq, last_turn)
      VALUES (?, ?, ?, NULL, 0)`;
    this.#file.run(insert, this.#owner, sessionId, incarnation);
    const select = 'SELECT no FROM memory_sources WHERE owner = ? AND session = ? AND incarnation = ?';
    const no = Number(this.#file.get(select, this.#owner, sessionId, incarnation)?.no);
    this.#sources.set(name, no);
    return no;
  }
}

/** True if the commit takes something away that was stored. */
export function removesText({ partitions, forget = [] }: MemoryCommit): boolean {
  return (
    forget.length > 0 || partitions.some(({ clear, remove, replace }) => clear || remove.length + replace.length > 0)
  );
}

/** The postings in a row of memory_postings. */
export function postingsIn(row: Row): Uint32Array {
  return row.postings instanceof Uint8Array ? blockOfBytes(row.postings) : new Uint32Array();
}

/** Rows written in the order of their key land on few pages; the order itself does not matter. */
function inKeyOrder(postings: readonly PostingChange[]): PostingChange[] {
  return [...postings].sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : a.block - b.block));
}
