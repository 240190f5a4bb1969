/**
 * Tables of the job store. Times are milliseconds since 1970 (`free` is 0 where none is waited for), payloads and causes are JSON text, absent ids of a scope are the empty
 * text. Only the head of a line can be claimed, so it is marked: then a claim reads two rows of an index for each queue,
 * however many jobs stand behind one that waits.
 */
export const jobSchema = `
CREATE TABLE jobs (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  app TEXT NOT NULL,
  user TEXT NOT NULL,
  project TEXT NOT NULL,
  session TEXT NOT NULL,
  queue TEXT NOT NULL,
  dedupe TEXT,
  payload TEXT NOT NULL,
  enqueued INTEGER NOT NULL,
  head INTEGER NOT NULL,
  free INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  token INTEGER NOT NULL,
  owner TEXT
);
CREATE INDEX jobs_line ON jobs (app, user, session, project, queue, no);
CREATE INDEX jobs_equal ON jobs (app, user, session, project, queue, dedupe) WHERE dedupe IS NOT NULL;
CREATE INDEX jobs_free ON jobs (queue, free, no) WHERE head = 1;

CREATE TABLE dead_jobs (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  app TEXT NOT NULL,
  user TEXT NOT NULL,
  project TEXT NOT NULL,
  session TEXT NOT NULL,
  queue TEXT NOT NULL,
  dedupe TEXT,
  payload TEXT NOT NULL,
  enqueued INTEGER NOT NULL,
  cause TEXT NOT NULL
);
CREATE INDEX dead_jobs_of_app ON dead_jobs (app, no);
CREATE INDEX dead_jobs_of_user ON dead_jobs (app, user, no);

CREATE TABLE job_tokens (
  last INTEGER NOT NULL
);
INSERT INTO job_tokens (last) VALUES (0);
`;
