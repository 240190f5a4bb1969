import { join } from 'node:path';
import { openSqlite } from '../src/backends/sqlite/index.ts';
import { createSessionService, type EventInput, type SessionService } from '../src/index.ts';
import { median, percentile, round } from './figures.ts';
import { withScratch } from './scratch.ts';

const sizes = { small: 1000, large: 1_000_000 };
const reads = 200;

/** Opening a session and reading its last 50 events, at a thousand and at a million events. */
export async function benchRead(print: (line: string) => void): Promise<Record<string, number>> {
  return withScratch(async (folder) => {
    const stores = await openSqlite({ file: join(folder, 'read.db') });
    const service = createSessionService({ store: stores.sessions });
    await fill(service, 'small', sizes.small);
    print(`writing ${sizes.large} events …`);
    await fill(service, 'large', sizes.large);
    await timeOpens(service, 'large', 20);
    await timeOpens(service, 'small', 20);
    const small = await timeOpens(service, 'small', reads);
    const large = await timeOpens(service, 'large', reads);
    stores.file.close();
    print(
      `open + last 50 of ${sizes.small}: median ${round(median(small))} ms, p95 ${round(percentile(small, 95))} ms`,
    );
    print(
      `open + last 50 of ${sizes.large}: median ${round(median(large))} ms, p95 ${round(percentile(large, 95))} ms`,
    );
    return { openP95Ms: percentile(large, 95), openRatio: median(large) / median(small) };
  });
}

async function fill(service: SessionService, sessionId: string, count: number): Promise<void> {
  const key = { appName: 'bench', userId: 'u', sessionId };
  await service.create({ ...key, state: { unit: 'Celsius' } });
  for (let stored = 0; stored < count; stored += 1000) {
    const batch = Array.from(
      { length: 1000 },
      (_, at): EventInput => ({
        author: at % 2 === 0 ? 'user' : 'assistant',
        content: `Turn ${stored + at}: please report the weather in Celsius from now on.`,
      }),
    );
    await service.append(key, batch);
  }
}

async function timeOpens(service: SessionService, sessionId: string, count: number): Promise<number[]> {
  const key = { appName: 'bench', userId: 'u', sessionId };
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const started = performance.now();
    await service.open(key);
    await service.read(key, { newestFirst: true, limit: 50 });
    times.push(performance.now() - started);
  }
  return times;
}
