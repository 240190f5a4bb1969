import type { JsonMap, RequestJournal } from '../events/index.ts';
import type { ModelCall } from '../models/index.ts';
import { jsonHash } from './content-hashes.ts';
import type { PreparedRequest } from './invocation-driver.ts';
import { sourcesMetadata } from './memory-sources.ts';

/** What the event of an answer says of the request that was sent. */
export interface SentRequest {
  readonly journal?: RequestJournal;
  readonly metadata?: JsonMap;
}

/** What besides its request decides about the answer to a call, as JSON. */
export function configOf({
  settings,
  outputSchema,
}: {
  readonly settings?: ModelCall['settings'] | undefined;
  readonly outputSchema?: JsonMap | undefined;
}): JsonMap {
  return JSON.parse(JSON.stringify({ settings, outputSchema }));
}

/**
 * Tells of a call that a callback chose in the place of the one it was shown. Other settings have a hash of their own in
 * the journal. A request of the callback's own was made by no rules that a journal could name: it has none, only
 * `requestReplaced`, and the sources of the memories that it may still quote.
 */
export function sentRequest(
  { journal, memories }: Pick<PreparedRequest, 'journal' | 'memories'>,
  { shown, chosen }: { readonly shown: ModelCall; readonly chosen: ModelCall },
): SentRequest {
  if (chosen.request !== shown.request) return { metadata: { requestReplaced: true, ...sourcesMetadata(memories) } };
  if (chosen.settings === shown.settings && chosen.outputSchema === shown.outputSchema) return { journal };
  return { journal: { ...journal, configHash: jsonHash(configOf(chosen)) } };
}
