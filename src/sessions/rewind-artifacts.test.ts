import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../events/index.ts';
import { systemClock } from '../internal/index.ts';
import { BookkeepingCache } from './bookkeeping-cache.ts';
import { createSessionService } from './create-session-service.ts';
import { HeadCache } from './head-cache.ts';
import { createInMemorySessionStore } from './in-memory-session-store.ts';
import { KeyLock } from './key-lock.ts';
import { LogView } from './log-view.ts';
import { planArtifactRewind } from './rewind-artifacts.ts';
import type { SessionParts } from './session-parts.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };

/** A session whose events save artifacts: each save is one invocation, named after its place. */
async function saving(...saves: readonly (readonly [name: string, byte: number])[]) {
  const store = createInMemorySessionStore();
  const sessions = createSessionService({ store });
  await sessions.create(key);
  for (const [index, [name, byte]] of saves.entries()) {
    const version = await sessions.artifacts.put(key, name, new Uint8Array([byte]), `x/${byte}`);
    const actions = { artifactDelta: { [name]: version } };
    await sessions.append(key, [
      { author: 'user', content: 'save', invocationId: `i${index + 1}` },
      { author: 'assistant', content: 'saved', invocationId: `i${index + 1}`, actions },
    ]);
  }
  return { store, sessions };
}

async function plan({ store, sessions }: Awaited<ReturnType<typeof saving>>, fromSeq: number) {
  const parts: SessionParts = {
    store,
    clock: systemClock,
    countTokens: estimateTokens,
    merges: {},
    heads: new HeadCache(),
    bookkeeping: new BookkeepingCache(),
    locks: new KeyLock(),
  };
  const head = await store.head(key);
  if (head === undefined) return expect.fail('there is no session');
  const seq = ((await sessions.open(key))?.version ?? 0) + 1;
  const rewind = { seq, actions: { rewind: { beforeInvocationId: 'i', fromSeq } } };
  const { artifacts, artifactDelta } = await planArtifactRewind(parts, head, new LogView(store, key), rewind);
  return {
    artifactDelta,
    writes: artifacts.map(({ name, version, mimeType, bytes }) => [name, version, mimeType, ...bytes]),
  };
}

describe('planArtifactRewind', () => {
  it('puts back the bytes that counted before as a new version, and none where there were none', async () => {
    const session = await saving(['map', 1], ['map', 2], ['list', 3]);
    expect(await plan(session, 3)).toEqual({
      artifactDelta: { map: 2, list: 1 },
      writes: [
        ['map', 2, 'x/1', 1],
        ['list', 1, 'application/octet-stream'],
      ],
    });
  });

  it('leaves alone what no hidden event has saved, and artifacts of the user', async () => {
    expect(await plan(await saving(['map', 1], ['list', 2]), 5)).toEqual({ artifactDelta: undefined, writes: [] });
    const session = await saving(['user:map', 1], ['user:map', 2]);
    expect(await plan(session, 1)).toEqual({ artifactDelta: undefined, writes: [] });
    expect(await plan(await saving(), 1)).toEqual({ artifactDelta: undefined, writes: [] });
  });

  it('brings back what a rewind took when that is rewound', async () => {
    const session = await saving(['map', 1], ['map', 2]);
    const rewind = await session.sessions.rewind(key, { beforeInvocationId: 'i2' });
    expect((await session.sessions.artifacts.get(key, 'map'))?.bytes).toEqual(new Uint8Array([1]));
    expect(await plan(session, rewind.seq)).toEqual({ artifactDelta: { map: 3 }, writes: [['map', 3, 'x/2', 2]] });
  });
});
