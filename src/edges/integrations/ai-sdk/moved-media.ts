import type { ArtifactStore, Content, ModelRequest, Part, SessionKey } from '../../../index.ts';

/** Begins the URI of media that were too large to stay in their event. */
const movedScheme = 'artifact:';
const movedFolder = 'inline/';

/**
 * A request with the media in it that the log has moved out of its events: a provider cannot fetch them from there.
 * Those that were erased stay as they are named.
 */
export async function withMovedMedia(
  artifacts: ArtifactStore,
  key: SessionKey,
  request: ModelRequest,
): Promise<ModelRequest> {
  if (!request.contents.some(({ parts }) => parts.some((part) => movedName(part) !== undefined))) return request;
  const found = new Map<string, string | undefined>();
  const contents: Content[] = [];
  for (const content of request.contents) {
    const parts: Part[] = [];
    for (const part of content.parts) {
      const name = movedName(part);
      if (name !== undefined && !found.has(name)) found.set(name, await base64Of(artifacts, key, name));
      const data = name === undefined ? undefined : found.get(name);
      parts.push(data === undefined ? part : broughtBack(part, data));
    }
    contents.push({ ...content, parts });
  }
  return { ...request, contents };
}

function movedName({ fileData }: Part): string | undefined {
  const start = movedScheme + movedFolder;
  return fileData?.fileUri.startsWith(start) ? fileData.fileUri.slice(movedScheme.length) : undefined;
}

async function base64Of(artifacts: ArtifactStore, key: SessionKey, name: string): Promise<string | undefined> {
  const artifact = await artifacts.get(key, name);
  return artifact === undefined || artifact.size === 0 ? undefined : Buffer.from(artifact.bytes).toString('base64');
}

function broughtBack({ fileData, ...rest }: Part, data: string): Part {
  const { mimeType = 'application/octet-stream', displayName } = fileData ?? {};
  return { ...rest, inlineData: { mimeType, data, ...(displayName === undefined ? {} : { displayName }) } };
}
