import { type Logger, type Span, type SpanAttributes, silentTelemetry, type Telemetry } from '../models/index.ts';
import { openTelemetry } from './open-telemetry.ts';

/** Telemetry by choice. What has to be loaded is loaded when it is first asked for; until then nothing is timed. */
export class LateTelemetry implements Telemetry {
  readonly #load: (() => Promise<Telemetry>) | undefined;
  readonly #logger: Logger;
  #chosen: Telemetry;
  #loading: Promise<Telemetry> | undefined;

  /** `auto` is OpenTelemetry where its package is installed; without it nothing is timed. */
  constructor(choice: 'auto' | 'off' | Telemetry, logger: Logger, load: () => Promise<Telemetry> = loadOpenTelemetry) {
    this.#load = choice === 'auto' ? load : undefined;
    this.#logger = logger;
    this.#chosen = typeof choice === 'string' ? silentTelemetry : choice;
  }

  /** Loads what was chosen, once. Never throws: runs matter more than their traces. */
  load(): Promise<Telemetry> {
    this.#loading ??= this.#tryLoad();
    return this.#loading;
  }

  span(name: string, attributes?: SpanAttributes): Span {
    return this.#chosen.span(name, attributes);
  }

  /** Never throws: who counts is in the middle of work of its own. */
  count(name: string, by: number, attributes?: SpanAttributes): void {
    try {
      this.#chosen.count?.(name, by, attributes);
    } catch (error) {
      this.#logger.debug('Telemetry could not count.', { name, error: String(error) });
    }
  }

  async #tryLoad(): Promise<Telemetry> {
    try {
      this.#chosen = (await this.#load?.()) ?? this.#chosen;
    } catch (error) {
      if (!isMissing(error)) {
        this.#logger.warn('OpenTelemetry cannot be loaded; nothing is timed.', { error: String(error) });
      }
    }
    return this.#chosen;
  }
}

async function loadOpenTelemetry(): Promise<Telemetry> {
  return openTelemetry(await import('@opentelemetry/api'));
}

function isMissing(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
