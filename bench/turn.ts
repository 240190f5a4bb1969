import { join } from 'node:path';
import { type EventInput, type LanguageModel, openPalimpsest, type Palimpsest } from '../src/index.ts';
import { median, round } from './figures.ts';
import { measureAdkTurn } from './peers.ts';
import { withScratch } from './scratch.ts';

const events = 10_000;
const batch = 500;
const warmUp = 10;
const rounds = 40;
const sample = 'Please report the weather in Celsius from now on, thank you.';
const key = { userId: 'u', sessionId: 's' };

/** Answers at once, whatever it is asked. */
const instant: LanguageModel = {
  name: 'instant',
  vendor: 'bench',
  provider: 'openai',
  async *call() {
    yield { type: 'text', text: 'Twenty degrees.' };
    yield { type: 'finish', finishReason: 'stop' };
  },
};

/**
 * What a whole turn costs: a run with a model that answers at once, in a session of 10,000 events in a SQLite file, in a
 * warm process, memory recalled and learning on. Beside it the same of @google/adk's Runner over its in-memory sessions,
 * which spares it the file. CPU of the process in milliseconds, medians.
 */
export async function benchTurn(print: (line: string) => void): Promise<Record<string, number>> {
  const turnCpuMs = await withScratch(async (folder) => {
    const palimpsest = await openPalimpsest({ file: join(folder, 'turn.db'), appName: 'bench', sweepSeconds: 0 });
    await fill(palimpsest);
    const figure = await timeTurns(palimpsest);
    await palimpsest.close();
    return figure;
  });
  print(`a turn over ${events} events: ${round(turnCpuMs)} ms of CPU`);
  const adk = measureAdkTurn(print);
  print(
    `@google/adk's Runner, in memory: ${round(adk.turnCpuMs)} ms, ${round(adk.turnCpuMs / turnCpuMs)} times as much`,
  );
  return { turnCpuMs, vsAdk: turnCpuMs / adk.turnCpuMs };
}

async function fill(palimpsest: Palimpsest): Promise<void> {
  const session = await palimpsest.user(key.userId).session(key.sessionId);
  for (let from = 0; from < events; from += batch) {
    await session.append(Array.from({ length: batch }, (_, index) => eventAt(from + index)));
  }
  await palimpsest.settled();
}

function eventAt(at: number): EventInput {
  const content = String(at).padStart(6, '0') + sample.slice(6);
  return { author: at % 2 === 0 ? 'user' : 'assistant', content };
}

async function timeTurns(palimpsest: Palimpsest): Promise<number> {
  const agent = palimpsest.agent({ name: 'assistant', model: instant, instruction: 'Answer briefly.' });
  const figures: number[] = [];
  for (let at = 0; at < warmUp + rounds; at++) {
    const before = process.cpuUsage();
    for await (const event of agent.run({ ...key, message: `How warm is it today, on day ${at}?` })) {
      if (event.partial === undefined && event.errorCode !== undefined) throw new TypeError(event.errorMessage);
    }
    await palimpsest.settled();
    const { user, system } = process.cpuUsage(before);
    if (at >= warmUp) figures.push((user + system) / 1000);
  }
  return median(figures);
}
