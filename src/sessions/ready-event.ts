import { type EventDraft, type EventInput, prepareEvent, refuseTooLarge, type SessionKey } from '../events/index.ts';
import { extractInlineData } from './inline-artifacts.ts';
import type { SessionParts } from './session-parts.ts';
import type { ArtifactWrite } from './session-store.ts';

/** A checked event on its way into the log. */
export interface ReadyEvent {
  readonly draft: EventDraft;
  readonly artifacts: readonly ArtifactWrite[];
  readonly replacedSurrogates: number;
}

/**
 * Takes an event through everything that needs no log: the hook, the checks, the move of large inline data and the
 * limit of its size. `field` is the path that errors start with.
 */
export async function readyEvent(
  parts: SessionParts,
  input: EventInput,
  field: string,
  key: SessionKey,
): Promise<ReadyEvent> {
  const { beforeAppend } = parts;
  const prepared = prepareEvent(beforeAppend ? await beforeAppend(input, key) : input, field);
  const { draft, artifacts, saved } = extractInlineData(prepared.draft, key);
  refuseTooLarge(draft, field, prepared.size - saved);
  return { draft, artifacts, replacedSurrogates: prepared.replacedSurrogates };
}
