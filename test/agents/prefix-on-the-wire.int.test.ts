import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type BreakReason, closes, type Event, functionCalls, opens, type Palimpsest, tool } from '../../src/index.ts';
import { modelAt, wireNames } from '../models/provider-models.ts';
import { type RecordedRequest, type Reply, startWireServer, type WireServer } from '../wire-server/index.ts';
import { logOf, openQuiet, place, runToEnd } from './run-to-end.ts';

/** Set TURNS=200 for a longer run. */
const turns = Number(process.env.TURNS ?? 16);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

let server: WireServer;
beforeAll(async () => {
  process.stdout.write(`prefixes on the wire: TURNS=${turns} SEED=${seed}\n`);
  server = await startWireServer();
});
afterAll(() => server.close());

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomOf(start: number): () => number {
  const numbers = fc.sample(fc.nat({ max: 2 ** 20 - 1 }), { seed: start, numRuns: 100 * turns });
  let next = 0;
  return () => (numbers[next++ % numbers.length] ?? 0) / 2 ** 20;
}

const tools = [
  tool({
    name: 'weather',
    description: 'The weather of a city.',
    parameters: z.object({ city: z.string() }),
    run: ({ city }) => ({ city, celsius: 20, sky: '晴' }),
  }),
  tool({
    name: 'order',
    description: 'Orders something; somebody has to confirm it.',
    parameters: z.object({ what: z.string() }),
    longRunning: true,
    run: () => undefined,
  }),
];

const questions = [
  '杭州的天气如何？',
  'Is it warm in Rome? 🌡️',
  '用摄氏度说说杭州',
  'Order some tea, please.',
  '再说一遍',
];

/** The words that close a request are only there for that one. */
const closing = '(Nothing more was said';
const fence = '<recalled_memories>';

/** A body as the provider reads it: what stands before the conversation, and the conversation, a line for each part. */
interface Sent {
  readonly head: string;
  readonly lines: readonly string[];
  /** The lines without recalled memories, which are only there for one invocation. */
  readonly stable: readonly string[];
}

function read({ bodyText }: RecordedRequest): Sent {
  const {
    messages,
    contents = messages,
    system,
    systemInstruction,
    tools: declared,
  } = JSON.parse(bodyText, (name, value) => (name === 'cache_control' ? undefined : value));
  const all: readonly string[] = contents.flatMap(linesOf);
  const lines = all.filter((line) => !line.includes(closing));
  return {
    head: JSON.stringify([system, systemInstruction, declared]),
    lines,
    stable: lines.filter((line) => !line.includes(fence)),
  };
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly parts?: unknown;
}

/** One text may be sent as itself or as the only part of a list; it is the same to whoever reads it. */
function linesOf({ role, content, parts = content, ...rest }: Message): readonly string[] {
  const list: readonly unknown[] =
    typeof parts === 'string' ? [{ type: 'text', text: parts }] : Array.isArray(parts) ? parts : [];
  const lines = list.map((part) => JSON.stringify([role, part]));
  return Object.keys(rest).length === 0 ? lines : [...lines, JSON.stringify([role, rest])];
}

/** True if these lines begin with the first ones, byte by byte. */
function begins(lines: readonly string[], first: readonly string[]): boolean {
  return first.every((line, at) => line === lines[at] || (at === first.length - 1 && goesOn(line, lines[at] ?? '')));
}

/** Neighbouring texts of the model are one string on the wire of OpenAI: the last one may go on where it ended. */
function goesOn(line: string, longer: string): boolean {
  const end = '"}]';
  return line.startsWith('["assistant",{"type":"text","text":"') && longer.startsWith(line.slice(0, -end.length));
}

/** A request of the agent under test: its bytes, and the event that answers it. */
interface Asked {
  readonly sent: Sent;
  readonly event: Event;
}

/** A conversation of one user with one agent, and all requests it was made of. */
class Conversation {
  readonly asked: Asked[] = [];
  readonly #palimpsest: Palimpsest;
  readonly #agent: ReturnType<Palimpsest['agent']>;
  readonly #random: () => number;
  #said = 0;
  #steps = 0;

