import { join } from 'node:path';
import { loadDriver, openSqlite } from '../src/backends/sqlite/index.ts';
import {
  createInMemorySessionStore,
  createSessionService,
  type EventInput,
  encodeEvent,
  openPalimpsest,
  type SessionService,
} from '../src/index.ts';
import { median, round } from './figures.ts';
import { withScratch } from './scratch.ts';

const rounds = 7;
const perRound = 4000;
const sample = 'Please report the weather in Celsius from now on, thank you.';

/**
 * What an append costs beside the least that SQLite could do: one prepared INSERT of ready-made bytes of the same row
 * into a table without another index, on the same driver, one commit each, WAL, synchronous NORMAL. Rounds alternate.
 * In memory: what an append costs in a log of 50,000 events beside one of 1,000. Printed only: an append through the
 * handle of a session, which reads version and state anew, in turns with one through the service.
 */
export async function benchAppend(print: (line: string) => void): Promise<Record<string, number>> {
  const ratios: number[] = [];
  const ours: number[] = [];
  const bare: number[] = [];
  await withScratch(async (folder) => {
    const stores = await openSqlite({ file: join(folder, 'ours.db') });
    const service = createSessionService({ store: stores.sessions });
    const bareFile = await openBare(join(folder, 'bare.db'), await storedBody(service));
    for (let at = 0; at < rounds; at++) {
      const oneBare = timePer(perRound, (seq) => bareFile.insert(at, seq));
      const oneOurs = await timeAppends(service, `round-${at}`, perRound);
      bare.push(oneBare);
      ours.push(oneOurs);
      ratios.push(oneBare / oneOurs);
      print(
        `round ${at + 1}: bare ${round(oneBare * 1000)} µs, append ${round(oneOurs * 1000)} µs, ratio ${round(oneBare / oneOurs)}`,
      );
    }
    bareFile.close();
    stores.file.close();
  });
  const handle = await benchHandle();
  const memory = await benchInMemory();
  print(
    `SQLite: append ${round(median(ours) * 1000)} µs, bare insert ${round(median(bare) * 1000)} µs, ratio ${round(median(ratios))}`,
  );
  print(
    `SQLite, through the handle of a session: append ${round(handle.handle * 1000)} µs, through sessions.append ${round(handle.service * 1000)} µs`,
  );
  print(`in memory: append ${round(memory.at1k * 1000)} µs at 1k events, ${round(memory.at50k * 1000)} µs at 50k`);
  return { appendRatio: median(ratios), memoryFlatRatio: memory.at50k / memory.at1k };
}

/** Holds on to its connection, which some drivers close once it is collected. */
interface Bare {
  readonly insert: (session: number, seq: number) => void;
  readonly close: () => void;
}

/** Milliseconds per append of one text event, by the user and by the agent in turn, as in a chat. */
async function timeAppends(service: SessionService, sessionId: string, count: number): Promise<number> {
  const key = { appName: 'bench', userId: 'u', sessionId };
  await service.create(key);
  return timeEach(count, (event) => service.append(key, [event]));
}

async function timeEach(count: number, append: (event: EventInput) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let at = 0; at < count; at++) await append({ author: at % 2 === 0 ? 'user' : 'assistant', content: sample });
  return (performance.now() - started) / count;
}

/** Memory does not read along, so that both cost appends alone. */
async function benchHandle(): Promise<{ readonly handle: number; readonly service: number }> {
  const times = { handle: [] as number[], service: [] as number[] };
  await withScratch(async (folder) => {
    const palimpsest = await openPalimpsest({ file: join(folder, 'handle.db'), ingest: 'never', sweepSeconds: 0 });
    const session = await palimpsest.user('u').session('s');
    for (let at = 0; at < rounds; at++) {
      times.handle.push(await timeEach(perRound / 4, (event) => session.append([event])));
      times.service.push(await timeEach(perRound / 4, (event) => palimpsest.sessions.append(session.key, [event])));
    }
    await palimpsest.close();
  });
  return { handle: median(times.handle), service: median(times.service) };
}

async function storedBody(service: SessionService): Promise<string> {
  const key = { appName: 'bench', userId: 'u', sessionId: 'sample' };
  await service.create(key);
  const { events } = await service.append(key, [{ author: 'user', content: sample }]);
  return events.map(encodeEvent).join('');
}

async function openBare(file: string, body: string): Promise<Bare> {
  const connection = (await loadDriver()).open(file, { readOnly: false });
  connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE bare (session INTEGER, seq INTEGER, id TEXT, flags INTEGER, run TEXT, body TEXT, PRIMARY KEY (session, seq)) WITHOUT ROWID`);
  const statement = connection.prepare('INSERT INTO bare VALUES (?, ?, ?, ?, ?, ?)');
  const id = '01a22c9a-e4cc-70f9-8732-b83cf8e3ae68';
  return {
    insert: (session, seq) => statement.run(session, seq, id, 0, id, body),
    close: () => connection.close(),
  };
}

function timePer(count: number, work: (at: number) => void): number {
  const started = performance.now();
  for (let at = 1; at <= count; at++) work(at);
  return (performance.now() - started) / count;
}

async function benchInMemory(): Promise<{ readonly at1k: number; readonly at50k: number }> {
  const at = { small: [] as number[], large: [] as number[] };
  for (let repeat = 0; repeat < 5; repeat++) {
    const service = createSessionService({ store: createInMemorySessionStore() });
    at.small.push(await timeBehind(service, 'small', 1000));
    at.large.push(await timeBehind(service, 'large', 50_000));
  }
  return { at1k: median(at.small), at50k: median(at.large) };
}

/** Milliseconds per append once a log has this many events. */
async function timeBehind(service: SessionService, sessionId: string, events: number): Promise<number> {
  const key = { appName: 'bench', userId: 'u', sessionId };
  await service.create(key);
  const batch = Array.from({ length: 500 }, () => ({ author: 'user', content: sample }));
  for (let stored = 0; stored < events; stored += batch.length) await service.append(key, batch);
  const started = performance.now();
  for (let at = 0; at < 2000; at++) await service.append(key, [{ author: 'user', content: sample }]);
  return (performance.now() - started) / 2000;
}
