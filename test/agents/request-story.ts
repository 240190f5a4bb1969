import fc from 'fast-check';
import { expect } from 'vitest';
import { z } from 'zod';
import { foldCoverage, isBookkeeping, normalizeRanges, type SeqRange } from '../../src/events/index.ts';
import {
  type Block,
  type Content,
  type Event,
  isPalimpsestError,
  type ModelRequest,
  modelText,
  type Palimpsest,
  type Part,
  type PastRequest,
  type Provider,
  type RequestInput,
  type SessionKey,
  text,
  tool,
} from '../../src/index.ts';
import { canonicalJson } from '../../src/internal/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';

/** Whose sessions they are. */
export const userId = 'u1';
/** What memory has learnt from other sessions, by session. */
export const wishes = { english: 'My cat is called Tora.', chinese: '以后请用摄氏度报告天气。' };
const questions = ['What is my cat called?', '报告天气用什么单位？', '你好 🙂', 'And then?'] as const;

/** Larger than what may stay in the log; no two alike. */
const imageOf = (fill: number) => Buffer.alloc(70_000, fill + 1).toString('base64');

const look = tool({
  name: 'look',
  description: '看一个城市的天气。',
  parameters: z.object({ city: z.string() }),
  run: ({ city }) => ({ celsius: city.length, city }),
});
const order = tool({
  name: 'order',
  description: 'Orders something; somebody confirms it later.',
  parameters: z.object({}),
  longRunning: true,
  run: () => ({ status: '等人确认' }),
});

const block = (kind: Block['kind'], value: string, stable = true): Block => ({ kind, stable, content: text(value) });
const examples: readonly Block[] = [
  block('example', '例：几度？'),
  { kind: 'example', stable: true, content: modelText('三度。') },
];
const documents: readonly Block[] = [
  { kind: 'document', stable: true, content: { role: 'user', parts: [{ text: '手册' }, imagePart(250)] } },
  block('document', 'of this time only', false),
];

function imagePart(fill: number): Part {
  return { inlineData: { mimeType: 'image/png', data: imageOf(fill), displayName: '猫.png' } };
}

/** A request as it was captured when it was sent, and the event that answers it. */
interface Sent {
  readonly key: SessionKey;
  readonly seq: number;
  readonly request: ModelRequest;
}

/** What happens next in a story. */
export type Step =
  | { readonly type: 'ask'; readonly question: string; readonly plan: keyof typeof plans; readonly history: History }
  | {
      readonly type: 'drive';
      readonly question: string;
      readonly input: Partial<RequestInput>;
      readonly twice: boolean;
    }
  | { readonly type: 'show' | 'late' | 'fork' }
  | { readonly type: 'rewind' | 'compact'; readonly pick: number };
type History = NonNullable<RequestInput['history']>;

let calls = 0;
const callId = () => `call-${++calls}`;

/** What the model does for one question; then it answers. */
const plans = {
  answer: (): ScriptedTurn[] => [{ thought: '嗯', text: '好的。', usage: { inputTokens: 500, outputTokens: 3 } }],
  look: (): ScriptedTurn[] => [
    { text: '看看。', calls: ['北京', 'Bergen'].map((city) => ({ name: 'look', id: callId(), args: { city } })) },
    { text: 'Cold in both.' },
  ],
  order: (): ScriptedTurn[] => [{ calls: [{ name: 'order', id: callId() }] }, { text: 'I asked for it.' }],
  fail: (): ScriptedTurn[] => [{ text: '我', failure: new Error('the line broke') }],
};

/** Sessions of one user that agents of one provider work in, and every request that was sent on the way. */
export class Story {
  readonly sent: Sent[] = [];
  readonly palimpsest: Palimpsest;
  readonly #provider: Provider;
  /** The references that stand for what was too large for the log, by the bytes. */
  readonly #references = new Map<string, Part>();
  #key: SessionKey = { appName: 'test', userId, sessionId: 's0' };
  #images = 0;
  #forks = 0;

  constructor(palimpsest: Palimpsest, provider: Provider) {
    this.palimpsest = palimpsest;
    this.#provider = provider;
  }

