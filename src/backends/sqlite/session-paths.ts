import type { ArtifactScope, SessionKey } from '../../events/index.ts';
import type { StateScope } from '../../sessions/index.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** The number of a session's row, by which its other rows name it. */
export function sessionNumber(file: SqliteFile, { appName, userId, sessionId }: SessionKey): number | undefined {
  const row = file.get('SELECT no FROM sessions WHERE app = ? AND user = ? AND id = ?', appName, userId, sessionId);
  return row && Number(row.no);
}

/** The columns app and user of shared state. */
export function sharedPath(scope: StateScope): [string, string] {
  if (scope.kind === 'app') return [scope.appName, ''];
  return scope.kind === 'user' ? [scope.appName, scope.userId] : [scope.key.appName, scope.key.userId];
}

/** The columns app, user and session of artifacts. */
export function artifactPath(scope: ArtifactScope): [string, string, string] {
  return [scope.appName, scope.userId, 'sessionId' in scope ? scope.sessionId : ''];
}
