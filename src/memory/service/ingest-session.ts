import { PalimpsestError } from '../../errors/index.ts';
import { type Event, parseId, type SeqRange } from '../../events/index.ts';
import { applyChanges, type Planned } from './apply-changes.ts';
import { ChangeSet } from './change-set.ts';
import { readRanges, withdraw } from './delete-memories.ts';
import { turnOf } from './learn-from-events.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { Ingestion, SessionSource } from './memory-service.ts';
import type { MemoryStore, Owner, OwnerHead, PartitionKey, SourceKey, StoredEntry } from './memory-store.ts';
import { type Passage, passagesOf } from './passages.ts';
import { bad } from './read-memory.ts';
import { requireCount } from './read-search.ts';

interface Turn {
  readonly entry: MemoryEntry;
  readonly passages: readonly Passage[];
}

interface Step {
  readonly owner: Owner;
  readonly key: SourceKey;
  readonly partition: PartitionKey;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly turns: readonly Turn[];
  readonly retract: readonly SeqRange[];
}

/** Takes one step along a session's log: retracts, adds and moves the watermark, in one commit. */
export async function ingestSession(
  store: MemoryStore,
  ingestion: Ingestion,
): Promise<{ readonly added: number; readonly removed: number }> {
  const step = readStep(ingestion);
  return applyChanges(store, step.owner, (head) => planStep(store, head, step));
}

/** Checks the ids of a source. */
export function readSource(source: SessionSource): SessionSource {
  return {
    appName: parseId(source?.appName, 'source.appName'),
    userId: parseId(source.userId, 'source.userId'),
    ...(source.projectId !== undefined && { projectId: parseId(source.projectId, 'source.projectId') }),
    sessionId: parseId(source.sessionId, 'source.sessionId'),
    incarnation: parseId(source.incarnation, 'source.incarnation'),
  };
}

function readStep(ingestion: Ingestion): Step {
  const source = readSource(ingestion?.source);
  const { fromSeq, toSeq, events, retract = [] } = ingestion;
  requireCount(fromSeq, 'fromSeq');
  requireCount(toSeq, 'toSeq');
  if (toSeq < fromSeq) throw bad('toSeq', `must not be below fromSeq, which is ${fromSeq}`);
  if (!Array.isArray(events)) throw bad('events', 'must be a list of events');
  const bySeq = new Map<number, Event>(events.map((event: Event) => [event.seq, event]));
  const ahead = events.findIndex((event: Event) => event.seq > toSeq);
  if (ahead >= 0) throw bad(`events[${ahead}].seq`, `is above toSeq, which is ${toSeq}`);
  const inOrder = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
  const { appName, userId, projectId, sessionId, incarnation } = source;
  return {
    owner: { appName, userId },
    key: { sessionId, incarnation },
    partition: projectId === undefined ? {} : { projectId },
    fromSeq,
    toSeq,
    turns: inOrder.flatMap((event) => {
      const entry = turnOf(event, source);
      return entry === undefined ? [] : { entry, passages: passagesOf(entry) };
    }),
    retract: readRanges(retract, 'retract'),
  };
}

async function planStep(
  store: MemoryStore,
  head: OwnerHead | undefined,
  step: Step,
): Promise<Planned<{ added: number; removed: number }>> {
  const { owner, key, partition, retract } = step;
  const source = await store.source(owner, key);
  if (source?.seq !== undefined && source.seq !== step.fromSeq) {
    const { sessionId } = key;
    throw new PalimpsestError('WATERMARK_MOVED', { sessionId, expected: step.fromSeq, actual: source.seq });
  }
  const changes = new ChangeSet(owner, head);
  const hidden = retract.length === 0 ? [] : await store.entries(owner, { by: 'source', ...key, ranges: retract });
  const gone = withdraw(changes, hidden, { ...key, ranges: retract });
  const goneIds = new Set(gone.map(({ entry }) => entry.id));
  const ids = step.turns.map(({ entry }) => entry.id);
  const known = new Set((await store.entries(owner, { by: 'id', ids })).map(({ entry }) => entry.id));
  const fresh = step.turns.filter(({ entry }) => !known.has(entry.id) || goneIds.has(entry.id));
  let lastTurn = lastLeft(source?.lastTurn ?? 0, gone);
  for (const { entry, passages } of fresh) {
    changes.add({ partition, entry, passages, turn: { source: key, number: ++lastTurn } });
  }
  changes.readTo({ ...key, seq: step.toSeq, lastTurn });
  return { result: { added: fresh.length, removed: gone.length }, changes };
}

/** A rewind hides the end of a log, so its numbers become free and turns stay numbered without gaps. */
function lastLeft(lastTurn: number, gone: readonly StoredEntry[]): number {
  const numbers = new Set(gone.map(({ turn }) => turn?.number));
  let last = lastTurn;
  while (numbers.has(last)) last--;
  return last;
}
