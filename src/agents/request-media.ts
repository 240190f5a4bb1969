import { SettledFold, settledCount } from '../context/assembly/index.ts';
import { isPalimpsestError } from '../errors/index.ts';
import type { ArtifactStore, Content, Event, ModelRequest, Part, SessionKey } from '../events/index.ts';
import { artifactName, isMovedData } from './artifact-name.ts';
import { nameOf } from './recent-map.ts';

/** The most base64 text that is kept from one request to the next, in characters. */
const mostKept = 64 * 1024 * 1024;

/** Bytes of an artifact as a request carries them. */
interface Loaded {
  readonly data: string;
  readonly mimeType: string;
}

/** The parts of contents that refer to artifacts. */
export class References {
  readonly parts: Part[];

  constructor(parts: readonly Part[] = []) {
    this.parts = [...parts];
  }

  copy(): References {
    return new References(this.parts);
  }

  add({ parts }: Content): void {
    for (const part of parts) if (nameIn(part) !== undefined) this.parts.push(part);
  }
}

/** One version of an artifact that a request refers to. */
interface Wanted {
  readonly name: string;
  readonly version: number;
}

/**
 * The media that a session keeps as artifacts, loaded for the requests of one invocation: no provider can fetch them by
 * the references that stand for them in the log. What was loaded last is kept for the next request, up to a bound.
 */
export class RequestMedia {
  readonly #artifacts: Pick<ArtifactStore, 'get'>;
  readonly #key: SessionKey;
  readonly #capacity: number;
  /** In the order of their last use. */
  readonly #kept = new Map<string, Loaded>();
  #size = 0;

  constructor(artifacts: Pick<ArtifactStore, 'get'>, key: SessionKey, capacity: number = mostKept) {
    this.#artifacts = artifacts;
    this.#key = key;
    this.#capacity = capacity;
  }

  /**
   * The request with the bytes in the places of their references. A reference names no version: it means the newest one
   * that its event or one before it has recorded in `artifactDelta`, and the first if none has. References whose bytes
   * are not there, because they were erased or never saved, stay as they are.
   */
  async fill(
    request: ModelRequest,
    events: readonly Event[],
    references: SettledFold<References> = new SettledFold(),
  ): Promise<ModelRequest> {
    const { parts: named } = references.fold({
      contents: request.contents,
      settled: settledCount(request),
      key: [],
      empty: () => new References(),
      add: (found, content) => found.add(content),
    });
    if (named.length === 0) return request;
    const versionOf = versionsIn(named, events);
    const found = new Map<Part, Part>();
    const loaded = new Map<string, Loaded | undefined>();
    for (const part of named) {
      const name = nameIn(part) ?? '';
      const wanted = { name, version: versionOf(part, name) };
      const place = placeOf(wanted);
      if (!loaded.has(place)) loaded.set(place, await this.#load(wanted));
      const media = loaded.get(place);
      if (media !== undefined) found.set(part, filled(part, media));
    }
    if (found.size === 0) return request;
    const contents = request.contents.map((content) => withParts(content, found));
    return Object.freeze({ ...request, contents });
  }

  async #load(wanted: Wanted): Promise<Loaded | undefined> {
    const place = placeOf(wanted);
    const media = this.#kept.get(place) ?? (await this.#read(wanted));
    if (media !== undefined) this.#keep(place, media);
    return media;
  }

  async #read({ name, version }: Wanted): Promise<Loaded | undefined> {
    try {
      const artifact = await this.#artifacts.get(this.#key, name, version);
      if (artifact === undefined || artifact.size === 0) return undefined;
      const { buffer, byteOffset, byteLength } = artifact.bytes;
      return { data: Buffer.from(buffer, byteOffset, byteLength).toString('base64'), mimeType: artifact.mimeType };
    } catch (error) {
      // Whoever wrote the event may have named what no artifact can be called.
      if (isPalimpsestError(error, 'INVALID_ARGUMENT')) return undefined;
      throw error;
    }
  }

  #keep(place: string, media: Loaded): void {
    this.#drop(place);
    this.#kept.set(place, media);
    this.#size += media.data.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#capacity) return;
      this.#drop(oldest);
    }
  }

  #drop(place: string): void {
    this.#size -= this.#kept.get(place)?.data.length ?? 0;
    this.#kept.delete(place);
  }
}

/** Which version each of these parts means. A part that stands in no event means the newest. */
function versionsIn(named: readonly Part[], events: readonly Event[]): (part: Part, name: string) => number {
  const wanted = new Set(named.filter((part) => !isMovedData(nameIn(part) ?? '')));
  const newest = new Map<string, number>();
  const meant = new Map<Part, number>();
  // What was moved out of an event has one version, so most logs need no look.
  if (wanted.size === 0) return () => 0;
  for (const { content, actions } of events) {
    for (const [name, version] of Object.entries(actions.artifactDelta ?? {})) newest.set(name, version);
    for (const part of content?.parts ?? []) if (wanted.has(part)) meant.set(part, newest.get(nameIn(part) ?? '') ?? 0);
  }
  return (part, name) => meant.get(part) ?? newest.get(name) ?? 0;
}

function nameIn({ fileData }: Part): string | undefined {
  return fileData && artifactName(fileData);
}

function placeOf({ name, version }: Wanted): string {
  return nameOf(name, String(version));
}

function filled({ fileData, ...rest }: Part, media: Loaded): Part {
  const { mimeType = media.mimeType, displayName } = fileData ?? {};
  return { ...rest, inlineData: { mimeType, data: media.data, ...(displayName === undefined ? {} : { displayName }) } };
}

function withParts(content: Content, found: ReadonlyMap<Part, Part>): Content {
  if (!content.parts.some((part) => found.has(part))) return content;
  return { ...content, parts: content.parts.map((part) => found.get(part) ?? part) };
}
