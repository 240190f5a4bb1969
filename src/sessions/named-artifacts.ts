import type { Event } from '../events/index.ts';
import { getOrAdd } from './get-or-add.ts';
import { artifactScheme } from './inline-artifacts.ts';
import { isTextName, textNamesOf } from './request-texts.ts';
import type { ArtifactVersion } from './session-store.ts';

type Naming = Pick<Event, 'content' | 'actions' | 'request'>;

/**
 * The versions of artifacts that events name, which are added oldest first. A URI names no version: it means the newest
 * that an event before it recorded, and the first if none did, which is the only one of data that were moved out.
 */
export class NamedArtifacts {
  readonly #newest = new Map<string, number>();
  readonly #named = new Map<string, Set<number>>();
  readonly #quoted = new Map<string, Set<number>>();
  readonly #texts = new Set<string>();

  add(event: Naming): void {
    this.pass(event);
    const { content, actions } = event;
    for (const name of textNamesOf(event)) this.#texts.add(name);
    for (const [name, version] of Object.entries(actions.artifactDelta ?? {})) {
      getOrAdd(this.#named, name, () => new Set()).add(version);
      if (!actions.rewind) getOrAdd(this.#quoted, name, () => new Set()).add(version);
    }
    for (const { fileData } of [...(content?.parts ?? []), ...(actions.compaction?.content.parts ?? [])]) {
      if (!fileData?.fileUri.startsWith(artifactScheme)) continue;
      const name = fileData.fileUri.slice(artifactScheme.length);
      const version = this.#newest.get(name) ?? 0;
      for (const versions of [this.#named, this.#quoted]) getOrAdd(versions, name, () => new Set()).add(version);
    }
  }

  /** In place of an event that is to count no more: it names nothing, but URIs after it mean what they meant. */
  pass({ actions }: Naming): void {
    for (const [name, version] of Object.entries(actions.artifactDelta ?? {})) this.#newest.set(name, version);
  }

  /** A text of a request is named by journals alone. */
  has([name, version]: ArtifactVersion): boolean {
    if (isTextName(name)) return this.#texts.has(name);
    return this.#named.get(name)?.has(version) ?? false;
  }

  /** True if an event names it that is not just the rewind that saved it. */
  isQuoted([name, version]: ArtifactVersion): boolean {
    return this.#quoted.get(name)?.has(version) ?? false;
  }
}
