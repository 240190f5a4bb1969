import type { ArtifactScope } from '../events/index.ts';
import { getOrAdd } from './get-or-add.ts';
import type { ArtifactQuery, ArtifactWrite, ErasedVersion, StoredArtifact } from './session-store.ts';

const mostGone = 10_000;

interface Kept extends Required<StoredArtifact> {
  readonly sources: string[];
}

/** Where a version stands. */
interface Place {
  readonly scope: ArtifactScope;
  readonly name: string;
  readonly version: number;
}

/** The artifacts of the in-memory store: all versions by name, by scope. */
export class InMemoryArtifacts {
  readonly #scopes = new Map<string, Map<string, Kept[]>>();
  /** By user and source, by place. */
  readonly #quoting = new Map<string, Map<string, Place>>();
  readonly #gone = new Set<string>();

  /** True if a version that is to be saved is there already and may not be. */
  stands({ scope, name, version, contentAddressed }: ArtifactWrite): boolean {
    if (contentAddressed) return false;
    return this.#versions(scope, name).some((kept) => kept.version === version);
  }

  save({ scope, name, version, mimeType, bytes, sources = [] }: ArtifactWrite): void {
    if (sources.some((source) => this.#gone.has(source))) return;
    const byName = getOrAdd(this.#scopes, pathOf(scope), () => new Map<string, Kept[]>());
    const versions = getOrAdd(byName, name, () => []);
    let kept = versions.find((one) => one.version === version);
    if (kept === undefined) {
      kept = { name, version, mimeType, size: bytes.byteLength, bytes: Uint8Array.from(bytes), sources: [] };
      versions.push(kept);
    }
    for (const source of sources) {
      if (!kept.sources.includes(source)) kept.sources.push(source);
      const places = getOrAdd(this.#quoting, quotingPath(scope, source), () => new Map<string, Place>());
      places.set(placePath(scope, kept), { scope, name, version });
    }
  }

  find(query: ArtifactQuery): readonly StoredArtifact[] {
    const byName = this.#scopes.get(pathOf(query.scope));
    const names = query.name === undefined ? [...(byName?.keys() ?? [])].sort(compareCodePoints) : [query.name];
    const all = names.flatMap((name) => byName?.get(name) ?? []);
    const versions = query.version === undefined ? all : all.filter(({ version }) => version === query.version);
    if (query.bytes !== true) return versions.map(({ bytes: _, sources: __, ...info }) => info);
    return versions.slice(-1).map(({ bytes, sources, ...info }) => ({
      ...info,
      bytes: Uint8Array.from(bytes),
      ...(query.sources ? { sources: [...sources] } : {}),
    }));
  }

  /** Removes the versions of one name, or of all, and returns how many there were. */
  remove(scope: ArtifactScope, name: string | undefined): number {
    const path = pathOf(scope);
    const byName = this.#scopes.get(path);
    if (byName === undefined) return 0;
    const gone = name === undefined ? [...byName.values()].flat() : (byName.get(name) ?? []);
    for (const kept of gone) this.#unquote(scope, kept);
    if (name === undefined) this.#scopes.delete(path);
    else byName.delete(name);
    return gone.length;
  }

  /** Removes these versions, or their bytes, and returns how many of them there were. */
  removeVersions(scope: ArtifactScope, wanted: readonly ErasedVersion[]): number {
    let gone = 0;
    for (const { name, version, leaves } of wanted) {
      const versions = this.#versions(scope, name);
      const at = versions.findIndex((kept) => kept.version === version);
      const kept = versions[at];
      if (kept === undefined) continue;
      this.#unquote(scope, kept);
      const empty = { name, version, size: 0, bytes: new Uint8Array(), sources: [] };
      const left = leaves === undefined ? [] : [{ ...empty, mimeType: leaves }];
      gone += versions.splice(at, 1, ...left).length;
    }
    return gone;
  }

  /** Removes the versions of a user's sessions that have one of these sources, and returns how many there were. */
  removeQuotes(user: ArtifactScope, quoting: readonly string[]): number {
    let gone = 0;
    for (const source of quoting) {
      const places = [...(this.#quoting.get(quotingPath(user, source))?.values() ?? [])];
      for (const { scope, ...version } of places) gone += this.removeVersions(scope, [version]);
    }
    return gone;
  }

  /** From now on, versions with one of these sources are not saved. */
  leaveOut(sources: readonly string[]): void {
    for (const source of sources) this.#gone.add(source);
    for (const oldest of this.#gone) {
      if (this.#gone.size <= mostGone) return;
      this.#gone.delete(oldest);
    }
  }

  #versions(scope: ArtifactScope, name: string): Kept[] {
    return this.#scopes.get(pathOf(scope))?.get(name) ?? [];
  }

  #unquote(scope: ArtifactScope, kept: Kept): void {
    for (const source of kept.sources) {
      const path = quotingPath(scope, source);
      const places = this.#quoting.get(path);
      places?.delete(placePath(scope, kept));
      if (places?.size === 0) this.#quoting.delete(path);
    }
  }
}

function pathOf(scope: ArtifactScope): string {
  return JSON.stringify([scope.appName, scope.userId, ...('sessionId' in scope ? [scope.sessionId] : [])]);
}

function quotingPath({ appName, userId }: ArtifactScope, source: string): string {
  return JSON.stringify([appName, userId, source]);
}

function placePath(scope: ArtifactScope, { name, version }: Pick<Kept, 'name' | 'version'>): string {
  return JSON.stringify([pathOf(scope), name, version]);
}

function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
