import type { EventDraft, Part, SessionKey } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';
import type { ArtifactWrite } from './session-store.ts';

/** Inline data with more bytes than this moves out of the event. */
export const maxInlineBytes = 64 * 1024;

/** Begins a URI that names an artifact of the session's own. */
export const artifactScheme = 'artifact:';

const folder = 'inline/';

/** A draft whose large inline data are references, and the bytes to save under them. */
export interface Extracted {
  readonly draft: EventDraft;
  readonly artifacts: readonly ArtifactWrite[];
  /** How much smaller the draft became, in code units of JSON. */
  readonly saved: number;
}

/**
 * Moves large inline data into session artifacts named after their hash, so that the same event moves to the same
 * place when it is sent again.
 */
export function extractInlineData(draft: EventDraft, key: SessionKey): Extracted {
  const { content } = draft;
  if (content === undefined || !content.parts.some(isLarge)) return { draft, artifacts: [], saved: 0 };
  const artifacts = new Map<string, ArtifactWrite>();
  let saved = 0;
  const parts = content.parts.map((part): Part => {
    if (part.inlineData === undefined || !isLarge(part)) return part;
    const { inlineData, ...rest } = part;
    const bytes = Buffer.from(inlineData.data, 'base64');
    const name = folder + sha256(bytes);
    artifacts.set(name, { scope: key, name, version: 0, mimeType: inlineData.mimeType, bytes, contentAddressed: true });
    saved += inlineData.data.length;
    const displayName = inlineData.displayName === undefined ? {} : { displayName: inlineData.displayName };
    const fileData = Object.freeze({
      fileUri: `${artifactScheme}${name}`,
      mimeType: inlineData.mimeType,
      ...displayName,
    });
    return Object.freeze({ ...rest, fileData });
  });
  const moved = Object.freeze({ ...content, parts: Object.freeze(parts) });
  return { draft: Object.freeze({ ...draft, content: moved }), artifacts: [...artifacts.values()], saved };
}

function isLarge({ inlineData }: Part): boolean {
  return inlineData !== undefined && Buffer.byteLength(inlineData.data, 'base64') > maxInlineBytes;
}
