import type { ArtifactScope } from '../../events/index.ts';
import type { ArtifactQuery, ArtifactWrite, ErasedVersion, StoredArtifact } from '../../sessions/index.ts';
import type { SqlValue } from './driver.ts';
import { Refused } from './refused.ts';
import { artifactPath } from './session-paths.ts';
import type { SqliteFile } from './sqlite-file.ts';

const mostGone = 10_000;
const ofScope = 'app = ? AND user = ? AND session = ?';
const ofVersion = `${ofScope} AND name = ? AND version = ?`;

/** The versions of artifacts that a query wants. */
export function selectArtifacts(file: SqliteFile, query: ArtifactQuery): readonly StoredArtifact[] {
  const path = artifactPath(query.scope);
  const values: SqlValue[] = [...path];
  let where = ofScope;
  if (query.name !== undefined) {
    where += ' AND name = ?';
    values.push(query.name);
  }
  if (query.version !== undefined) {
    where += ' AND version = ?';
    values.push(query.version);
  }
  const wanted = query.bytes ? ', bytes' : '';
  const order = query.bytes ? 'version DESC LIMIT 1' : 'name, version';
  const sql = `SELECT name, version, mime, size${wanted} FROM artifacts WHERE ${where} ORDER BY ${order}`;
  return file.all(sql, ...values).map(({ name, version, mime, size, bytes }) => ({
    name: String(name),
    version: Number(version),
    mimeType: String(mime),
    size: Number(size),
    ...(bytes instanceof Uint8Array ? { bytes: new Uint8Array(bytes) } : {}),
    ...(query.bytes && query.sources ? { sources: sourcesOf(file, [...path, String(name), Number(version)]) } : {}),
  }));
}

function sourcesOf(file: SqliteFile, version: readonly SqlValue[]): readonly string[] {
  const rows = file.all(`SELECT source FROM artifact_sources WHERE ${ofVersion}`, ...version);
  return rows.map(({ source }) => String(source));
}

/** Saves versions of artifacts. Throws Refused if one stands already. */
export function saveArtifacts(file: SqliteFile, artifacts: readonly ArtifactWrite[]): void {
  for (const { scope, name, version, mimeType, bytes, contentAddressed, sources = [] } of artifacts) {
    if (sources.some((source) => file.get('SELECT no FROM gone_sources WHERE source = ?', source))) continue;
    const path = [...artifactPath(scope), name, version];
    const saved = file.run(
      // Node 22's own SQLite binds bytes of length 0 as NULL.
      `INSERT INTO artifacts VALUES (?, ?, ?, ?, ?, ?, ?, ifnull(?, x'')) ON CONFLICT DO NOTHING`,
      ...path,
      mimeType,
      bytes.byteLength,
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    );
    if (saved === 0 && !contentAddressed) throw new Refused('moved');
    const quotes = 'INSERT INTO artifact_sources VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
    for (const source of sources) file.run(quotes, ...path, source);
  }
}

/** From now on, versions with one of these sources are not saved. */
export function leaveOut(file: SqliteFile, sources: readonly string[]): void {
  for (const source of sources) {
    file.run('INSERT INTO gone_sources (source) VALUES (?) ON CONFLICT DO NOTHING', source);
  }
  file.run('DELETE FROM gone_sources WHERE no <= (SELECT max(no) FROM gone_sources) - ?', mostGone);
}

/** Removes the artifacts of a scope, or those of one name, and returns how many versions there were. */
export function removeArtifacts(file: SqliteFile, scope: ArtifactScope, name: string | undefined): number {
  const where = name === undefined ? ofScope : `${ofScope} AND name = ?`;
  const values = [...artifactPath(scope), ...(name === undefined ? [] : [name])];
  file.run(`DELETE FROM artifact_sources WHERE ${where}`, ...values);
  return file.run(`DELETE FROM artifacts WHERE ${where}`, ...values);
}

/** Removes these versions, or their bytes, and returns how many of them there were. */
export function removeVersions(file: SqliteFile, scope: ArtifactScope, versions: readonly ErasedVersion[]): number {
  let gone = 0;
  for (const { name, version, leaves } of versions) {
    const values = [...artifactPath(scope), name, version];
    file.run(`DELETE FROM artifact_sources WHERE ${ofVersion}`, ...values);
    gone +=
      leaves === undefined
        ? file.run(`DELETE FROM artifacts WHERE ${ofVersion}`, ...values)
        : file.run(`UPDATE artifacts SET mime = ?, size = 0, bytes = x'' WHERE ${ofVersion}`, leaves, ...values);
  }
  return gone;
}

/** Removes the versions of a user's sessions that have one of these sources, and returns how many there were. */
export function removeQuotes(
  file: SqliteFile,
  { appName, userId }: { readonly appName: string; readonly userId: string },
  quoting: readonly string[],
): number {
  const sql = 'SELECT session, name, version FROM artifact_sources WHERE app = ? AND user = ? AND source = ?';
  let gone = 0;
  for (const source of quoting) {
    for (const { session, name, version } of file.all(sql, appName, userId, source)) {
      const scope = { appName, userId, sessionId: String(session) };
      gone += removeVersions(file, scope, [{ name: String(name), version: Number(version) }]);
    }
  }
  return gone;
}
