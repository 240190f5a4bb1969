import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  createNoopMeter,
  type Exception,
  type Meter,
  type MeterProvider,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tool } from '../agents/tools/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import { inChild, silentLogger, type Telemetry } from '../models/index.ts';
import { ScriptedModel } from '../testing/index.ts';
import { openPalimpsest } from './index.ts';
import { LateTelemetry } from './late-telemetry.ts';

const nothing = async () => undefined;

/** A span that remembers what it is told. */
class RecordedSpan implements Span {
  static count = 0;
  readonly #id = (++RecordedSpan.count).toString(16).padStart(16, '0');
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: Attributes = {};
  readonly exceptions: Exception[] = [];
  status: SpanStatus | undefined;
  ends = 0;

  readonly kind: SpanKind | undefined;

  constructor(name: string, attributes: Attributes, parent: string | undefined, kind: SpanKind | undefined) {
    this.name = name;
    this.kind = kind;
    this.parent = parent;
    Object.assign(this.attributes, attributes);
  }

  spanContext(): SpanContext {
    return { traceId: 'a'.repeat(32), spanId: this.#id, traceFlags: TraceFlags.SAMPLED };
  }

  setAttribute(name: string, value: Attributes[string]): this {
    return this.setAttributes({ [name]: value });
  }

  setAttributes(attributes: Attributes): this {
    Object.assign(this.attributes, attributes);
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.status = status;
    return this;
  }

  recordException(exception: Exception): void {
    this.exceptions.push(exception);
  }

  end(): void {
    this.ends++;
  }

  isRecording(): boolean {
    return this.ends === 0;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  updateName(): this {
    return this;
  }
}

/** Provides one tracer, which keeps its spans. */
class Recorder implements TracerProvider {
  readonly spans: RecordedSpan[] = [];
  readonly tracerNames: (string | undefined)[] = [];

  getTracer(name: string, version?: string): Tracer {
    this.tracerNames.push(name, version);
    const startSpan: Tracer['startSpan'] = (spanName, options = {}, parent = context.active()) => {
      const above = trace.getSpan(parent);
      const span = new RecordedSpan(
        spanName,
        options.attributes ?? {},
        above instanceof RecordedSpan ? above.name : undefined,
        options.kind,
      );
      this.spans.push(span);
      return span;
    };
    return {
      startSpan,
      startActiveSpan: (spanName: string, ...rest: readonly unknown[]) => {
        const work = rest.at(-1);
        const span = startSpan(spanName);
        const within = trace.setSpan(context.active(), span);
        return context.with(within, () => (typeof work === 'function' ? work(span) : undefined));
      },
    };
  }

  /** `parent > name` of each span, in the order in which they began. */
  get tree(): string[] {
    return this.spans.map(({ name, parent }) => (parent === undefined ? name : `${parent} > ${name}`));
  }
}

/** Keeps the active context through awaits, as the SDK for Node.js does. */
class LocalContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(active, () => Reflect.apply(work, thisArg, args));
  }

  bind<T>(_: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}

/** Provides meters, one for each name, and keeps what their counters are told. */
class CountRecorder implements MeterProvider {
  readonly created: string[] = [];
  readonly counted: unknown[] = [];
  readonly #meters = new Map<string, Meter>();

  getMeter(name: string, version?: string): Meter {
    const full = `${name} ${version}`;
    const meter = this.#meters.get(full) ?? this.#newMeter(full);
    this.#meters.set(full, meter);
    return meter;
  }

  #newMeter(of: string): Meter {
    const silent: Meter = Object.create(createNoopMeter());
    return Object.assign(silent, {
      createCounter: (name: string) => {
        this.created.push(`${of}: ${name}`);
        return { add: (by: number, attributes: unknown) => void this.counted.push([name, by, attributes]) };
      },
    });
  }
}

