import type { LogView } from './log-view.ts';
import type { NamedArtifacts } from './named-artifacts.ts';
import { emptyMimeType, restoredVersions } from './rewind-artifacts.ts';
import type { ArtifactVersion, ErasedVersion, SessionHead } from './session-store.ts';

/**
 * The versions that leave a fork with the events that brought them: those copied that no event left behind names, and
 * the bytes of those in which rewinds put them back, unless another event names them too. What a rewind saved stays as
 * an empty version, or the one that it took back would count again.
 */
export async function artifactsToErase(
  head: SessionHead,
  log: LogView,
  named: NamedArtifacts,
): Promise<readonly ErasedVersion[]> {
  const copied = (head.copiedArtifacts ?? []).filter((version) => !named.has(version));
  if (copied.length === 0) return [];
  const gone = new Set(copied.map(textOf));
  const erased = copied.map(([name, version]): ErasedVersion => ({ name, version }));
  for (const { name, version, from } of await restoredVersions(log)) {
    const restored = [name, version] as const;
    if (!gone.has(textOf([name, from])) || gone.has(textOf(restored)) || named.isQuoted(restored)) continue;
    gone.add(textOf(restored));
    erased.push({ name, version, leaves: emptyMimeType });
  }
  return erased;
}

function textOf(version: ArtifactVersion): string {
  return JSON.stringify(version);
}
