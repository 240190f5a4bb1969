/**
 * Tables of the session store. Times are milliseconds since 1970. The head of a session and an event are JSON text;
 * beside them stands only what a query looks for. Keys and call ids are JSON text, since they may contain NUL.
 */
export const sessionSchema = `
CREATE TABLE sessions (
  no INTEGER PRIMARY KEY,
  app TEXT NOT NULL,
  user TEXT NOT NULL,
  id TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  stamp INTEGER NOT NULL,
  active INTEGER NOT NULL,
  behind INTEGER NOT NULL,
  open INTEGER NOT NULL,
  expires INTEGER,
  project TEXT,
  forked_from TEXT,
  body TEXT NOT NULL,
  UNIQUE (app, user, id)
);
CREATE INDEX sessions_active ON sessions (app, active, no);
CREATE INDEX sessions_of_user ON sessions (app, user, active, no);
CREATE INDEX sessions_behind ON sessions (app, active, no) WHERE behind = 1;
CREATE INDEX sessions_open ON sessions (app, active, no) WHERE open = 1;
CREATE INDEX sessions_expiring ON sessions (expires) WHERE expires IS NOT NULL;
CREATE INDEX sessions_forked ON sessions (forked_from) WHERE forked_from IS NOT NULL;

CREATE TABLE events (
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  flags INTEGER NOT NULL,
  run TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (session, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX events_id ON events (session, id);
CREATE INDEX events_bookkeeping ON events (session, seq) WHERE flags & 1;
CREATE INDEX events_state ON events (session, seq) WHERE flags & 2;
CREATE UNIQUE INDEX events_run ON events (session, run, seq) WHERE run IS NOT NULL;
CREATE INDEX events_starts ON events (session, seq) WHERE run IS NOT NULL;

CREATE TABLE calls (
  session INTEGER NOT NULL,
  call TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session, call, seq)
) WITHOUT ROWID;

CREATE TABLE session_state (
  session INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (session, key)
) WITHOUT ROWID;

CREATE TABLE shared_state (
  no INTEGER PRIMARY KEY,
  app TEXT NOT NULL,
  user TEXT NOT NULL,
  key TEXT NOT NULL,
  revision INTEGER NOT NULL,
  value TEXT,
  incarnation TEXT,
  seq INTEGER,
  at INTEGER NOT NULL,
  UNIQUE (app, user, key, revision)
);

CREATE TABLE artifacts (
  app TEXT NOT NULL,
  user TEXT NOT NULL,
  session TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  mime TEXT NOT NULL,
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (app, user, session, name, version)
);
`;
