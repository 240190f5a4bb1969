import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventInput, SeqRange } from '../events/index.ts';
import { createSessionService } from './create-session-service.ts';
import { createInMemorySessionStore } from './in-memory-session-store.ts';
import { LogRemains } from './log-remains.ts';
import { LogView } from './log-view.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };
const erased: readonly SeqRange[] = [[1, 3]];
const copied: readonly EventInput[] = [0, 1, 2].map((version) => ({
  author: 'user',
  content: '问',
  invocationId: 'copied',
  actions: { artifactDelta: { 图: version } },
}));

const invocationId = fc.constantFrom('copied', 'b', 'c', 'd');
const step = fc.oneof(
  fc.record({ say: invocationId, saves: fc.option(fc.nat(4), { nil: undefined }) }),
  fc.record({ show: invocationId }),
  fc.record({ rewind: invocationId }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function eventOf(what: Step): EventInput {
  if ('rewind' in what) return { author: 'system', actions: { rewind: { beforeInvocationId: what.rewind } } };
  if ('show' in what) {
    const fileData = { fileUri: 'artifact:图', mimeType: 'image/png' };
    return { author: 'agent', content: { parts: [{ fileData }] }, invocationId: what.show };
  }
  const actions = what.saves === undefined ? {} : { actions: { artifactDelta: { 图: what.saves } } };
  return { author: 'user', content: '说', invocationId: what.say, ...actions };
}

async function headOf(store: ReturnType<typeof createInMemorySessionStore>) {
  return (await store.head(key)) ?? expect.unreachable();
}

function toldBy({ facts, named }: LogRemains) {
  const versions = [0, 1, 2, 3, 4, 5, 6].map((version) => ['图', version] as const);
  return [facts.ofHead, versions.map((one) => named.has(one)), versions.map((one) => named.isQuoted(one))];
}

test('what remains is the same, read at once or as the log grows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), async (batches) => {
      const store = createInMemorySessionStore();
      const sessions = createSessionService({ store });
      await sessions.create(key);
      await sessions.append(key, copied);
      const growing = new LogRemains();
      for (const batch of [[], ...batches]) {
        // A rewind to what is not there is refused, and nothing of its batch is stored.
        await sessions.append(key, batch.map(eventOf)).catch(() => undefined);
        await growing.read(new LogView(store, key), await headOf(store), erased);
        const atOnce = new LogRemains();
        await atOnce.read(new LogView(store, key), await headOf(store), erased);
        expect(toldBy(growing)).toEqual(toldBy(atOnce));
      }
    }),
  );
});

test('a URI means the version that was the newest where it stands, and erased events name nothing', async () => {
  const store = createInMemorySessionStore();
  const sessions = createSessionService({ store });
  await sessions.create(key);
  await sessions.append(key, [...copied, eventOf({ show: 'b' })]);
  const remains = new LogRemains();
  await remains.read(new LogView(store, key), await headOf(store), erased);
  expect([0, 1, 2].map((version) => remains.named.has(['图', version]))).toEqual([false, false, true]);
});
