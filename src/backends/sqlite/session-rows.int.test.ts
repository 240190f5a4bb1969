import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/durability/scratch-folder.ts';
import { normalizeRanges, rangeAt, type SeqRange, type SessionKey } from '../../events/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionStore } from '../../sessions/index.ts';
import { SqliteFile } from './sqlite-file.ts';
import { createSqliteSessionStore } from './sqlite-session-store.ts';

async function bothStores(): Promise<readonly SessionStore[]> {
  const file = await SqliteFile.open({ file: join(scratchFolder(), 'rows.db') });
  onTestFinished(() => file.close());
  return [createInMemorySessionStore(), createSqliteSessionStore(file)];
}

let sessions = 0;
const newKey = (): SessionKey => ({ appName: 'app', userId: 'u', sessionId: `s${++sessions}` });

const invocation = fc.constantFrom('a', 'b', 'c');
const range = fc
  .tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 10 }))
  .map(([from, length]): SeqRange => [from, from + length]);
const ranges = fc.array(range, { minLength: 1, maxLength: 3 }).map(normalizeRanges);

/** The same log in both stores, ranges of it erased. */
async function tell(store: SessionStore, key: SessionKey, log: readonly string[], erased: readonly SeqRange[]) {
  const service = createSessionService({ store });
  await service.create(key);
  await service.append(
    key,
    log.map((invocationId) => ({ author: 'agent', content: 'x', invocationId })),
  );
  const head = await store.head(key);
  if (head === undefined || erased.length === 0) return;
  const commit = { expectedStamp: head.stamp, head: { ...head, stamp: head.stamp + 1 } };
  await store.remove({ what: 'events', key, ranges: erased, artifacts: [], quoting: [], commit });
}

describe('the rows of an invocation', () => {
  test('are those of its events that stand, from either end, in both stores', async () => {
    const stores = await bothStores();
    const query = fc.record({
      log: fc.array(invocation, { minLength: 1, maxLength: 30 }),
      erased: fc.oneof(fc.constant([]), ranges),
      wanted: invocation,
      within: fc.option(ranges, { nil: undefined }),
      newestFirst: fc.boolean(),
      limit: fc.integer({ min: 1, max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ log, erased, wanted, within, newestFirst, limit }) => {
        const key = newKey();
        const expected = log
          .map((invocationId, at) => ({ invocationId, seq: at + 1 }))
          .filter(({ invocationId }) => invocationId === wanted)
          .map(({ seq }) => seq)
          .filter((seq) => rangeAt(erased, seq) === -1 && (within === undefined || rangeAt(within, seq) !== -1));
        if (newestFirst) expected.reverse();
        for (const store of stores) {
          await tell(store, key, log, erased);
          const options = { newestFirst, limit, ...(within ? { ranges: within } : {}) };
          const rows = await store.rows({ key, invocationId: wanted, ...options });
          expect(
            rows.map(({ seq }) => seq),
            store.name,
          ).toEqual(expected.slice(0, limit));
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('shared state', () => {
  const key = fc.constantFrom('a', '名', '"', '\0', '__proto__', '10');
  const write = fc.record({ key, value: fc.option(fc.integer(), { nil: undefined, freq: 4 }) });

  test('is found by key, newest or with its history, alike in both stores', async () => {
    const stores = await bothStores();
    const story = fc.record({
      writes: fc.array(write, { maxLength: 25 }),
      keys: fc.option(fc.array(key, { maxLength: 4 }), { nil: undefined }),
      history: fc.boolean(),
      kind: fc.constantFrom('user', 'app', 'session'),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ writes, keys, history, kind }) => {
        const session = { ...newKey(), appName: `app${sessions}` };
        const { appName, userId } = session;
        const scopes = {
          user: { kind: 'user', appName, userId },
          app: { kind: 'app', appName },
          session: { kind: 'session', key: session },
        } as const;
        const found = [];
        for (const store of stores) {
          const service = createSessionService({ store });
          await service.create(session);
          for (const [at, { key: name, value }] of writes.entries()) {
            const head = await store.head(session);
            if (head === undefined) throw new TypeError('the session was made above');
            const states = [{ scope: scopes[kind], key: name, value, source: { incarnation: 'i', seq: at + 1 } }];
            await store.commit({ expectedStamp: head.stamp, head: { ...head, stamp: head.stamp + 1 }, states });
          }
          const values = await store.states(scopes[kind], { history, ...(keys ? { keys } : {}) });
          found.push([...values].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.revision - b.revision)));
        }
        expect(found[1]).toEqual(found[0]);
        const last = new Map(writes.map((each) => [each.key, each.value]));
        const standing = kind === 'session' ? [...last].filter(([, value]) => value !== undefined) : [...last];
        const wanted = standing.filter(([name]) => keys === undefined || keys.includes(name));
        const newest = new Map(found[0]?.map(({ key: name, value }) => [name, value]));
        expect(newest).toEqual(new Map(wanted));
      }),
      { numRuns: 60 },
    );
  });
});
