import { type Assembly, assemble, type ContextView, createContextView } from '../src/context/assembly/index.ts';
import { type Event, noActions, type Part, type Role, type View } from '../src/events/index.ts';
import { median, percentile, round } from './figures.ts';
import { measureAdkContents } from './peers.ts';

const sizes = [1000, 100_000, 1_000_000];
const live = { most: 2000, least: 1000 };
const warmUp = 50;
const pushes = 2000;
const cold = { events: 10_000, warmUp: 20, rounds: 60 };
const view: View = { agentName: 'assistant', history: 'full', provider: 'anthropic' };
const seed = 20261130;

/**
 * What it costs to keep up with a log: pushing one event into a view and reading the contents of its assembly, at a
 * thousand, a hundred thousand and a million events of which summaries cover all but two thousand; and assembling 10,000
 * uncovered events afresh, beside @google/adk's own way from events to contents. Milliseconds.
 */
export async function benchAssemble(print: (line: string) => void): Promise<Record<string, number>> {
  // Before the long logs: with a million events around, each collection of garbage takes longer.
  const log = new GrowingLog(seed, Number.POSITIVE_INFINITY);
  const events = Array.from({ length: cold.events }, () => log.next());
  const times = timeCold(events);
  const cold10kMs = median(times.slice(cold.warmUp));
  print(`assemble() of ${cold.events}: ${round(cold10kMs)} ms; the first in this process ${round(times[0] ?? 0)} ms`);
  const { contentsMs } = measureAdkContents(print, events.map(forAdk));
  print(`@google/adk's contents of the same: ${round(contentsMs)} ms, ${round(contentsMs / cold10kMs)} times as much`);
  const warm = sizes.map((size) => {
    const times = timePushes(size);
    const figure = percentile(times, 95);
    print(`push + assembly at ${size}: median ${round(median(times))} ms, p95 ${round(figure)} ms`);
    return figure;
  });
  return { warmP95Ms: Math.max(...warm), cold10kMs, vsAdk: cold10kMs / contentsMs };
}

function timePushes(size: number): number[] {
  const log = new GrowingLog(seed, live.most);
  const view = viewOf(log, size);
  const times: number[] = [];
  for (let at = 0; at < warmUp + pushes; at++) {
    const event = log.next();
    const started = performance.now();
    if (view.push(event) !== 'ok') throw new TypeError(`The view refused event ${event.seq}.`);
    readContents(view.assembly());
    if (at >= warmUp) times.push(performance.now() - started);
  }
  return times;
}

function viewOf(log: GrowingLog, size: number): ContextView {
  return createContextView(
    view,
    Array.from({ length: size }, () => log.next()),
  );
}

/** The list is put together when it is first read; that counts. */
function readContents({ contents }: Assembly): void {
  if (contents.length === 0) throw new TypeError('The assembly is empty.');
}

function timeCold(events: readonly Event[]): number[] {
  return Array.from({ length: cold.warmUp + cold.rounds }, () => {
    const started = performance.now();
    readContents(assemble(events, view));
    return performance.now() - started;
  });
}

function forAdk({ id, author, invocationId, content }: Event): object {
  return { id, author, invocationId, content, timestamp: 0 };
}

interface Said {
  readonly seq: number;
  readonly invocationId: string;
  readonly author: string;
  readonly parts: readonly Part[];
}

const time: Event['timestamp'] = '2026-01-01T00:00:00.000Z';
const tokens = { n: 20, by: 'bench' };

function eventOf({ seq, invocationId, author, parts }: Said): Event {
  const isResponse = parts[0]?.functionResponse !== undefined;
  const role: Role = author === 'user' || isResponse ? 'user' : 'model';
  const origin = author === 'user' ? 'user' : isResponse ? 'tool' : author === 'system' ? 'system' : 'agent';
  return Object.freeze({
    seq,
    id: `e${seq}`,
    invocationId,
    author,
    origin,
    timestamp: time,
    recordedAt: time,
    tokens,
    actions: noActions,
    content: { role, parts },
  });
}

/** A seeded conversation with tools, another agent and Chinese, whose old turns summaries cover. */
class GrowingLog {
  #seq = 0;
  #invocation = 0;
  readonly #mostLive: number;
  #random: number;
  #waiting: Omit<Said, 'seq' | 'invocationId'>[] = [];
  #coveredThrough = 0;
  #summary: number | undefined;

  constructor(seed: number, mostLive: number) {
    this.#mostLive = mostLive;
    this.#random = seed;
  }

  next(): Event {
    const seq = ++this.#seq;
    if (seq - this.#coveredThrough > this.#mostLive) return this.#compact(seq);
    if (this.#waiting.length === 0) this.#planTurn();
    const said = this.#waiting.shift() ?? { author: 'user', parts: [] };
    return eventOf({ ...said, seq, invocationId: `i${this.#invocation}` });
  }

  /** A linear congruential generator, so that every run sees the same log. */
  #pick(count: number): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * count);
  }

  #planTurn(): void {
    const turn = ++this.#invocation;
    const say = (author: string, text: string) => this.#waiting.push({ author, parts: [{ text }] });
    say('user', this.#pick(3) === 0 ? `第${turn}天的天气怎么样？` : `How warm is it today, on day ${turn}?`);
    for (let step = this.#pick(4); step > 0; step--) {
      const ids = Array.from({ length: 1 + this.#pick(2) }, (_, at) => `call-${turn}-${step}-${at}`);
      const args = { day: turn, unit: 'Celsius' };
      this.#waiting.push({
        author: 'assistant',
        parts: ids.map((id): Part => ({ functionCall: { id, name: 'forecast', args } })),
      });
      for (const id of ids) {
        const response = { degrees: this.#pick(40) };
        this.#waiting.push({ author: 'assistant', parts: [{ functionResponse: { id, name: 'forecast', response } }] });
      }
    }
    if (this.#pick(4) === 0) say('researcher', `The archive has ${this.#pick(9)} notes on day ${turn}.`);
    say('assistant', `It is ${this.#pick(40)} degrees.`);
  }

  #compact(seq: number): Event {
    const to = seq - live.least;
    const supersedes = this.#summary === undefined ? {} : { supersedes: [this.#summary] };
    this.#coveredThrough = to;
    this.#summary = seq;
    const content = { role: 'model' as const, parts: [{ text: 'The user asked for the weather, day after day.' }] };
    const compaction = { covers: [[1, to]] as const, content, trigger: 'bench', sourceHash: '', ...supersedes };
    const { content: _, ...event } = eventOf({ seq, invocationId: `b${seq}`, author: 'system', parts: [] });
    return Object.freeze({ ...event, actions: Object.freeze({ compaction }) });
  }
}
