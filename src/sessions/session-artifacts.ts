import { PalimpsestError } from '../errors/index.ts';
import { type ArtifactScope, type ArtifactStore, parseId } from '../events/index.ts';
import { requireHead } from './commit-loop.ts';
import type { SessionParts } from './session-parts.ts';

const longestName = 1024;

/** The artifacts of sessions and users, over the session store. */
export function createSessionArtifacts(parts: SessionParts): ArtifactStore {
  return {
    async put(scope, name, bytes, mimeType) {
      const checked = parseArtifactScope(scope);
      checkArtifact(name, bytes, mimeType);
      if ('sessionId' in checked) await requireHead(parts, checked);
      for (;;) {
        const version = ((await parts.store.artifacts({ scope: checked, name })).at(-1)?.version ?? -1) + 1;
        const outcome = await parts.store.commit({ artifacts: [{ scope: checked, name, version, mimeType, bytes }] });
        if (outcome === 'committed') return version;
      }
    },
    async get(scope, name, version) {
      const which = version === undefined ? {} : { version };
      const [found] = await parts.store.artifacts({ scope: parseArtifactScope(scope), name, bytes: true, ...which });
      return found?.bytes && { ...found, bytes: found.bytes };
    },
    async list(scope) {
      return parts.store.artifacts({ scope: parseArtifactScope(scope) });
    },
    async delete(scope, name) {
      const removed = await parts.store.remove({ what: 'artifacts', scope: parseArtifactScope(scope), name });
      return removed === 'moved' ? 0 : removed.artifacts;
    },
  };
}

function parseArtifactScope(scope: ArtifactScope): ArtifactScope {
  const user = { appName: parseId(scope?.appName, 'scope.appName'), userId: parseId(scope?.userId, 'scope.userId') };
  return 'sessionId' in scope ? { ...user, sessionId: parseId(scope.sessionId, 'scope.sessionId') } : user;
}

function checkArtifact(name: unknown, bytes: unknown, mimeType: unknown): void {
  const reason = (argument: string, why: string) => new PalimpsestError('INVALID_ARGUMENT', { argument, reason: why });
  if (
    typeof name !== 'string' ||
    name === '' ||
    name.length > longestName ||
    !name.isWellFormed() ||
    name.includes('\0')
  ) {
    throw reason('name', `must be a text of 1 to ${longestName} characters`);
  }
  if (!(bytes instanceof Uint8Array)) throw reason('bytes', 'must be a Uint8Array');
  if (typeof mimeType !== 'string' || mimeType === '')
    throw reason('mimeType', 'must be a media type such as image/png');
}
