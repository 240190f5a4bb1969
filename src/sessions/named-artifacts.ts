import type { Event } from '../events/index.ts';
import { artifactScheme } from './inline-artifacts.ts';
import type { ArtifactVersion } from './session-store.ts';

/**
 * The versions of artifacts that events name, which are added oldest first. A URI names no version: it means the newest
 * that an event before it recorded, and the first if none did, which is the only one of data that were moved out.
 */
export class NamedArtifacts {
  /** Those that rewinds saved to put older ones back. */
  readonly restored: ArtifactVersion[] = [];
  readonly #versions = new Map<string, number[]>();

  add({ content, actions }: Pick<Event, 'content' | 'actions'>): void {
    for (const [name, version] of Object.entries(actions.artifactDelta ?? {})) {
      this.#add(name, version);
      if (actions.rewind) this.restored.push([name, version]);
    }
    for (const { fileData } of [...(content?.parts ?? []), ...(actions.compaction?.content.parts ?? [])]) {
      if (!fileData?.fileUri.startsWith(artifactScheme)) continue;
      const name = fileData.fileUri.slice(artifactScheme.length);
      this.#add(name, this.#versions.get(name)?.at(-1) ?? 0);
    }
  }

  has([name, version]: ArtifactVersion): boolean {
    return this.#versions.get(name)?.includes(version) ?? false;
  }

  #add(name: string, version: number): void {
    const versions = this.#versions.get(name);
    if (versions === undefined) this.#versions.set(name, [version]);
    else if (versions.at(-1) !== version) versions.push(version);
  }
}
