/** Where artifacts live: with one session, or with a user across sessions. */
export type ArtifactScope =
  | { readonly appName: string; readonly userId: string; readonly sessionId: string }
  | { readonly appName: string; readonly userId: string };

/** One version of an artifact, without its bytes. */
export interface ArtifactInfo {
  readonly name: string;
  readonly version: number;
  readonly mimeType: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Bytes by name, every version kept until deleted. */
export interface ArtifactStore {
  /** Saves a new version and returns its number: 0, 1, 2 … */
  put(scope: ArtifactScope, name: string, bytes: Uint8Array, mimeType: string): Promise<number>;
  /** One version, the newest if none is named; `undefined` if there is none. */
  get(
    scope: ArtifactScope,
    name: string,
    version?: number,
  ): Promise<(ArtifactInfo & { readonly bytes: Uint8Array }) | undefined>;
  list(scope: ArtifactScope): Promise<readonly ArtifactInfo[]>;
  /** Removes all versions and returns how many there were. */
  delete(scope: ArtifactScope, name: string): Promise<number>;
}
