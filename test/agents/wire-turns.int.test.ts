import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Event,
  isPalimpsestError,
  openObligations,
  openPalimpsest,
  type Palimpsest,
  textOf,
  tool,
} from '../../src/index.ts';
import { modelAt, wireNames } from '../models/provider-models.ts';
import { type Reply, type ScriptedCall, startWireServer, type WireServer } from '../wire-server/index.ts';
import { place, runToEnd } from './run-to-end.ts';

/** Set TURNS=1000 for the long run. */
const turns = Number(process.env.TURNS ?? 60);
const turnsPerSession = 40;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

let server: WireServer;
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-wire-turns-'));
beforeAll(async () => {
  server = await startWireServer();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Numbers that are the same for the same seed (mulberry32). */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const tools = [
  tool({
    name: 'weather',
    description: 'The weather of a city.',
    parameters: z.object({ city: z.string() }),
    run: ({ city }) => ({ city, celsius: 20 }),
  }),
  tool({
    name: 'broken',
    description: 'Never works.',
    parameters: z.object({}),
    run: () => {
      throw new TypeError('坏了');
    },
  }),
];

const calls: readonly ScriptedCall[] = [
  { name: 'weather', args: { city: '杭州' } },
  { name: 'weather', args: { city: 'Rome' } },
  { name: 'weather', args: { town: 'Rome' } },
  { name: 'broken', args: {} },
  { name: 'unknown', args: { a: 1 } },
  { name: 'weather', rawArguments: '{"city": "cut' },
];

/** True for an answer that nothing befalls on the way. */
function isWhole(reply: Reply): boolean {
  const faults = ['cutAfter', 'endAfter', 'malformedAfter', 'errorAfter', 'status'];
  return 'text' in reply && !faults.some((fault) => fault in reply);
}

/** What the service does with its next request: mostly answer, often badly. */
function replyOf(random: () => number, mark: string): Reply {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const text = [`${mark} `, '天气很好，', 'have a nice day.'];
  const some = { text, calls: Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(calls)) };
  const kind = random();
  if (kind < 0.4) return { text };
  if (kind < 0.6) return random() < 0.5 ? some : { calls: some.calls };
  if (kind < 0.68) return { status: 429, retryAfter: 0 };
  if (kind < 0.74) return { status: pick([500, 503, 529]) };
  if (kind < 0.82) return { ...some, cutAfter: Math.floor(random() * 4) };
  if (kind < 0.86) return { ...some, endAfter: Math.floor(random() * 4) };
  if (kind < 0.9) return { ...some, malformedAfter: Math.floor(random() * 4) };
  if (kind < 0.94) return { ...some, errorAfter: Math.floor(random() * 4) };
  if (kind < 0.97) return {};
  return { thought: 'Hm.', ...some };
}

async function readAll(palimpsest: Palimpsest, sessionId: string): Promise<readonly Event[]> {
  const key = { appName: palimpsest.appName, userId: place.userId, sessionId };
  const page = await palimpsest.sessions.read(key, { limit: 1000 });
  expect(page.nextCursor).toBeUndefined();
  return page.items;
}

describe.each(wireNames)('turns with faults over the %s wire', (wire) => {
  it(`lose nothing, store nothing twice and never crash (TURNS=${turns} SEED=${seed})`, async () => {
    const random = randomOf(seed);
    const file = join(folder, `${wire}.db`);
    const open = () => openPalimpsest({ file, appName: 'wires', sweepSeconds: 0 });
    const palimpsest = await open();
    const said = new Map<string, number>();
    let count = 0;
    server.clear();
    const sentWhole = new Set<string>();
    server.answerBy(() => {
      const mark = `reply-${wire}-${++count}`;
      const reply = replyOf(random, mark);
      if (isWhole(reply) && 'text' in reply) sentWhole.add(mark);
      return reply;
    });
    const model = modelAt(server, wire);
    const agent = palimpsest.agent({
      name: 'assistant',
      model,
      tools,
      maxSteps: 6,
      retry: { retries: 1, firstDelayMs: 1 },
    });
    const logs = new Map<string, readonly Event[]>();
    let failures = 0;
    for (let turn = 0; turn < turns; turn++) {
      const sessionId = `s${Math.floor(turn / turnsPerSession)}`;
      const before = logs.get(sessionId) ?? [];
      const message = `question ${turn}: 天气如何？`;
      const { events, failure } = await runToEnd(agent, { sessionId, message });
      const log = await readAll(palimpsest, sessionId);
      logs.set(sessionId, log);
      expect(log.slice(0, before.length)).toEqual(before);
      expect(log[before.length]?.content).toEqual({ role: 'user', parts: [{ text: message }] });
      expect(log.slice(before.length + 1)).toEqual(events);
      expect(openObligations(log)).toEqual([]);
      if (failure !== undefined) {
        failures++;
        // The service keeps its rules: a request that breaks one gets a 400.
        expect(isPalimpsestError(failure, 'MODEL_FAILED') && failure.details.status).not.toBe(400);
        expect(
          isPalimpsestError(failure, 'MODEL_FAILED') || isPalimpsestError(failure, 'STEP_LIMIT'),
          String(failure),
        ).toBe(true);
        expect(events.at(-1)?.errorCode).toBe(isPalimpsestError(failure) ? failure.code : undefined);
      }
      for (const event of events) {
        const mark = /reply-\w+-\d+/.exec(textOf(event.content))?.[0];
        if (mark !== undefined && event.origin === 'agent') said.set(mark, (said.get(mark) ?? 0) + 1);
      }
    }
    expect([...said.values()].every((times) => times === 1)).toBe(true);
    expect([...sentWhole].filter((mark) => !said.has(mark))).toEqual([]);
    expect(sentWhole.size).toBeGreaterThan(turns / 4);
    expect(failures).toBeGreaterThan(0);
    await palimpsest.close();
    const again = await open();
    for (const [sessionId, log] of logs) expect(await readAll(again, sessionId)).toEqual(log);
    await again.close();
  }, 600_000);
});
