import type { ArtifactInfo, ArtifactScope } from '../events/index.ts';
import { getOrAdd } from './get-or-add.ts';
import type { ArtifactQuery, ArtifactWrite, ErasedVersion } from './session-store.ts';

type KeptArtifact = ArtifactInfo & { readonly bytes: Uint8Array };

/** The artifacts of the in-memory store: all versions by name, by scope. */
export class InMemoryArtifacts {
  readonly #scopes = new Map<string, Map<string, KeptArtifact[]>>();

  /** True if a version that is to be saved is there already and may not be. */
  stands({ scope, name, version, contentAddressed }: ArtifactWrite): boolean {
    if (contentAddressed) return false;
    return (
      this.#scopes
        .get(pathOf(scope))
        ?.get(name)
        ?.some((kept) => kept.version === version) ?? false
    );
  }

  save({ scope, name, version, mimeType, bytes }: ArtifactWrite): void {
    const byName = getOrAdd(this.#scopes, pathOf(scope), () => new Map<string, KeptArtifact[]>());
    const versions = getOrAdd(byName, name, () => []);
    if (versions.some((kept) => kept.version === version)) return;
    versions.push({ name, version, mimeType, size: bytes.byteLength, bytes: Uint8Array.from(bytes) });
  }

  find(query: ArtifactQuery): readonly (ArtifactInfo & { readonly bytes?: Uint8Array })[] {
    const byName = this.#scopes.get(pathOf(query.scope));
    const names = query.name === undefined ? [...(byName?.keys() ?? [])].sort(compareCodePoints) : [query.name];
    const all = names.flatMap((name) => byName?.get(name) ?? []);
    const versions = query.version === undefined ? all : all.filter(({ version }) => version === query.version);
    if (query.bytes !== true) return versions.map(({ bytes: _, ...info }) => info);
    return versions.slice(-1).map((one) => ({ ...one, bytes: Uint8Array.from(one.bytes) }));
  }

  /** Removes the versions of one name, or of all, and returns how many there were. */
  remove(scope: ArtifactScope, name: string | undefined): number {
    const path = pathOf(scope);
    const byName = this.#scopes.get(path);
    if (byName === undefined) return 0;
    const gone = name === undefined ? [...byName.values()].flat().length : (byName.get(name)?.length ?? 0);
    if (name === undefined) this.#scopes.delete(path);
    else byName.delete(name);
    return gone;
  }

  /** Removes these versions, or their bytes, and returns how many of them there were. */
  removeVersions(scope: ArtifactScope, wanted: readonly ErasedVersion[]): number {
    let gone = 0;
    for (const { name, version, leaves } of wanted) {
      const versions = this.#scopes.get(pathOf(scope))?.get(name);
      const at = versions?.findIndex((kept) => kept.version === version) ?? -1;
      if (at === -1) continue;
      const left = leaves === undefined ? [] : [{ name, version, mimeType: leaves, size: 0, bytes: new Uint8Array() }];
      gone += versions?.splice(at, 1, ...left).length ?? 0;
    }
    return gone;
  }
}

function pathOf(scope: ArtifactScope): string {
  return JSON.stringify([scope.appName, scope.userId, ...('sessionId' in scope ? [scope.sessionId] : [])]);
}

function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
