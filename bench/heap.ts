import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createInMemorySessionStore, createSessionService, type EventInput } from '../src/index.ts';
import { round } from './figures.ts';

const count = 20_000;
const sixty = 'Please report the weather in Celsius from now on, thank you.';

/** No two events share a text, which the engine would keep once. */
const textOf = (at: number) => String(at).padStart(6, '0') + sixty.slice(6);

const kinds: Readonly<Record<string, (at: number) => EventInput>> = {
  text: (at) => ({
    author: at % 2 === 0 ? 'user' : 'assistant',
    content: textOf(at),
  }),
  call: (at) => ({
    author: 'assistant',
    content: {
      parts: [{ functionCall: { id: `call-${at}`, name: 'forecast', args: { city: 'Hangzhou', days: at } } }],
    },
  }),
  delta: (at) => ({ author: 'assistant', content: textOf(at), actions: { stateDelta: { step: at } } }),
  usage: (at) => ({
    author: 'assistant',
    content: textOf(at),
    usage: { inputTokens: 1000 + at, outputTokens: 60, cacheReadTokens: at },
  }),
};

/** Bytes of heap that one stored event takes in memory, everything the store keeps for it included. */
export async function benchHeap(print: (line: string) => void): Promise<Record<string, number>> {
  const bytes: Record<string, number> = {};
  for (const [kind, make] of Object.entries(kinds)) {
    bytes[kind] = await bytesPerEvent(make);
    print(`${kind}: ${round(bytes[kind] ?? 0)} bytes per event`);
  }
  return {
    bytesPerEvent: bytes.text ?? 0,
    callBytes: bytes.call ?? 0,
    deltaBytes: bytes.delta ?? 0,
    usageBytes: bytes.usage ?? 0,
  };
}

async function bytesPerEvent(make: (at: number) => EventInput): Promise<number> {
  const service = createSessionService({ store: createInMemorySessionStore() });
  const key = { appName: 'bench', userId: 'u', sessionId: 's' };
  await service.create(key);
  await service.append(key, [make(0)]);
  const before = heapUsed();
  for (let at = 1; at <= count; at++) await service.append(key, [make(at)]);
  const after = heapUsed();
  await service.read(key, { limit: 1 });
  return (after - before) / count;
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let pass = 0; pass < 3; pass++) collect();
  return process.memoryUsage().heapUsed;
}
