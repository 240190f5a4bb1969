import { isPalimpsestError } from '../../../errors/index.ts';
import { parseId } from '../../../events/index.ts';
import { sha256 } from '../../../internal/index.ts';

/** An id that the log accepts, and the foreign one it was derived from if that one would be refused. */
export interface SafeId {
  readonly id: string;
  readonly original?: string;
}

/** The foreign id itself where the log accepts it, else a digest of it: the same one at every import. */
export function safeId(foreign: string): SafeId {
  try {
    return { id: parseId(foreign, 'id') };
  } catch (error) {
    if (!isPalimpsestError(error, 'INVALID_ID')) throw error;
    return { id: `sha256-${sha256(foreign).slice(0, 32)}`, original: foreign };
  }
}
