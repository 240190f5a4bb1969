import { randomInt } from 'node:crypto';
import {
  decodeEntry,
  type EntryQuery,
  type MemoryCommit,
  type MemoryStore,
  type Owner,
  type OwnerHead,
  type PartitionKey,
  type SourceHead,
  type SourceKey,
  type StoredEntry,
  type TurnPlace,
  type TurnWindow,
} from '../../memory/service/index.ts';
import type { Row } from './driver.ts';
import { MemoryWriting, postingsIn, removesText } from './memory-writing.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** The memory store in an open SQLite file. Whoever opened the file closes it. */
export function createSqliteMemoryStore(file: SqliteFile): MemoryStore {
  return new SqliteMemoryStore(file);
}

const entryColumns = `SELECT e.place, e.passages, e.turn, e.body, p.project, p.session,
  s.session AS source_session, s.incarnation AS source_incarnation
  FROM memory_entries e JOIN memory_partitions p ON p.no = e.partition LEFT JOIN memory_sources s ON s.no = e.source`;

const partitionColumns = 'SELECT no, project, session, entries, passages, length FROM memory_partitions';

const everySeq = [[0, Number.MAX_SAFE_INTEGER]] as const;

class SqliteMemoryStore implements MemoryStore {
  readonly name = 'sqlite';
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async head(owner: Owner, keys?: readonly PartitionKey[]): Promise<OwnerHead | undefined> {
    const row = this.#owner(owner);
    if (row === undefined) return undefined;
    const one = `${partitionColumns} WHERE owner = ? AND project = ? AND session = ?`;
    const rows = keys?.flatMap(({ projectId = '', sessionId = '' }) =>
      this.#file.all(one, row.no ?? 0, projectId, sessionId),
    );
    const partitions = rows ?? this.#file.all(`${partitionColumns} WHERE owner = ? ORDER BY no`, row.no ?? 0);
    return {
      stamp: Number(row.stamp),
      nextPassage: Number(row.next_passage),
      partitions: partitions.map((partition) => ({
        key: partitionKey(partition),
        no: Number(partition.no),
        entries: Number(partition.entries),
        passages: Number(partition.passages),
        length: Number(partition.length),
      })),
    };
  }

  async source(owner: Owner, source: SourceKey): Promise<SourceHead | undefined> {
    const row = this.#source(owner, source);
    if (row === undefined) return undefined;
    return { ...source, seq: row.seq === null ? undefined : Number(row.seq), lastTurn: Number(row.last_turn) };
  }

  async entries(owner: Owner, query: EntryQuery): Promise<readonly StoredEntry[]> {
    const no = this.#owner(owner)?.no;
    return no === undefined ? [] : this.#entryRows(Number(no), query).map(storedEntry);
  }

