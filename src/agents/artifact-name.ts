import type { FileData } from '../events/index.ts';

const scheme = 'artifact:';
const movedFolder = 'inline/';

/** The name of the artifact of its session that a file reference means; `undefined` if it means something else. */
export function artifactName({ fileUri }: FileData): string | undefined {
  return fileUri.startsWith(scheme) ? fileUri.slice(scheme.length) : undefined;
}

/** True for a name under which a session keeps large inline data that it has moved out of an event. */
export function isMovedData(name: string): boolean {
  return name.startsWith(movedFolder);
}

/** The reference that stands in an event for such data, by the hash of the bytes. */
export function movedDataUri(hash: string): string {
  return scheme + movedFolder + hash;
}
