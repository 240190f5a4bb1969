import type { Event, JsonValue } from '../events/index.ts';
import { getOrAdd } from './get-or-add.ts';
import type { LogView } from './log-view.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionHead, StateScope, StateValue, StateWrite } from './session-store.ts';
import {
  changesOf,
  foldSessionState,
  fullKey,
  mergeFor,
  type StateChange,
  scopedKey,
  scopeOf,
  writesOf,
} from './state.ts';

/** The state that a commit writes. */
export interface StatePlan {
  readonly states: readonly StateWrite[];
  readonly replaceSessionState?: true;
}

const sharedKinds = ['user', 'app'] as const;

/** What appending events does to state. A rewind among them folds the session's own state anew. */
export async function planState(
  parts: SessionParts,
  head: SessionHead,
  events: readonly Event[],
  log: LogView,
): Promise<StatePlan> {
  const changes = events.flatMap((event) => changesOf(event));
  const rewinds = events.filter((event) => event.actions.rewind !== undefined);
  if (changes.length === 0 && rewinds.length === 0) return { states: [] };
  if (rewinds.length === 0) return { states: await writesFor(parts, head, changes) };
  const sharedChanges = changes.filter(({ key }) => scopedKey(key).kind !== 'session');
  const restored = rewinds.some((event) => event.actions.rewind?.shared)
    ? await restoreShared(parts, head, events, log)
    : [];
  const states = [
    ...(await refoldSessionState(parts, head, log)),
    ...(await writesFor(parts, head, sharedChanges)),
    ...restored,
  ];
  return { states, replaceSessionState: true };
}

/** The session's own state as a fold of its live events, as writes that replace what is stored. */
export async function refoldSessionState(parts: SessionParts, head: SessionHead, log: LogView): Promise<StateWrite[]> {
  const coverage = await log.coverage();
  const live = (await log.stateEvents()).filter(({ seq }) => coverage.isLive(seq));
  return sessionWrites(
    head,
    foldSessionState(
      live.flatMap((event) => changesOf(event)),
      parts.merges,
    ),
  );
}

/** Values of session state as writes. */
export function sessionWrites(head: SessionHead, state: ReadonlyMap<string, JsonValue>): StateWrite[] {
  return [...state].map(([key, value]) => ({ scope: scopeOf('session', head.key), key, value }));
}

async function writesFor(
  parts: SessionParts,
  head: SessionHead,
  changes: readonly StateChange[],
): Promise<StateWrite[]> {
  const current = new Map<string, StateValue>();
  const merged = new Map<StateScope['kind'], Set<string>>();
  for (const { key } of changes) {
    if (!mergeFor(parts.merges, key)) continue;
    const { kind, name } = scopedKey(key);
    getOrAdd(merged, kind, () => new Set<string>()).add(name);
  }
  for (const [kind, keys] of merged) {
    for (const value of await parts.store.states(scopeOf(kind, head.key), { keys: [...keys] }))
      current.set(fullKey({ kind, name: value.key }), value);
  }
  return writesOf({ changes, key: head.key, incarnation: head.incarnation, merges: parts.merges, current });
}

/**
 * A shared rewind: each `user:` and `app:` key whose newest value came from an event that is hidden now goes back to
 * the newest value that did not. What other sessions wrote since stands.
 */
async function restoreShared(
  parts: SessionParts,
  head: SessionHead,
  events: readonly Event[],
  log: LogView,
): Promise<StateWrite[]> {
  const coverage = await log.coverage();
  const seq = events.findLast((event) => event.actions.rewind?.shared)?.seq ?? head.version;
  const isHidden = ({ source }: StateValue) => source?.incarnation === head.incarnation && !coverage.isLive(source.seq);
  const writes: StateWrite[] = [];
  for (const kind of sharedKinds) {
    const scope = scopeOf(kind, head.key);
    const newest = new Map((await parts.store.states(scope)).filter(isHidden).map((value) => [value.key, value]));
    if (newest.size === 0) continue;
    const history = groupByKey(await parts.store.states(scope, { history: true, keys: [...newest.keys()] }));
    for (const [key, { revision: expectedRevision }] of newest) {
      const value = history.get(key)?.findLast((revision) => !isHidden(revision))?.value;
      writes.push({ scope, key, value, expectedRevision, source: { incarnation: head.incarnation, seq } });
    }
  }
  return writes;
}

function groupByKey(values: readonly StateValue[]): Map<string, StateValue[]> {
  const groups = new Map<string, StateValue[]>();
  for (const value of values) {
    const group = groups.get(value.key);
    if (group) group.push(value);
    else groups.set(value.key, [value]);
  }
  return groups;
}
