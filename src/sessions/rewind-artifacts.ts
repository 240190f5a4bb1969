import { type Coverage, type Event, type EventActions, foldCoverage } from '../events/index.ts';
import type { LogView } from './log-view.ts';
import type { SessionParts } from './session-parts.ts';
import type { ArtifactWrite, SessionHead } from './session-store.ts';

const ofUser = 'user:';
const empty = { mimeType: 'application/octet-stream', bytes: new Uint8Array() };

/** A rewind in the place where it is to stand. */
export type Rewound = Pick<Event, 'seq' | 'actions'>;

/** New versions that put session artifacts back to what they were, and the delta that records them. */
export interface ArtifactRewind {
  readonly artifacts: readonly ArtifactWrite[];
  readonly artifactDelta?: NonNullable<EventActions['artifactDelta']>;
}

/**
 * What a rewind does to artifacts: each one whose newest live version changes gets a new version with the bytes of the
 * one that counts now, none if there is none. Artifacts of the user (`user:` names) stay. `planned` is what the same
 * batch saves already.
 */
export async function planArtifactRewind(
  parts: SessionParts,
  head: SessionHead,
  log: LogView,
  rewind: Rewound,
  planned: readonly ArtifactWrite[] = [],
): Promise<ArtifactRewind> {
  const saves = (await log.stateEvents()).filter((event) => event.actions.artifactDelta !== undefined);
  if (saves.length === 0) return { artifacts: [] };
  const bookkeeping = await log.bookkeeping();
  const before = liveVersions(saves, foldCoverage(bookkeeping));
  const after = liveVersions(saves, foldCoverage([...bookkeeping, rewind]));
  const artifacts: ArtifactWrite[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const version = after.get(name);
    if (name.startsWith(ofUser) || version === before.get(name)) continue;
    const { mimeType, bytes } = (await savedVersion(parts, head, planned, name, version)) ?? empty;
    const stored = (await parts.store.artifacts({ scope: head.key, name })).at(-1)?.version ?? -1;
    const newest = Math.max(stored, ...planned.filter((write) => write.name === name).map((write) => write.version));
    artifacts.push({ scope: head.key, name, version: newest + 1, mimeType, bytes });
  }
  if (artifacts.length === 0) return { artifacts };
  return {
    artifacts,
    artifactDelta: Object.freeze(Object.fromEntries(artifacts.map(({ name, version }) => [name, version]))),
  };
}

/** The bytes of a version, which an earlier rewind of the same batch may be about to save. */
async function savedVersion(
  parts: SessionParts,
  head: SessionHead,
  planned: readonly ArtifactWrite[],
  name: string,
  version: number | undefined,
): Promise<{ readonly mimeType: string; readonly bytes: Uint8Array } | undefined> {
  if (version === undefined) return undefined;
  const own = planned.find((write) => write.name === name && write.version === version);
  const [stored] = own ? [] : await parts.store.artifacts({ scope: head.key, name, version, bytes: true });
  return own ?? (stored?.bytes && { mimeType: stored.mimeType, bytes: stored.bytes });
}

function liveVersions(saves: readonly Event[], coverage: Coverage): Map<string, number> {
  const versions = new Map<string, number>();
  for (const { seq, actions } of saves) {
    if (!coverage.isLive(seq)) continue;
    for (const [name, version] of Object.entries(actions.artifactDelta ?? {})) versions.set(name, version);
  }
  return versions;
}