  /** Two sessions before, for memory to learn from. */
  async begin(): Promise<void> {
    for (const [sessionId, wish] of Object.entries(wishes)) {
      const session = await this.palimpsest.user(userId).session(sessionId);
      await session.append([
        { author: 'user', content: wish },
        { author: 'assistant', content: 'Noted.' },
      ]);
    }
    await this.palimpsest.user(userId).session(this.#key.sessionId);
    await this.palimpsest.settled();
  }

  async take(step: Step): Promise<void> {
    switch (step.type) {
      case 'ask':
        return this.ask(step.question, plans[step.plan](), step.history);
      case 'drive':
        return this.drive(step.question, step.input, step.twice);
      case 'show':
        return this.#show();
      case 'late':
        return this.#deliver();
      case 'fork':
        return this.#fork();
      case 'rewind':
        return this.#rewind(step.pick);
      case 'compact':
        return this.#compact(step.pick);
    }
  }

  async ask(message: string | Partial<Content>, turns: ScriptedTurn[], history: History = 'full'): Promise<void> {
    const model = new ScriptedModel(turns, { provider: this.#provider });
    const instruction = 'Answer briefly. 简短。';
    const options = { name: 'assistant', model, instruction, tools: [look, order], examples, history };
    const answered: Event[] = [];
    try {
      const { sessionId } = this.#key;
      const run = this.palimpsest
        .agent({ ...options, retry: false })
        .run({ userId, sessionId, message: message as Content });
      for await (const event of run) if (event.partial !== true && event.request !== undefined) answered.push(event);
    } catch (error) {
      if (!isPalimpsestError(error, 'MODEL_FAILED')) throw error;
      const failed = (await this.log()).at(-1);
      if (failed !== undefined && failed.seq !== answered.at(-1)?.seq) answered.push(failed);
    }
    expect(answered).toHaveLength(model.calls.length);
    for (const [at, { seq }] of answered.entries()) this.#keep(seq, model.calls[at]?.request);
  }

  /** A loop of somebody else's, with all kinds of blocks. */
  async drive(question: string, input: Partial<RequestInput>, twice: boolean): Promise<void> {
    const run = await this.palimpsest.invocations.begin({
      key: this.#key,
      agentName: 'assistant',
      events: [{ author: 'user', content: question }],
    });
    for (const words of twice ? ['Wait.', '好。'] : ['好。']) {
      const base = { provider: this.#provider, model: 'm', tools: [look.declaration], config: { temperature: 0 } };
      const prepared = await run.request({ ...base, ...input });
      const answer = { author: 'assistant', content: modelText(words), request: prepared.journal };
      const [stored] = await run.record([answer]);
      this.#keep(stored?.seq ?? 0, prepared.request);
    }
    await run.finish();
  }

  async log(key: SessionKey = this.#key): Promise<readonly Event[]> {
    return (await this.palimpsest.sessions.read(key, { limit: 1000 })).items;
  }

  async #show(): Promise<void> {
    const image = imagePart(this.#images++);
    const before = (await this.log()).length;
    await this.ask({ role: 'user', parts: [{ text: '这是什么？' }, image] }, plans.answer());
    const shown = (await this.log())[before];
    const reference = shown?.content?.parts.find(({ fileData }) => fileData !== undefined);
    if (reference !== undefined && image.inlineData) this.#references.set(image.inlineData.data, reference);
  }

  /** The result of an order that is live and has got none yet. */
  async #deliver(): Promise<void> {
    const live = await this.#live();
    const parts = live.flatMap(({ content }) => content?.parts ?? []);
    const answers = parts.flatMap(({ functionResponse }) => functionResponse?.id ?? []);
    const waiting = live
      .flatMap(({ longRunningToolIds = [] }) => longRunningToolIds)
      .find((id) => answers.filter((answered) => answered === id).length === 1);
    if (waiting === undefined) return;
    const response = { id: waiting, name: 'order', response: { status: '已确认' } };
    await this.ask({ role: 'user', parts: [{ functionResponse: response }] }, plans.answer());
  }

  async #live(): Promise<readonly Event[]> {
    const log = await this.log();
    const { isLive } = foldCoverage(log.filter(isBookkeeping));
    return log.filter((event) => !isBookkeeping(event) && isLive(event.seq));
  }

  async #rewind(pick: number): Promise<void> {
    const live = await this.#live();
    const beforeInvocationId = live[pick % Math.max(1, live.length)]?.invocationId;
    if (beforeInvocationId !== undefined) await this.palimpsest.sessions.rewind(this.#key, { beforeInvocationId });
  }

  /** A summary of what no summary stands for, up to some event. */
  async #compact(pick: number): Promise<void> {
    const { coveredBy } = foldCoverage((await this.log()).filter(isBookkeeping));
    const free = (await this.#live()).filter(({ seq }) => coveredBy(seq) === undefined);
    const covers = free.slice(0, pick % Math.max(1, free.length)).map(({ seq }): SeqRange => [seq, seq]);
    if (covers.length === 0) return;
    const compaction = {
      covers: normalizeRanges(covers),
      content: modelText('谈过天气。'),
      trigger: 'test',
      sourceHash: '',
    };
    await this.palimpsest.sessions.append(this.#key, [{ author: 'system', actions: { compaction } }]);
  }

  /** Goes on in a fork, which has copies of all answers until now. */
  async #fork(): Promise<void> {
    const { version } = (await this.palimpsest.sessions.open(this.#key)) ?? { version: 0 };
    const sessionId = `fork-${++this.#forks}`;
    try {
      await this.palimpsest.sessions.fork(this.#key, { atSeq: version, sessionId });
    } catch (error) {
      if (isPalimpsestError(error, 'FORK_REFUSED')) return;
      throw error;
    }
    const fork = { ...this.#key, sessionId };
    const copied = this.sent.filter(({ key }) => key.sessionId === this.#key.sessionId);
    this.sent.push(...copied.map((one) => ({ ...one, key: fork })));
    this.#key = fork;
  }

  #keep(seq: number, request: ModelRequest | undefined): void {
    if (request !== undefined) this.sent.push({ key: this.#key, seq, request });
  }

  /** What was sent, as canonical JSON, with the log's references in the places of media. */
  json({ instruction, tools, contents, transient, transientParts }: ModelRequest): string {
    const referring = contents.map(({ role, parts }) => ({ role, parts: parts.map((part) => this.#referring(part)) }));
    const span = transientParts === undefined ? {} : { transientParts };
    return canonicalJson({ instruction, tools, contents: referring, transient, ...span });
  }

  #referring(part: Part): Part {
    const { inlineData, ...rest } = part;
    const reference = inlineData && this.#references.get(inlineData.data);
    return reference?.fileData === undefined ? part : { ...rest, fileData: reference.fileData };
  }

  /** Every request that any session's log tells of, rebuilt, beside what was sent. */
  async rebuilt(): Promise<readonly { readonly sent: Sent; readonly past: PastRequest }[]> {
    const all: { sent: Sent; past: PastRequest }[] = [];
    for (const sent of this.sent) all.push({ sent, past: await this.palimpsest.explain(sent.key, sent.seq) });
    for (const { key } of (await this.palimpsest.user(userId).sessions({ limit: 1000 })).items) {
      const told = (await this.log(key)).filter(({ request }) => request !== undefined);
      const known = this.sent.filter((sent) => sent.key.sessionId === key.sessionId);
      expect(told.map(({ seq }) => seq)).toEqual(known.map(({ seq }) => seq));
    }
    return all;
  }
}

const history = fc.constantFrom<History>(
  'full',
  'full',
  'invocation',
  { window: { invocations: 2 } },
  { window: { tokens: 90 } },
);
const input: fc.Arbitrary<Partial<RequestInput>> = fc.record(
  {
    instruction: fc.constant([block('instruction', '简短。'), block('profile', '爱喝茶'), block('instruction', ' ')]),
    examples: fc.constant(examples),
    documents: fc.constant(documents),
    tools: fc.constant([]),
    transient: fc.constant([block('state', 'Friday 星期五', false), block('instruction', 'for now', false)]),
    recall: fc.constantFrom(false, { limit: 1 }),
    history,
  },
  { requiredKeys: [] },
);
const question = fc.constantFrom(...questions);

/** What may happen next. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('ask'),
      question,
      plan: fc.constantFrom('answer', 'look', 'order', 'order', 'fail'),
      history,
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('drive'), question, input, twice: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('show', 'late', 'late', 'fork') }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('rewind', 'compact'), pick: fc.nat({ max: 30 }) }) },
);

/** Steps with all that can stand in a request. */
export const everyStep: readonly Step[] = [
  { type: 'ask', question: questions[0], plan: 'look', history: 'full' },
  { type: 'ask', question: questions[1], plan: 'order', history: 'full' },
  { type: 'show' },
  { type: 'late' },
  { type: 'compact', pick: 6 },
  {
    type: 'drive',
    question: questions[0],
    input: { examples, documents, transient: [documents[1] ?? block('state', '')] },
    twice: true,
  },
  { type: 'fork' },
  { type: 'ask', question: questions[2], plan: 'fail', history: 'invocation' },
  { type: 'rewind', pick: 9 },
  { type: 'ask', question: questions[1], plan: 'answer', history: { window: { invocations: 2 } } },
];
