import type { SessionKey } from '../events/index.ts';
import type { NamedArtifacts } from './named-artifacts.ts';
import type { SessionParts } from './session-parts.ts';
import type { ArtifactVersion, SessionHead } from './session-store.ts';

/**
 * The versions that leave a fork with the events that brought them: those copied that no event left behind names, and
 * those in which rewinds of the fork put the same bytes back.
 */
export async function artifactsToErase(
  parts: SessionParts,
  head: SessionHead,
  named: NamedArtifacts,
): Promise<readonly ArtifactVersion[]> {
  const gone = (head.copiedArtifacts ?? []).filter((version) => !named.has(version));
  const again: ArtifactVersion[] = [];
  for (const restored of named.restored) {
    const origins = gone.filter(([name]) => name === restored[0]);
    if (await isCopyOfAny(parts, head.key, restored, origins)) again.push(restored);
  }
  return [...gone, ...again];
}

async function isCopyOfAny(
  parts: SessionParts,
  key: SessionKey,
  restored: ArtifactVersion,
  origins: readonly ArtifactVersion[],
): Promise<boolean> {
  if (origins.length === 0) return false;
  const bytes = await bytesOf(parts, key, restored);
  for (const origin of origins) if (Buffer.compare(bytes, await bytesOf(parts, key, origin)) === 0) return true;
  return false;
}

async function bytesOf(parts: SessionParts, scope: SessionKey, [name, version]: ArtifactVersion): Promise<Uint8Array> {
  const [saved] = await parts.store.artifacts({ scope, name, version, bytes: true });
  return saved?.bytes ?? new Uint8Array();
}
