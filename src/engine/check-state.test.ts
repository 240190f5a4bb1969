import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EventInput } from '../events/index.ts';
import type { SchemaResult, StandardSchema } from '../models/index.ts';
import { checkState } from './check-state.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };

function schemaOf(
  validate: (value: unknown) => SchemaResult<unknown> | Promise<SchemaResult<unknown>>,
): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

async function append(
  schemas: Readonly<Record<string, StandardSchema>>,
  stateDelta: Readonly<Record<string, unknown>>,
): Promise<EventInput> {
  const hook = checkState(new Map(Object.entries(schemas)), undefined);
  const event = { author: 'user', actions: { stateDelta } };
  return hook === undefined ? event : hook(event, key);
}

const refused = (stateKey: string, words: RegExp) => ({
  code: 'INVALID_EVENT',
  details: { field: `actions.stateDelta.${stateKey}`, reason: expect.stringMatching(words) },
});

describe('checkState', () => {
  it('leaves a hook as it is, and makes none, where no key has a schema', () => {
    const redact = (event: EventInput) => event;
    expect(checkState(new Map(), redact)).toBe(redact);
    expect(checkState(new Map(), undefined)).toBeUndefined();
  });

  it('lets through what fits, and keys without a schema', async () => {
    const delta = { 'user:unit': '摄氏度', other: [1, { deep: null }] };
    expect((await append({ 'user:unit': z.string() }, delta)).actions?.stateDelta).toEqual(delta);
  });

  it('leaves a value that is undefined, and an event without state, to the append', async () => {
    const delta = { unit: undefined };
    expect((await append({ unit: z.string() }, delta)).actions?.stateDelta).toEqual(delta);
    const hook = checkState(new Map([['unit', z.string()]]), undefined);
    for (const event of [{ author: 'user', content: '你好' }, null, 'text', { author: 'user', actions: 7 }]) {
      expect(await hook?.(event as EventInput, key)).toBe(event);
    }
  });

  it.each(['unit', 'user:unit', 'app:unit', '__proto__', '单位'])('refuses a wrong value of %s', async (name) => {
    const appending = append({ [name]: z.string() }, { [name]: 5 });
    await expect(appending).rejects.toMatchObject(refused(name, /^does not fit its schema: .*expected string/));
  });

  it('says where in the value it is wrong, for the first places, in the words of the schema', async () => {
    const schema = schemaOf(() => ({
      issues: [
        { message: 'Zu kurz.', path: ['tags', 0] },
        { message: '太长', path: [{ key: 'name' }] },
        { message: 'is odd' },
        { message: 'never told' },
      ],
    }));
    await expect(append({ profile: schema }, { profile: {} })).rejects.toMatchObject(
      refused('profile', /^does not fit its schema: Zu kurz \(at tags\.0\); 太长 \(at name\); is odd$/),
    );
  });

  it('waits for schemas that take their time', async () => {
    const schema = z.string().refine(async (value) => value !== '开尔文', 'no such unit');
    await append({ unit: schema }, { unit: 'C' });
    await expect(append({ unit: schema }, { unit: '开尔文' })).rejects.toMatchObject(refused('unit', /no such unit/));
  });

  it('stores what was given, not what the schema makes of it', async () => {
    const schema = z
      .string()
      .transform((value) => value.length)
      .pipe(z.number());
    expect((await append({ unit: schema }, { unit: 'Celsius' })).actions?.stateDelta).toEqual({ unit: 'Celsius' });
  });

  it('refuses what JSON cannot hold before the schema sees it', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const value of [new Date(), 1n, cyclic, () => 1]) {
      const appending = append({ when: z.any() }, { when: value });
      await expect(appending).rejects.toMatchObject({ code: 'NOT_JSON' });
    }
  });

  it('stores what the schema saw, although the caller changes it meanwhile', async () => {
    const list = ['C'];
    const slow = schemaOf(async (value) => {
      list.push('changed by the caller');
      return { value };
    });
    expect((await append({ units: slow }, { units: list })).actions?.stateDelta).toEqual({ units: ['C'] });
  });

  it('shows schemas ordinary objects, not the maps without a prototype that logs are made of', async () => {
    const strict = schemaOf((value) => {
      const { inner } = value as { readonly inner: object };
      return value instanceof Object && inner instanceof Object ? { value } : { issues: [{ message: 'no object' }] };
    });
    await append({ profile: strict }, { profile: { inner: { name: '李' } } });
  });

  it('stores what was given, although the schema changes what it was shown', async () => {
    const rude = schemaOf((value) => {
      Reflect.set(Object(value), 'added', true);
      return { value };
    });
    expect((await append({ profile: rude }, { profile: { name: '李' } })).actions?.stateDelta).toEqual({
      profile: { name: '李' },
    });
  });

  it.each([
    ['throws', schemaOf(() => JSON.parse('{'))],
    ['rejects', schemaOf(async () => JSON.parse('{'))],
    ['answers with nothing', schemaOf(() => undefined as never)],
  ])('refuses the value, with the cause, when a schema %s', async (_, schema) => {
    const appending = append({ unit: schema }, { unit: 'C' });
    await expect(appending).rejects.toMatchObject(refused('unit', /^cannot be checked, since its schema fails: /));
    await expect(appending).rejects.toHaveProperty('cause');
  });

  it('leaves lone surrogates for the append to replace and count', async () => {
    const { actions } = await append({ unit: z.string() }, { unit: 'a\ud800' });
    expect(actions?.stateDelta).toEqual({ unit: 'a\ud800' });
    const appending = append({ '\ufffd': z.number() }, { '\ud800': 'text' });
    await expect(appending).rejects.toMatchObject({ code: 'INVALID_EVENT' });
  });

  it('checks what the hook before it returns', async () => {
    const redact = (event: EventInput) => ({ ...event, actions: { stateDelta: { card: '▇' } } });
    const hook = checkState(new Map([['card', z.literal('▇')]]), redact);
    const event = { author: 'user', actions: { stateDelta: { card: '4111' } } };
    expect((await hook?.(event, key))?.actions).toEqual({ stateDelta: { card: '▇' } });
  });

  it('changes no JSON that it lets through, whatever the keys', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), async (delta) => {
        const schemas = Object.fromEntries(Object.keys(delta).map((name) => [name, z.json()]));
        const checked = (await append(schemas, delta)).actions?.stateDelta;
        expect(JSON.parse(JSON.stringify(checked))).toEqual(JSON.parse(JSON.stringify(delta)));
      }),
    );
  });
});
