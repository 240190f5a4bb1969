/**
 * Tables of the memory store. Times are milliseconds since 1970, entries are JSON text, absent ids of a partition are
 * the empty text.
 *
 * Postings are a table of their own, not FTS5: a row holds the packed postings of one term in 1,024 consecutive
 * passages of one partition. So a search reads only its own scope's rows, a frequent term costs a few rows instead of
 * thousands, statistics are the scope's alone, how often a term occurs is there without tokenising again, and a removed
 * posting leaves its page at once. A row is written once per batch and term, which is faster than FTS5's insert.
 */
export const memorySchema = `
CREATE TABLE memory_owners (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  app TEXT NOT NULL,
  user TEXT NOT NULL,
  stamp INTEGER NOT NULL,
  next_passage INTEGER NOT NULL,
  UNIQUE (app, user)
);

CREATE TABLE memory_partitions (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  owner INTEGER NOT NULL,
  project TEXT NOT NULL,
  session TEXT NOT NULL,
  entries INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  length INTEGER NOT NULL,
  UNIQUE (owner, project, session)
);

CREATE TABLE memory_sources (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  seq INTEGER,
  last_turn INTEGER NOT NULL,
  UNIQUE (owner, session, incarnation)
);

CREATE TABLE memory_entries (
  owner INTEGER NOT NULL,
  place INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  partition INTEGER NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  source INTEGER,
  turn INTEGER,
  body TEXT NOT NULL,
  PRIMARY KEY (owner, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX memory_entries_id ON memory_entries (owner, id);
CREATE INDEX memory_entries_newest ON memory_entries (partition, at, place);
CREATE INDEX memory_entries_turn ON memory_entries (source, turn, place, passages) WHERE source IS NOT NULL;

CREATE TABLE memory_provenance (
  source INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (source, seq, place)
) WITHOUT ROWID;

CREATE TABLE memory_postings (
  partition INTEGER NOT NULL,
  term TEXT NOT NULL,
  block INTEGER NOT NULL,
  postings BLOB NOT NULL,
  PRIMARY KEY (partition, term, block)
) WITHOUT ROWID;
`;
