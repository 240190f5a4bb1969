/** What a span may say of itself. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A stretch of work that is being timed. */
export interface Span {
  /** Work within this one. */
  child(name: string, attributes?: SpanAttributes): Span;
  set(attributes: SpanAttributes): void;
  /** Runs a function with this span as the current one, so that spans begun in it stand below. */
  run<T>(work: () => T): T;
  /** Ends it, as failed if there is an error. Only the first call counts. */
  end(error?: unknown): void;
}

/** Where spans begin and things are counted. */
export interface Telemetry {
  span(name: string, attributes?: SpanAttributes): Span;
  /** Adds to a counter. */
  count?(name: string, by: number, attributes?: SpanAttributes): void;
}

const silentSpan: Span = Object.freeze({
  child: () => silentSpan,
  set: () => undefined,
  run: <T>(work: () => T): T => work(),
  end: () => undefined,
});

/** Times nothing. */
export const silentTelemetry: Telemetry = Object.freeze({ span: () => silentSpan });

/** Runs work in a child of a span and ends it with the outcome. */
export async function inChild<T>(
  parent: Span,
  name: string,
  attributes: SpanAttributes,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = parent.child(name, attributes);
  try {
    const result = await span.run(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
