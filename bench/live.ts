import { join } from 'node:path';
import { openSqlite } from '../src/backends/sqlite/index.ts';
import { createSessionService, type EventInput, type SeqRange, type SessionService, type View } from '../src/index.ts';
import { median, percentile, round } from './figures.ts';
import { withScratch } from './scratch.ts';

const sizes = { small: 1000, large: 1_000_000 };
const live = 200;
const rounds = 30;
const perRound = 10;
const batch = 1000;
/** How many events one summary covers, after how many events new ones are made, and how many are in force. */
const perSummary = 200;
const perFold = 10_000;
const summariesInForce = 10;
const view: View = { agentName: 'assistant', history: 'full', provider: 'anthropic' };
const kinds = ['ask', 'call', 'return', 'answer'] as const;

/**
 * Opening a session and reading what its next request is made of, at a thousand and at a million covered events: ten
 * summaries in force, the oldest in the place of all before it, 200 events that none covers. The process knows the
 * session, except for the first read, which is printed.
 */
export async function benchLive(print: (line: string) => void): Promise<Record<string, number>> {
  return withScratch(async (folder) => {
    const file = join(folder, 'live.db');
    await build(file, print);
    const stores = await openSqlite({ file });
    const service = createSessionService({ store: stores.sessions });
    for (const size of ['small', 'large'] as const) {
      const [first = 0] = await timeReads(service, size, 1);
      print(`the first read in a process, at ${sizes[size]} covered events: ${round(first)} ms`);
    }
    const times = { small: [] as number[], large: [] as number[] };
    // In turns, so that whatever else the machine does meets both; the first rounds warm up.
    for (let turn = -2; turn < rounds; turn++) {
      for (const size of ['small', 'large'] as const) {
        const measured = await timeReads(service, size, perRound);
        if (turn >= 0) times[size].push(...measured);
      }
    }
    stores.file.close();
    for (const size of ['small', 'large'] as const) {
      const [middle, slow] = [round(median(times[size])), round(percentile(times[size], 95))];
      print(`open + live window of ${live} at ${sizes[size]} covered events: median ${middle} ms, p95 ${slow} ms`);
    }
    return { liveOpenP95Ms: percentile(times.large, 95), liveRatio: median(times.large) / median(times.small) };
  });
}

async function build(file: string, print: (line: string) => void): Promise<void> {
  const stores = await openSqlite({ file });
  const service = createSessionService({ store: stores.sessions });
  print(`writing ${sizes.large} events and their summaries …`);
  const started = performance.now();
  await fill(service, 'small', sizes.small);
  await fill(service, 'large', sizes.large);
  print(`${round((performance.now() - started) / 1000)} s`);
  stores.file.close();
}

function keyOf(sessionId: string) {
  return { appName: 'bench', userId: 'u', sessionId };
}

interface Summary {
  readonly seq: number;
  readonly covers: SeqRange;
}

/** Covers all but the newest events as a compactor would: block after block, the oldest summaries folded into one. */
async function fill(service: SessionService, sessionId: string, covered: number): Promise<void> {
  const key = keyOf(sessionId);
  await service.create({ ...key, state: { unit: 'Celsius' } });
  let inForce: readonly Summary[] = [];
  for (let done = 0; done < covered; ) {
    const blocks: SeqRange[] = [];
    for (const end = Math.min(covered, done + perFold); done < end; done += batch) {
      const turns = Array.from({ length: batch }, (_, at) => turnAt(done + at));
      const { version } = await service.append(key, turns);
      for (let from = version - batch + 1; from <= version; from += perSummary)
        blocks.push([from, from + perSummary - 1]);
    }
    const { events } = await service.append(
      key,
      blocks.map((covers) => summaryOf(covers)),
    );
    const added = events.map(({ seq }, at): Summary => ({ seq, covers: blocks[at] ?? [1, 1] }));
    inForce = await foldOldest(service, sessionId, [...inForce, ...added]);
  }
  await service.append(
    key,
    Array.from({ length: live }, (_, at) => turnAt(covered + at)),
  );
}

/** One summary in the place of the oldest, so that no more than a few are in force. In order of seq but for that one. */
async function foldOldest(
  service: SessionService,
  sessionId: string,
  summaries: readonly Summary[],
): Promise<readonly Summary[]> {
  const oldest = summaries.slice(0, 1 - summariesInForce);
  const [first, last] = [oldest[0], oldest.at(-1)];
  if (first === undefined || last === undefined) return summaries;
  const covers: SeqRange = [first.covers[0], last.covers[1]];
  const wider = summaryOf(
    covers,
    oldest.map(({ seq }) => seq),
  );
  const { version } = await service.append(keyOf(sessionId), [wider]);
  return [{ seq: version, covers }, ...summaries.slice(oldest.length)];
}

function turnAt(at: number): EventInput {
  const kind = kinds[at % kinds.length] ?? 'ask';
  const id = `call-${at - (at % kinds.length)}`;
  if (kind === 'ask') return { author: 'user', content: `Turn ${at}: how warm is it today, in Celsius please?` };
  if (kind === 'answer')
    return { author: 'assistant', content: `It is ${at % 40} degrees, 天气很好, have a nice day.` };
  const part =
    kind === 'call'
      ? { functionCall: { id, name: 'forecast', args: { city: 'Shanghai' } } }
      : { functionResponse: { id, name: 'forecast', response: { degrees: at % 40 } } };
  return { author: 'assistant', content: { parts: [part] } };
}

function summaryOf(covers: SeqRange, supersedes?: readonly number[]): EventInput {
  const content = {
    role: 'model' as const,
    parts: [{ text: 'They talked about the weather in Shanghai. '.repeat(10) }],
  };
  const compaction = {
    covers: [covers],
    content,
    trigger: 'bench',
    sourceHash: '',
    ...(supersedes ? { supersedes } : {}),
  };
  return { author: 'system', actions: { compaction } };
}

/** Milliseconds of each read. */
async function timeReads(service: SessionService, sessionId: string, count: number): Promise<number[]> {
  const key = keyOf(sessionId);
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const started = performance.now();
    await service.open(key);
    await service.readLive(key, view);
    times.push(performance.now() - started);
  }
  return times;
}
