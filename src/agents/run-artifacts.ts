import type { ArtifactStore, EventActionsInput, SessionKey } from '../events/index.ts';
import type { RunArtifacts } from './tools/index.ts';

/** Artifacts of a session for one piece of work, which notes on its event what it has saved. */
export class ArtifactWriter implements RunArtifacts {
  readonly #store: ArtifactStore;
  readonly #key: SessionKey;
  #saved: Record<string, number> = Object.create(null);

  constructor(store: ArtifactStore, key: SessionKey) {
    this.#store = store;
    this.#key = key;
  }

  async save(name: string, bytes: Uint8Array, mimeType: string): Promise<number> {
    const version = await this.#store.put(this.#key, name, bytes, mimeType);
    this.#saved[name] = version;
    return version;
  }

  load(name: string, version?: number): ReturnType<RunArtifacts['load']> {
    return this.#store.get(this.#key, name, version);
  }

  list(): ReturnType<RunArtifacts['list']> {
    return this.#store.list(this.#key);
  }

  /** What was saved, as actions of an event; from then on there is nothing. */
  take(): EventActionsInput {
    const artifactDelta = this.#saved;
    this.#saved = Object.create(null);
    return Object.keys(artifactDelta).length === 0 ? {} : { artifactDelta };
  }
}
