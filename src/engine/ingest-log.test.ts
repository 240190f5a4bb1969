import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import type { SessionKey } from '../events/index.ts';
import { createInMemoryMemoryStore, createMemoryService, type MemoryService } from '../memory/service/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionService } from '../sessions/index.ts';
import { ingestLog } from './ingest-log.ts';

const key: SessionKey = { appName: 'a', userId: 'u', sessionId: 's' };

function parts(): { sessions: SessionService; memory: MemoryService } {
  return {
    sessions: createSessionService({ store: createInMemorySessionStore() }),
    memory: createMemoryService({ store: createInMemoryMemoryStore() }),
  };
}

/** The same memory, which runs something in place of the call that is the how many-th. */
function interrupting(memory: MemoryService, call: number, interrupt: () => Promise<void>): MemoryService {
  let calls = 0;
  return new Proxy(memory, {
    get: (target, name) => {
      if (name !== 'ingest') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (step: Parameters<MemoryService['ingest']>[0]) => {
        if (++calls === call) await interrupt();
        return target.ingest(step);
      };
    },
  });
}

async function say(sessions: SessionService, from: number, to: number): Promise<void> {
  const events = Array.from({ length: to - from + 1 }, (_, i) => ({ author: 'user', content: `turn ${from + i}` }));
  await sessions.append(key, events);
}

async function turns(memory: MemoryService): Promise<number[]> {
  const seqs: number[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await memory.list({ appName: 'a', userId: 'u' }, { limit: 1000, ...(cursor ? { cursor } : {}) });
    for (const { provenance } of page.items) if (provenance[0]?.kind === 'event') seqs.push(provenance[0].seq);
    cursor = page.nextCursor;
  }
  return seqs.sort((a, b) => a - b);
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

describe('ingestLog', () => {
  it('reads a long log in steps, and notes how far it is', async () => {
    const { sessions, memory } = parts();
    await sessions.create(key);
    await say(sessions, 1, 1203);
    await ingestLog({ sessions, memory }, key);
    expect(await turns(memory)).toEqual(upTo(1203));
    expect((await sessions.open(key))?.ingestedSeq).toBe(1203);
    expect(await sessions.listBehind({ appName: 'a' })).toEqual([]);
  });

  it('goes on where it was stopped', async () => {
    const { sessions, memory } = parts();
    await sessions.create(key);
    await say(sessions, 1, 1100);
    const stopping = interrupting(memory, 2, async () => {
      throw new PalimpsestError('ABORTED', { what: 'The process' });
    });
    await expect(ingestLog({ sessions, memory: stopping }, key)).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await turns(memory)).toEqual(upTo(200));
    await ingestLog({ sessions, memory }, key);
    expect(await turns(memory)).toEqual(upTo(1100));
  });

  it('misses nothing when a rewind beyond the step that was reached is rewound before it goes on', async () => {
    const { sessions, memory } = parts();
    await sessions.create(key);
    await say(sessions, 1, 600);
    const [early] = (await sessions.read(key, { fromSeq: 100, limit: 1 })).items;
    const rewind = await sessions.rewind(key, { beforeInvocationId: early?.invocationId ?? '' });
    const stopping = interrupting(memory, 2, async () => {
      throw new PalimpsestError('ABORTED', { what: 'The process' });
    });
    await expect(ingestLog({ sessions, memory: stopping }, key)).rejects.toMatchObject({ code: 'ABORTED' });
    await sessions.rewind(key, { beforeInvocationId: rewind.invocationId });
    await ingestLog({ sessions, memory }, key);
    expect(await turns(memory)).toEqual(upTo(600));
  });

  it('takes back in a later step what an earlier step has learnt', async () => {
    const { sessions, memory } = parts();
    await sessions.create(key);
    await say(sessions, 1, 600);
    const [early] = (await sessions.read(key, { fromSeq: 100, limit: 1 })).items;
    await sessions.rewind(key, { beforeInvocationId: early?.invocationId ?? '' });
    await ingestLog({ sessions, memory }, key);
    expect(await turns(memory)).toEqual(upTo(99));
  });

  it('begins again when another reader was faster', async () => {
    const { sessions, memory } = parts();
    await sessions.create(key);
    await say(sessions, 1, 10);
    const overtaken = interrupting(memory, 1, async () => {
      await ingestLog({ sessions, memory }, key);
      await say(sessions, 11, 12);
    });
    await ingestLog({ sessions, memory: overtaken }, key);
    expect(await turns(memory)).toEqual(upTo(12));
  });

  it('leaves nothing of a session that goes before its events are learnt', async () => {
    const { sessions, memory } = parts();
    await sessions.create(key);
    await say(sessions, 1, 600);
    const late = interrupting(memory, 2, async () => {
      await sessions.delete(key);
    });
    await ingestLog({ sessions, memory: late }, key);
    expect(await turns(memory)).toEqual([]);
  });

  it('leaves nothing of a session that it reads between the forgetting and the removal', async () => {
    const memory = createMemoryService({ store: createInMemoryMemoryStore() });
    let isFirst = true;
    const sessions: SessionService = createSessionService({
      store: createInMemorySessionStore(),
      beforeErase: async ({ incarnation }) => {
        const forgotten = await memory.delete({ appName: 'a', userId: 'u' }, { sessionId: 's', incarnation });
        if (isFirst) await ingestLog({ sessions, memory }, key);
        isFirst = false;
        return forgotten;
      },
    });
    await sessions.create(key);
    await say(sessions, 1, 3);
    const receipt = await sessions.delete(key);
    expect(receipt).toMatchObject({ events: 3, memories: 3 });
    expect(await turns(memory)).toEqual([]);
  });

  it('reads the new life of a session whose old one goes meanwhile', async () => {
    const { sessions, memory } = parts();
    await sessions.create(key);
    await say(sessions, 1, 5);
    const late = interrupting(memory, 1, async () => {
      await sessions.delete(key);
      await sessions.create(key);
      await say(sessions, 1, 2);
    });
    await ingestLog({ sessions, memory: late }, key);
    expect(await turns(memory)).toEqual([1, 2]);
  });

  it('leaves out what is sealed, unfinished, thought or a tool’s', async () => {
    const { sessions, memory } = parts();
    await sessions.create(key);
    await sessions.append(key, [
      { author: 'user', content: 'heard' },
      { author: 'user', content: 'sealed', isolationScope: 'x' },
      { author: 'assistant', content: { parts: [{ text: 'thought', thought: true }] } },
      { author: 'assistant', content: { parts: [{ text: 'calling' }, { functionCall: { id: 'c', name: 'f' } }] } },
      {
        author: 'tool',
        content: { parts: [{ functionResponse: { id: 'c', name: 'f', response: { a: 'payload' } } }] },
      },
      { author: 'assistant', content: 'cut off', interrupted: true },
      { author: 'assistant', content: 'said', branch: 'root.assistant' },
    ]);
    await ingestLog({ sessions, memory }, key);
    expect(await turns(memory)).toEqual([1, 7]);
  });

  it('does nothing for a session that is not there', async () => {
    const { sessions, memory } = parts();
    await ingestLog({ sessions, memory }, key);
    expect(await turns(memory)).toEqual([]);
  });
});