  async turns(owner: Owner, windows: readonly TurnWindow[]): Promise<readonly TurnPlace[]> {
    const sql = 'SELECT turn, place, passages FROM memory_entries WHERE source = ? AND turn BETWEEN ? AND ?';
    const numbers = new Map<string, number>();
    return windows.flatMap(({ source, from, to }) => {
      const name = `${source.incarnation} ${source.sessionId}`;
      const no = numbers.get(name) ?? Number(this.#source(owner, source)?.no ?? 0);
      numbers.set(name, no);
      return this.#file.all(sql, no, from, to).map((row) => ({
        source,
        number: Number(row.turn),
        place: Number(row.place),
        passages: Number(row.passages),
      }));
    });
  }

  async postings(partitions: readonly number[], terms: readonly string[]) {
    const sql = 'SELECT block, postings FROM memory_postings WHERE partition = ? AND term = ?';
    return terms.map((term) =>
      partitions.flatMap((partition) =>
        this.#file.all(sql, partition, term).map((row) => ({ block: Number(row.block), postings: postingsIn(row) })),
      ),
    );
  }

  async commit(commit: MemoryCommit): Promise<'committed' | 'moved'> {
    const outcome = await this.#file.write(() => {
      const known = this.#owner(commit.owner);
      const stamp = known === undefined ? undefined : Number(known.stamp);
      if (stamp !== commit.expectedStamp) return 'moved';
      new MemoryWriting(this.#file, this.#writeOwner(commit, known)).apply(commit);
      return 'committed' as const;
    });
    if (outcome === 'committed' && removesText(commit)) await this.#file.emptyLog();
    return outcome;
  }

  async health(): Promise<void> {
    this.#file.get('SELECT count(*) FROM memory_owners');
  }

  async close(): Promise<void> {
    return;
  }

  /** A first stamp is drawn at random, so that one seen before an owner was erased does not fit the owner's next life. */
  #writeOwner({ owner, nextPassage }: MemoryCommit, known: Row | undefined): number {
    const { appName, userId } = owner;
    if (known === undefined) {
      const insert = 'INSERT INTO memory_owners (app, user, stamp, next_passage) VALUES (?, ?, ?, ?)';
      this.#file.run(insert, appName, userId, randomInt(2 ** 47), nextPassage);
      return Number(this.#owner(owner)?.no);
    }
    const update = 'UPDATE memory_owners SET stamp = stamp + 1, next_passage = ? WHERE no = ?';
    this.#file.run(update, nextPassage, Number(known.no));
    return Number(known.no);
  }

  #owner({ appName, userId }: Owner): Row | undefined {
    return this.#file.get(
      'SELECT no, stamp, next_passage FROM memory_owners WHERE app = ? AND user = ?',
      appName,
      userId,
    );
  }

  #source({ appName, userId }: Owner, { sessionId, incarnation }: SourceKey): Row | undefined {
    const sql = `SELECT s.no, s.seq, s.last_turn FROM memory_owners o JOIN memory_sources s ON s.owner = o.no
      WHERE o.app = ? AND o.user = ? AND s.session = ? AND s.incarnation = ?`;
    return this.#file.get(sql, appName, userId, sessionId, incarnation);
  }

  #entryRows(owner: number, query: EntryQuery): Row[] {
    switch (query.by) {
      case 'id': {
        const sql = `${entryColumns} WHERE e.owner = ? AND e.id = ?`;
        return query.ids.flatMap((id) => this.#file.all(sql, owner, id));
      }
      case 'passage':
        return this.#entriesOfPassages(owner, query.passages);
      case 'source':
        return this.#entriesFromSource(owner, query);
      case 'newest':
        return this.#newestEntries(query);
    }
  }

  #entriesOfPassages(owner: number, passages: readonly number[]): Row[] {
    const sql = `${entryColumns} WHERE e.owner = ? AND e.place <= ? ORDER BY e.place DESC LIMIT 1`;
    const rows = new Map<number, Row>();
    for (const passage of passages) {
      const row = this.#file.get(sql, owner, passage);
      const place = Number(row?.place);
      if (row !== undefined && place + Number(row.passages) > passage) rows.set(place, row);
    }
    return [...rows.values()];
  }

  #entriesFromSource(owner: number, query: EntryQuery & { by: 'source' }): Row[] {
    const { sessionId, incarnation, ranges = everySeq } = query;
    const sources = this.#file
      .all('SELECT no, incarnation FROM memory_sources WHERE owner = ? AND session = ?', owner, sessionId)
      .filter((source) => incarnation === undefined || source.incarnation === incarnation);
    const places = new Set<number>();
    const cited = 'SELECT place FROM memory_provenance WHERE source = ? AND seq BETWEEN ? AND ?';
    for (const { no } of sources) {
      for (const [from, to] of ranges) {
        for (const row of this.#file.all(cited, no ?? 0, from, to)) places.add(Number(row.place));
      }
    }
    return this.#entriesOfPassages(owner, [...places]);
  }

  #newestEntries({ partitions, after, limit }: EntryQuery & { by: 'newest' }): Row[] {
    const { timestamp, place } = after ?? { timestamp: Number.MAX_SAFE_INTEGER, place: 0 };
    const sql = `SELECT owner, at, place FROM memory_entries WHERE partition = ? AND (at, place) < (?, ?)
      ORDER BY at DESC, place DESC LIMIT ?`;
    return partitions
      .flatMap((partition) => this.#file.all(sql, partition, timestamp, place, limit))
      .sort((a, b) => Number(b.at) - Number(a.at) || Number(b.place) - Number(a.place))
      .slice(0, limit)
      .flatMap((row) => this.#entriesOfPassages(Number(row.owner), [Number(row.place)]));
  }
}

function partitionKey({ project, session }: Row): PartitionKey {
  return {
    ...(project === '' ? {} : { projectId: String(project) }),
    ...(session === '' ? {} : { sessionId: String(session) }),
  };
}

function storedEntry(row: Row): StoredEntry {
  const { turn, source_session: sessionId, source_incarnation: incarnation } = row;
  return {
    place: Number(row.place),
    passages: Number(row.passages),
    partition: partitionKey(row),
    entry: decodeEntry(String(row.body)),
    ...(turn === null
      ? {}
      : { turn: { number: Number(turn), source: { sessionId: String(sessionId), incarnation: String(incarnation) } } }),
  };
}
