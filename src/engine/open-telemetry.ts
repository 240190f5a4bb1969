import { isPalimpsestError } from '../errors/index.ts';
import type { Span, SpanAttributes, Telemetry } from '../models/index.ts';

const tracerName = 'palimpsest';
const tracerVersion = '0.1.0';

/** What the adapter asks of a span of OpenTelemetry. */
interface ApiSpan {
  setAttributes(attributes: ApiAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(exception: { name?: string; message: string; stack?: string }): void;
  end(): void;
}

interface ApiCounter {
  add(by: number, attributes: ApiAttributes): void;
}

interface ApiMeter {
  createCounter(name: string): ApiCounter;
}

interface ApiAttributes {
  [name: string]: string | number | boolean | string[];
}

/**
 * What the adapter asks of the package `@opentelemetry/api`, written out so that the types of this package can be read
 * where that one is not installed.
 */
export interface OpenTelemetryApi<Context, WorkSpan extends ApiSpan> {
  readonly context: {
    active(): Context;
    with<T>(context: Context, work: () => T): T;
  };
  readonly trace: {
    getTracer(
      name: string,
      version: string,
    ): { startSpan(name: string, options: { kind: number; attributes: ApiAttributes }, context: Context): WorkSpan };
    setSpan(context: Context, span: WorkSpan): Context;
  };
  readonly metrics: { getMeter(name: string, version: string): ApiMeter };
  readonly SpanStatusCode: { readonly ERROR: number };
  readonly SpanKind: { readonly INTERNAL: number; readonly CLIENT: number };
}

/** Telemetry that writes spans and counters of OpenTelemetry. A span without a parent of ours stands below the one that is active. */
export function openTelemetry<Context, WorkSpan extends ApiSpan>(api: OpenTelemetryApi<Context, WorkSpan>): Telemetry {
  const tracer = api.trace.getTracer(tracerName, tracerVersion);
  const begin = (name: string, attributes: SpanAttributes, parent: Context): Span => {
    // By the conventions for generative AI the call of a model is a client's, all other work is internal.
    const kind = attributes['gen_ai.operation.name'] === 'chat' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
    const span = tracer.startSpan(name, { kind, attributes: present(attributes) }, parent);
    const own = api.trace.setSpan(parent, span);
    let ended = false;
    return {
      child: (childName, childAttributes = {}) => begin(childName, childAttributes, own),
      set: (more) => {
        span.setAttributes(present(more));
      },
      run: (work) => api.context.with(own, work),
      end: (error) => {
        if (ended) return;
        ended = true;
        if (error !== undefined) noteFailure(span, error, api.SpanStatusCode.ERROR);
        span.end();
      },
    };
  };
  return {
    span: (name, attributes = {}) => begin(name, attributes, api.context.active()),
    count: countWith(() => api.metrics.getMeter(tracerName, tracerVersion)),
  };
}

function countWith(currentMeter: () => ApiMeter): NonNullable<Telemetry['count']> {
  let meter: ApiMeter | undefined;
  let counters = new Map<string, ApiCounter>();
  return (name, by, attributes = {}) => {
    // Unlike a tracer, a meter that was asked for before the application has set its provider stays silent for ever.
    const current = currentMeter();
    if (current !== meter) counters = new Map();
    meter = current;
    const counter = counters.get(name) ?? current.createCounter(name);
    counters.set(name, counter);
    counter.add(by, present(attributes));
  };
}

function noteFailure(span: ApiSpan, error: unknown, code: number): void {
  const failure = error instanceof Error ? error : { name: typeof error, message: String(error) };
  span.setAttributes({ 'error.type': isPalimpsestError(error) ? error.code : failure.name });
  span.recordException(failure);
  span.setStatus({ code, message: failure.message });
}

function present(attributes: SpanAttributes): ApiAttributes {
  const kept: ApiAttributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    kept[name] = typeof value === 'object' ? [...value] : value;
  }
  return kept;
}