describe('OpenTelemetry', () => {
  const recorder = new Recorder();
  let telemetry: Telemetry;

  beforeAll(async () => {
    trace.setGlobalTracerProvider(recorder);
    context.setGlobalContextManager(new LocalContexts().enable());
    telemetry = await new LateTelemetry('auto', silentLogger).load();
  });
  beforeEach(() => {
    recorder.spans.length = 0;
  });
  afterAll(() => {
    trace.disable();
    context.disable();
  });

  it('begins spans of a tracer that is named after the package', async () => {
    telemetry.span('invoke_agent 天气').end();
    expect(recorder.tree).toEqual(['invoke_agent 天气']);
    expect(recorder.tracerNames).toEqual(['palimpsest', expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
    expect(recorder.spans[0]).toMatchObject({ ends: 1, status: undefined, exceptions: [] });
  });

  it("says that the call of a model is a client's", () => {
    const run = telemetry.span('run', { 'gen_ai.operation.name': 'invoke_agent' });
    run.child('chat m', { 'gen_ai.operation.name': 'chat' }).end();
    run.end();
    expect(recorder.spans.map(({ kind }) => kind)).toEqual([SpanKind.INTERNAL, SpanKind.CLIENT]);
  });

  it('puts a child below its parent, wherever it is begun', async () => {
    const run = telemetry.span('run');
    const call = run.child('call');
    await nothing();
    telemetry.span('apart').end();
    call.child('chunk').end();
    call.end();
    run.end();
    expect(recorder.tree).toEqual(['run', 'run > call', 'apart', 'call > chunk']);
  });

  it('is the current span of the work that it runs, through awaits and side by side', async () => {
    const tracer = trace.getTracer('the application');
    const run = telemetry.span('run');
    const search = async () => {
      await nothing();
      tracer.startSpan('search').end();
    };
    await Promise.all([
      inChild(run, 'tool a', {}, search),
      inChild(run, 'tool b', {}, async () => {
        await search();
        telemetry.span('inner run').end();
      }),
    ]);
    run.end();
    expect([...recorder.tree].sort()).toEqual(
      ['run', 'run > tool a', 'run > tool b', 'tool a > search', 'tool b > inner run', 'tool b > search'].sort(),
    );
    expect(trace.getSpan(context.active())).toBeUndefined();
  });

  it('stands below the span of the application that is active', () => {
    const outer = trace.getTracer('the application').startSpan('request');
    context.with(trace.setSpan(context.active(), outer), () => telemetry.span('run').end());
    expect(recorder.tree).toEqual(['request', 'request > run']);
  });

  it('writes attributes, at the start and later, and leaves out those that are undefined', () => {
    const span = telemetry.span('run', { 'gen_ai.agent.name': '助手', 'gen_ai.request.model': undefined });
    span.set({ tokens: 0, cached: false, reasons: ['stop'], nothing: undefined });
    span.end();
    expect(recorder.spans[0]?.attributes).toStrictEqual({
      'gen_ai.agent.name': '助手',
      tokens: 0,
      cached: false,
      reasons: ['stop'],
    });
  });

  it('ends a failed one with the error, its type and its status, once', async () => {
    const busy = new PalimpsestError('SESSION_BUSY', { sessionId: 's', freeAt: '2026-01-01T00:00:00.000Z' });
    const span = telemetry.span('run');
    span.end(busy);
    span.end(new TypeError('too late'));
    expect(recorder.spans[0]).toMatchObject({
      ends: 1,
      attributes: { 'error.type': 'SESSION_BUSY' },
      status: { code: 2, message: busy.message },
      exceptions: [busy],
    });
  });

  it.each([
    [new RangeError('坏了'), 'RangeError', '坏了'],
    ['a thrown text', 'string', 'a thrown text'],
    [null, 'object', 'null'],
  ])('takes %s for a failure too', async (error, type, message) => {
    telemetry.span('run').end(error);
    expect(recorder.spans[0]).toMatchObject({
      attributes: { 'error.type': type },
      status: { code: 2, message },
      exceptions: [{ message }],
    });
  });

  it('shows what a run does, where it is installed and nothing else is said', async () => {
    await using palimpsest = await openPalimpsest();
    const model = new ScriptedModel([{ calls: [{ name: 'search', args: { query: '天气' } }] }, '晴']);
    const search = tool({
      name: 'search',
      description: 'Searches.',
      parameters: z.object({ query: z.string() }),
      run: async () => {
        await nothing();
        trace.getTracer('the application').startSpan('GET /weather').end();
        return 'sunny';
      },
    });
    const agent = palimpsest.agent({ name: '助手', model, tools: [search] });
    for await (const _ of agent.run({ userId: 'u1', sessionId: 's1', message: '天气怎么样？' }));
    expect([...new Set(recorder.tree)].sort()).toEqual([
      'execute_tool search > GET /weather',
      'invoke_agent 助手',
      'invoke_agent 助手 > chat scripted',
      'invoke_agent 助手 > execute_tool search',
      'invoke_agent 助手 > palimpsest.append',
      'invoke_agent 助手 > palimpsest.assemble',
      'invoke_agent 助手 > palimpsest.recall',
    ]);
    expect(recorder.spans.filter(({ ends }) => ends !== 1)).toEqual([]);
  });

  it('times the first invocation of a loop of somebody else', async () => {
    await using palimpsest = await openPalimpsest();
    const key = { appName: 'default', userId: 'u1', sessionId: 's1' };
    const events = [{ author: 'user', content: '你好' }];
    const invocation = await palimpsest.invocations.begin({ key, agentName: 'own loop', events });
    await invocation.finish();
    expect(recorder.tree).toEqual(['palimpsest.append']);
  });

  it('stays still where it is switched off', async () => {
    await using palimpsest = await openPalimpsest({ telemetry: 'off' });
    const agent = palimpsest.agent({ name: '助手', model: new ScriptedModel(['晴']) });
    for await (const _ of agent.run({ userId: 'u1', sessionId: 's1', message: '天气怎么样？' }));
    expect(recorder.tree).toEqual([]);
  });
});

describe('counters of OpenTelemetry', () => {
  afterEach(() => metrics.disable());

  const load = () => new LateTelemetry('auto', silentLogger).load();

  it('are made once for each name, by a meter that is named after the package', async () => {
    const recorder = new CountRecorder();
    metrics.setGlobalMeterProvider(recorder);
    const telemetry = await load();
    telemetry.count?.('folds', 1, { outcome: '完成', forced: false, trigger: undefined });
    telemetry.count?.('folds', 2, { reasons: ['turns'] });
    telemetry.count?.('tokens', 500);
    expect(recorder.counted).toStrictEqual([
      ['folds', 1, { outcome: '完成', forced: false }],
      ['folds', 2, { reasons: ['turns'] }],
      ['tokens', 500, {}],
    ]);
    expect(recorder.created).toEqual([
      expect.stringMatching(/^palimpsest \d+\.\d+\.\d+: folds$/),
      expect.stringMatching(/^palimpsest \d+\.\d+\.\d+: tokens$/),
    ]);
  });

  it('count for a provider that the application sets later, or puts in the place of another one', async () => {
    const telemetry = await load();
    telemetry.count?.('folds', 1);
    const [first, second] = [new CountRecorder(), new CountRecorder()];
    for (const recorder of [first, second]) {
      metrics.setGlobalMeterProvider(recorder);
      telemetry.count?.('folds', 2);
      metrics.disable();
    }
    expect([first.counted, second.counted]).toEqual([[['folds', 2, {}]], [['folds', 2, {}]]]);
  });
});
