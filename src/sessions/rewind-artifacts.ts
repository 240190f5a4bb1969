import { type Coverage, type Event, type EventActions, foldCoverage } from '../events/index.ts';
import { giveWay } from './give-way.ts';
import type { LogView } from './log-view.ts';
import { isTextName } from './request-texts.ts';
import { newestCopied } from './session-artifacts.ts';
import type { SessionParts } from './session-parts.ts';
import type { ArtifactWrite, SessionHead } from './session-store.ts';

const ofUser = 'user:';
/** The media type of a version without bytes, which says that there is nothing under a name. */
export const emptyMimeType = 'application/octet-stream';

const empty = { mimeType: emptyMimeType, bytes: new Uint8Array() };

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
  const saves = await savesOf(log);
  if (saves.length === 0) return { artifacts: [] };
  const artifacts: ArtifactWrite[] = [];
  for (const [name, version] of changedBy(rewind, saves, await log.bookkeeping())) {
    const { mimeType, bytes } = (await savedVersion(parts, head, planned, name, version)) ?? empty;
    const stored = (await parts.store.artifacts({ scope: head.key, name })).at(-1)?.version ?? -1;
    const own = planned.filter((write) => write.name === name).map((write) => write.version);
    const newest = Math.max(stored, newestCopied(head, name), ...own);
    artifacts.push({ scope: head.key, name, version: newest + 1, mimeType, bytes });
  }
  if (artifacts.length === 0) return { artifacts };
  return {
    artifacts,
    artifactDelta: Object.freeze(Object.fromEntries(artifacts.map(({ name, version }) => [name, version]))),
  };
}

/** A version that a rewind saved, and the one whose bytes it put back. */
export interface RestoredVersion {
  readonly name: string;
  readonly version: number;
  readonly from: number;
}

/** What the rewinds of a log have put back, oldest first. */
export async function restoredVersions(log: LogView): Promise<readonly RestoredVersion[]> {
  const saves = await savesOf(log);
  const bookkeeping = await log.bookkeeping();
  const restored: RestoredVersion[] = [];
  for (const rewind of saves.filter(({ actions }) => actions.rewind !== undefined)) {
    await giveWay();
    const isBefore = ({ seq }: Event) => seq < rewind.seq;
    for (const [name, from] of changedBy(rewind, saves.filter(isBefore), bookkeeping.filter(isBefore))) {
      const version = rewind.actions.artifactDelta?.[name];
      if (version !== undefined && from !== undefined) restored.push({ name, version, from });
    }
  }
  return restored;
}

async function savesOf(log: LogView): Promise<readonly Event[]> {
  return (await log.stateEvents()).filter((event) => event.actions.artifactDelta !== undefined);
}

/** The artifacts of a session whose newest live version a rewind changes, with the one that counts then. */
function changedBy(
  rewind: Rewound,
  saves: readonly Event[],
  bookkeeping: readonly Event[],
): Map<string, number | undefined> {
  const before = liveVersions(saves, foldCoverage(bookkeeping));
  const after = liveVersions(saves, foldCoverage([...bookkeeping, rewind]));
  const changed = new Map<string, number | undefined>();
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const version = after.get(name);
    const isOfSession = !name.startsWith(ofUser) && !isTextName(name);
    if (isOfSession && version !== before.get(name)) changed.set(name, version);
  }
  return changed;
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
