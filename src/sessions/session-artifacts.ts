import { PalimpsestError } from '../errors/index.ts';
import { type ArtifactScope, type ArtifactStore, parseId } from '../events/index.ts';
import { requireHead, untilCommitted } from './commit-loop.ts';
import { isTextName } from './request-texts.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionHead } from './session-store.ts';

const longestText = 1024;
const controlCharacter = /\p{Cc}/u;

/** The artifacts of sessions and users, over the session store. */
export function createSessionArtifacts(parts: SessionParts): ArtifactStore {
  return {
    async put(scope, name, bytes, mimeType) {
      const checked = parseArtifactScope(scope);
      checkOwnName(checked, name);
      if (!(bytes instanceof Uint8Array)) throw invalid('bytes', 'must be a Uint8Array');
      checkMimeType(mimeType);
      return untilCommitted(parts, async () => {
        const head = await requireSession(parts, checked);
        const newest = (await parts.store.artifacts({ scope: checked, name })).at(-1)?.version ?? -1;
        const version = Math.max(newest, newestCopied(head, name)) + 1;
        const artifacts = [{ scope: checked, name, version, mimeType, bytes }];
        const outcome = await parts.store.commit(head ? { artifacts, restsOn: head } : { artifacts });
        return outcome === 'committed' ? version : undefined;
      });
    },
    async get(scope, name, version) {
      const checked = parseArtifactScope(scope);
      checkName(name);
      if (version !== undefined && !(Number.isSafeInteger(version) && version >= 0)) {
        throw invalid('version', 'must be a version: 0, 1, 2 …');
      }
      await requireSession(parts, checked);
      if (isReserved(checked, name)) return undefined;
      const which = version === undefined ? {} : { version };
      const [found] = await parts.store.artifacts({ scope: checked, name, bytes: true, ...which });
      return found?.bytes && { ...found, bytes: found.bytes };
    },
    async list(scope) {
      const checked = parseArtifactScope(scope);
      await requireSession(parts, checked);
      const found = await parts.store.artifacts({ scope: checked });
      return found.filter(({ name }) => !isReserved(checked, name));
    },
    async delete(scope, name) {
      const checked = parseArtifactScope(scope);
      checkOwnName(checked, name);
      await requireSession(parts, checked);
      const removed = await parts.store.remove({ what: 'artifacts', scope: checked, name });
      return removed === 'moved' ? 0 : removed.artifacts;
    },
  };
}

/** The head of the session whose artifacts these are, nothing for those of a user. Throws SESSION_NOT_FOUND. */
async function requireSession(parts: SessionParts, scope: ArtifactScope): Promise<SessionHead | undefined> {
  return 'sessionId' in scope ? requireHead(parts, scope) : undefined;
}

/** A number that was copied is not given again, even if the copy was deleted: it would go with its source. */
export function newestCopied(head: SessionHead | undefined, name: string): number {
  const versions = (head?.copiedArtifacts ?? []).filter(([copied]) => copied === name).map(([, version]) => version);
  return Math.max(-1, ...versions);
}

function parseArtifactScope(scope: ArtifactScope): ArtifactScope {
  const user = { appName: parseId(scope?.appName, 'scope.appName'), userId: parseId(scope?.userId, 'scope.userId') };
  return 'sessionId' in scope ? { ...user, sessionId: parseId(scope.sessionId, 'scope.sessionId') } : user;
}

function checkName(name: unknown): void {
  if (isText(name) && !name.includes('\0')) return;
  throw invalid('name', `must be a text of 1 to ${longestText} characters`);
}

function checkOwnName(scope: ArtifactScope, name: string): void {
  checkName(name);
  if (isReserved(scope, name)) throw invalid('name', 'is that of a text kept for requests; choose another');
}

/** True for what the session keeps for its requests. */
function isReserved(scope: ArtifactScope, name: string): boolean {
  return 'sessionId' in scope && isTextName(name);
}

function checkMimeType(mimeType: unknown): void {
  if (isText(mimeType) && !controlCharacter.test(mimeType)) return;
  throw invalid('mimeType', `must be a media type such as image/png, of up to ${longestText} characters`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestText && value.isWellFormed();
}

function invalid(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
