import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteSessionStore, SqliteFile } from '../../src/backends/sqlite/index.ts';
import { PalimpsestError } from '../../src/errors/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionStore } from '../../src/sessions/index.ts';
import { ManualClock, ManualHooks, type SessionSubject, sessionLawMerges } from '../../src/testing/index.ts';

/** A subject whose two services stand on these stores, with the given clean-up. */
export function subjectOf(stores: readonly [SessionStore, SessionStore], cleanUp?: () => void): SessionSubject {
  const clock = new ManualClock();
  const hooks = new ManualHooks();
  const { beforeAppend, beforeErase } = hooks;
  const options = { clock, merges: sessionLawMerges, beforeAppend, beforeErase };
  const [first, second] = stores.map((store) => createSessionService({ store, ...options }));
  if (!first || !second) throw new TypeError('two stores are needed');
  return {
    first,
    second,
    clock,
    hooks,
    capabilities: new Set(['artifacts']),
    async dispose() {
      await first.close();
      await second.close();
      cleanUp?.();
    },
  };
}

/** Two services on one store in memory. */
export async function inMemorySubject(): Promise<SessionSubject> {
  const store = createInMemorySessionStore();
  return subjectOf([store, store]);
}

/** Two services that each opened one SQLite file for themselves, at once. */
export async function sqliteSubject(): Promise<SessionSubject> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-laws-'));
  const file = join(folder, 'laws.db');
  const files = await Promise.all([SqliteFile.open({ file }), SqliteFile.open({ file })]);
  return subjectOf([createSqliteSessionStore(files[0]), createSqliteSessionStore(files[1])], () => {
    for (const one of files) one.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Two services on a store that says, and means, that it keeps no artifacts. */
export async function withoutArtifacts(): Promise<SessionSubject> {
  const store = refuseArtifacts(createInMemorySessionStore());
  return { ...subjectOf([store, store]), capabilities: new Set() };
}

function refuseArtifacts(store: SessionStore): SessionStore {
  const refuse = (): never => {
    throw new PalimpsestError('NOT_SUPPORTED', { capability: 'Keeping artifacts', instead: 'Use another store.' });
  };
  return {
    name: store.name,
    head: (key) => store.head(key),
    commit: async (commit) => (commit.artifacts?.length ? refuse() : store.commit(commit)),
    rows: (query) => store.rows(query),
    states: (scope, query) => store.states(scope, query),
    list: (query) => store.list(query),
    remove: async (removal) => (removal.what === 'artifacts' && removal.name ? refuse() : store.remove(removal)),
    artifacts: async (query) => ('sessionId' in query.scope && query.name !== undefined ? refuse() : []),
    health: () => store.health(),
    close: () => store.close(),
  };
}
