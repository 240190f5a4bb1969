/**
 * What artifacts quote: a row for each source of a version, which goes with the version; and the newest sources that
 * are gone for good, whose names say nothing about anybody.
 */
export const artifactSourceSchema = `
CREATE TABLE artifact_sources (
  app TEXT NOT NULL,
  user TEXT NOT NULL,
  session TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (app, user, session, name, version, source)
) WITHOUT ROWID;
CREATE INDEX artifact_sources_quoting ON artifact_sources (app, user, source);

CREATE TABLE gone_sources (
  no INTEGER PRIMARY KEY,
  source TEXT NOT NULL UNIQUE
);
`;