  constructor(palimpsest: Palimpsest, model: ReturnType<typeof modelAt>, random: () => number) {
    this.#palimpsest = palimpsest;
    this.#random = random;
    this.#agent = palimpsest.agent({ name: 'assistant', model, instruction: '简短回答。', tools, retry: false });
    server.answerBy(() => this.#reply());
  }

  /** Takes one turn: mostly a question, else a result that comes late, a rewind, or words in another session. */
  async takeTurn(): Promise<void> {
    const kind = this.#random();
    const log = await logOf(this.#palimpsest);
    const waiting = waitingCalls(log);
    const [late] = waiting;
    if (kind < 0.2 && late !== undefined) {
      const response = { id: late.id, name: late.name, response: { status: `确认 ${this.#said++}` } };
      return this.ask({ parts: [{ functionResponse: response }] });
    }
    if (kind < 0.3 && log.length > 0) {
      const beforeInvocationId = this.#pick(log).invocationId;
      const key = { appName: this.#palimpsest.appName, ...place };
      if (!log.some(({ actions, invocationId }) => actions.rewind && invocationId === beforeInvocationId))
        await this.#palimpsest.sessions.rewind(key, { beforeInvocationId });
    }
    if (kind > 0.85) return this.mention(`我住在杭州，喜欢用摄氏度 ${this.#said++}`);
    return this.ask(this.#pick(questions));
  }

  /** Says something in another session, for memory to learn. */
  async mention(message: string): Promise<void> {
    await runToEnd(this.#agent, { sessionId: 'another', message });
    await this.#palimpsest.settled();
    server.clear();
  }

  async ask(message: Parameters<typeof runToEnd>[1]['message']): Promise<void> {
    server.clear();
    this.#steps = 0;
    const { events, failure } = await runToEnd(this.#agent, { message });
    expect(failure).toBeUndefined();
    const answers = events.filter(({ request }) => request !== undefined);
    expect(answers).toHaveLength(server.requests.length);
    for (const [index, request] of server.requests.entries()) {
      const event = answers[index];
      if (event !== undefined) this.asked.push({ sent: read(request), event });
    }
  }

  #reply(): Reply {
    const text = `回答 ${++this.#said}: it is fine.`;
    const calls = Array.from({ length: Math.floor(this.#random() * 4) }, () =>
      this.#random() < 0.2
        ? { name: 'order', args: { what: '茶' } }
        : { name: 'weather', args: { city: this.#pick(['杭州', 'Rome']) } },
    );
    if (++this.#steps > 3 || calls.length === 0) return { text };
    return this.#random() < 0.4 ? { text, calls } : { calls };
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }
}

/** Calls of long-running tools that the log still waits for. */
function waitingCalls(log: readonly Event[]): readonly { readonly id: string; readonly name: string }[] {
  const rewound = new Set<number>();
  for (const { seq, actions } of log)
    for (let hidden = actions.rewind?.fromSeq ?? seq; hidden < seq; hidden++) rewound.add(hidden);
  const answered = new Set(log.flatMap((event) => (event.author === 'user' ? closes(event) : [])));
  return log.flatMap((event) =>
    rewound.has(event.seq)
      ? []
      : functionCalls(event.content).flatMap(({ id, name }) =>
          id !== undefined && event.longRunningToolIds?.includes(id) && !answered.has(id) ? { id, name } : [],
        ),
  );
}

/** Whether the log between two requests holds what a break between them is declared for. */
function isTrue(reason: BreakReason, since: readonly Event[], before: readonly Event[]): boolean {
  const called = new Set(before.flatMap(opens));
  if (reason === 'rewind') return since.some(({ actions }) => actions.rewind !== undefined);
  return reason === 'lateResponse' && since.some((event) => closes(event).some((id) => called.has(id)));
}

/** Fails unless one request begins with the one before, or declares truly why not. Returns whether it does. */
function expectPrefix(first: Asked, { sent, event }: Asked, log: readonly Event[]): boolean {
  const breaks = event.request?.breaks ?? [];
  const isKept = sent.head === first.sent.head && begins(sent.stable, first.sent.stable);
  const from = first.event.request?.throughSeq ?? 0;
  const to = event.request?.throughSeq ?? 0;
  const told = `through ${from}:\n${first.sent.stable.join('\n')}\nthrough ${to}:\n${sent.stable.join('\n')}`;
  expect(isKept, `breaks: [${breaks}] ${told}`).toBe(breaks.length === 0);
  const since = log.filter(({ seq }) => seq > from && seq <= to);
  for (const reason of breaks) expect(isTrue(reason, since, log.slice(0, from)), `${reason} ${told}`).toBe(true);
  // What was recalled for an invocation stays where it is as long as that lasts.
  if (isKept && event.invocationId === first.event.invocationId)
    expect(begins(sent.lines, first.sent.lines), told).toBe(true);
  return isKept;
}

describe.each(wireNames)('a conversation over the %s wire', (wire) => {
  it(`sends what begins with the request before, but for declared breaks (TURNS=${turns} SEED=${seed})`, async () => {
    const palimpsest = await openQuiet();
    const conversation = new Conversation(palimpsest, modelAt(server, wire), randomOf(seed));
    await conversation.mention('我住在杭州，喜欢用摄氏度。 I live in Hangzhou.');
    await conversation.ask('我住在杭州，那里天气如何？');
    for (let turn = 1; turn < turns; turn++) await conversation.takeTurn();
    const log = await logOf(palimpsest);
    const { asked } = conversation;
    const kept = asked.slice(1).filter((second, index) => expectPrefix(asked[index] ?? second, second, log));
    expect(kept.length).toBeGreaterThan(0);
    expect(asked.some(({ sent }) => sent.stable.length < sent.lines.length)).toBe(true);
    await palimpsest.close();
  }, 600_000);
});
