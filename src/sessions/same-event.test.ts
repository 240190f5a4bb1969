import { describe, expect, it } from 'vitest';
import { type EventInput, prepareEvent } from '../events/index.ts';
import { createSessionService } from './create-session-service.ts';
import { createInMemorySessionStore } from './in-memory-session-store.ts';
import { findStored, refuseRepeatedIds } from './same-event.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };
const hello: EventInput = { id: 'e1', author: 'user', content: 'hello', customMetadata: { b: 1, a: [2] } };
const again: EventInput = { id: 'e2', author: 'assistant', content: 'hi' };
const draftOf = (input: EventInput) => prepareEvent(input, 'event').draft;

async function storeWith(...events: EventInput[]) {
  const store = createInMemorySessionStore();
  const sessions = createSessionService({ store });
  await sessions.create({ ...key, timeZone: 'Asia/Shanghai' });
  const stored = await sessions.append(key, events);
  return { find: (...inputs: EventInput[]) => findStored(store, key, inputs.map(draftOf)), events: stored.events };
}

describe('findStored', () => {
  it('gives the stored events of a batch that is stored, in its order, whatever the log added', async () => {
    const { find, events } = await storeWith(hello, again);
    expect(await find(hello, again)).toEqual(events);
    expect(await find(again, hello)).toEqual([...events].reverse());
    expect(await find({ ...hello, customMetadata: { a: [2], b: 1 } })).toEqual([events[0]]);
  });

  it('finds nothing for new ids and for events without one', async () => {
    const { find } = await storeWith(hello);
    expect(await find(again)).toBeUndefined();
    expect(await find({ author: 'user', content: 'hello' })).toBeUndefined();
  });

  const others: readonly (readonly [string, Partial<EventInput>])[] = [
    ['text', { content: 'hello!' }],
    ['author', { author: 'assistant' }],
    ['metadata', { customMetadata: { b: 1, a: [3] } }],
    ['state', { actions: { stateDelta: { x: 1 } } }],
    ['an added field', { branch: 'root' }],
    ['invocation', { invocationId: 'another' }],
    ['time', { timestamp: '2020-01-01T00:00:00.000Z' }],
  ];
  it.each(others)('refuses other %s under a stored id', async (_, change) => {
    const { find } = await storeWith(hello);
    const finding = find({ ...hello, ...change });
    await expect(finding).rejects.toMatchObject({
      code: 'EVENT_ID_REUSED',
      details: { sessionId: 's', eventId: 'e1' },
    });
  });

  it('refuses a field that is left out, and a batch of which a part is stored', async () => {
    const { find } = await storeWith(hello);
    const { customMetadata: _, ...bare } = hello;
    await expect(find(bare)).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
    await expect(find(hello, again)).rejects.toMatchObject({ code: 'EVENT_ID_REUSED', details: { eventId: 'e1' } });
    await expect(find(hello, { author: 'user', content: 'no id' })).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
  });

  it('takes a rewind for the same although the log has found its start', async () => {
    const rewind: EventInput = { id: 'r', author: 'system', actions: { rewind: { beforeInvocationId: 'i1' } } };
    const { find, events } = await storeWith({ ...hello, invocationId: 'i1' }, rewind);
    expect(events[1]?.actions.rewind).toMatchObject({ fromSeq: 1 });
    expect(await find(rewind)).toEqual([events[1]]);
    const other: EventInput = { ...rewind, actions: { rewind: { beforeInvocationId: 'i1', shared: true } } };
    await expect(find(other)).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
  });
});

describe('refuseRepeatedIds', () => {
  it('refuses one id twice, and lets any number of events without id pass', () => {
    const nameless = draftOf({ author: 'user', content: 'x' });
    expect(() => refuseRepeatedIds(key, [nameless, nameless, draftOf(hello)])).not.toThrow();
    expect(() => refuseRepeatedIds(key, [draftOf(hello), nameless, draftOf(hello)])).toThrow(
      expect.objectContaining({ code: 'EVENT_ID_REUSED' }),
    );
  });
});
