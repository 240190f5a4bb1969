import { type Span, silentTelemetry, type Telemetry } from '../models/index.ts';

/** The telemetry, in a form that never throws: work is done once and ends as it ends, whether or not it can be timed. */
export function guardedTelemetry(telemetry: Telemetry): Telemetry {
  return Object.freeze({
    span: (...about: Parameters<Telemetry['span']>) => guardedSpan(() => telemetry.span(...about)),
    count: (...counted: Parameters<NonNullable<Telemetry['count']>>) =>
      void attempt(() => telemetry.count?.(...counted)),
  });
}

function guardedSpan(begin: () => Span): Span {
  const span = attempt(begin) ?? silentTelemetry.span('');
  return Object.freeze({
    child: (...about: Parameters<Span['child']>) => guardedSpan(() => span.child(...about)),
    set: (...given: Parameters<Span['set']>) => void attempt(() => span.set(...given)),
    run: <T>(work: () => T): T => runOnce(span, work),
    end: (...given: Parameters<Span['end']>) => void attempt(() => span.end(...given)),
  });
}

/** What the work returns or throws, whatever the span does before and after it. */
function runOnce<T>(span: Span, work: () => T): T {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  attempt(() =>
    span.run(() => {
      try {
        outcome ??= { value: work() };
      } catch (error) {
        outcome = { error };
        throw error;
      }
    }),
  );
  return settled<T>(outcome, work);
}

function settled<T>(outcome: { readonly value: T } | { readonly error: unknown } | undefined, work: () => T): T {
  if (outcome === undefined) return work();
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
