import { PalimpsestError } from '../errors/index.ts';
import type { Event, EventActions, EventDraft, SessionKey } from '../events/index.ts';
import { canonicalJson } from '../internal/index.ts';
import type { SessionStore } from './session-store.ts';

/** Fields that the log gives, or fills in when the caller leaves them out. */
const given = new Set([
  'seq',
  'id',
  'invocationId',
  'origin',
  'importedFrom',
  'timestamp',
  'recordedAt',
  'timeZone',
  'tokens',
]);

/**
 * The stored events of a batch that has been stored before, or `undefined` if none of its ids is stored. Throws
 * EVENT_ID_REUSED if an id stands with other content, or only a part of the batch is stored.
 */
export async function findStored(
  store: SessionStore,
  key: SessionKey,
  drafts: readonly EventDraft[],
): Promise<readonly Event[] | undefined> {
  const ids = drafts.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return undefined;
  const byId = new Map((await store.rows({ key, ids })).map((event) => [event.id, event]));
  if (byId.size === 0) return undefined;
  return drafts.map((draft) => {
    const stored = draft.id === undefined ? undefined : byId.get(draft.id);
    if (stored === undefined) {
      const eventId = [...byId.keys()][0] ?? '';
      throw reused(key, eventId, 'is stored already, other events of the batch are not');
    }
    if (!isSame(draft, stored)) throw reused(key, stored.id, 'stands with other content');
    return stored;
  });
}

/** Throws EVENT_ID_REUSED if two events of a batch have one id. */
export function refuseRepeatedIds(key: SessionKey, drafts: readonly EventDraft[]): void {
  if (drafts.length < 2) return;
  const seen = new Set<string>();
  for (const { id } of drafts) {
    if (id === undefined) continue;
    if (seen.has(id)) throw reused(key, id, 'stands twice in the batch');
    seen.add(id);
  }
}

function isSame(draft: EventDraft, stored: Event): boolean {
  const fields = new Set([...Object.keys(draft), ...Object.keys(stored)]);
  for (const field of fields) {
    const wanted: unknown = Reflect.get(draft, field);
    if (wanted === undefined && given.has(field)) continue;
    if (field === 'actions') {
      if (canonicalJson(comparable(draft.actions)) !== canonicalJson(comparable(stored.actions))) return false;
    } else if (canonicalJson(wanted) !== canonicalJson(Reflect.get(stored, field))) return false;
  }
  return true;
}

/** Actions without what the log works out: an outline, where a rewind starts and the artifact versions it makes. */
function comparable(actions: EventActions): unknown {
  if (actions.compaction !== undefined)
    return { ...actions, compaction: { ...actions.compaction, outline: undefined } };
  if (actions.rewind === undefined) return actions;
  const { beforeInvocationId, shared } = actions.rewind;
  return { ...actions, artifactDelta: undefined, rewind: { beforeInvocationId, shared } };
}

function reused(key: SessionKey, eventId: string, reason: string): PalimpsestError {
  return new PalimpsestError('EVENT_ID_REUSED', { sessionId: key.sessionId, eventId, reason });
}
