import { copyJson, type EventActionsInput, type JsonMap, type JsonValue } from '../events/index.ts';
import type { RunState } from './tools/index.ts';

const temporary = 'temp:';

/** State of one run: what the session has, and keys of the run's own that are gone when it ends. */
export class RunStates {
  readonly #temporary = new Map<string, JsonValue>();
  #stored: JsonMap;

  constructor(stored: JsonMap) {
    this.#stored = stored;
  }

  /** What the session has now. */
  renew(stored: JsonMap): void {
    this.#stored = stored;
  }

  get(key: string): JsonValue | undefined {
    if (key.startsWith(temporary)) return this.#temporary.get(key);
    return Object.hasOwn(this.#stored, key) ? this.#stored[key] : undefined;
  }

  /** Sets a `temp:` key. */
  setTemporary(key: string, value: JsonValue | undefined): void {
    if (value === undefined) this.#temporary.delete(key);
    else this.#temporary.set(key, value);
  }

  all(): { [key: string]: JsonValue } {
    return Object.assign(Object.create(null), this.#stored, Object.fromEntries(this.#temporary));
  }

  /** A view of its own for one piece of work, whose changes go with the event that comes of it. */
  writer(): StateWriter {
    return new StateWriter(this);
  }

  /** Takes a delta from outside: `temp:` keys stay in the run, the others are returned for the event. */
  take(delta: Readonly<Record<string, unknown>>): EventActionsInput {
    const writer = this.writer();
    for (const [key, value] of Object.entries(delta)) if (value !== undefined) writer.set(key, value);
    return writer.take();
  }
}

/** Changes of state by one piece of work. What it has not stored yet only it can see; `temp:` keys all can at once. */
export class StateWriter implements RunState<JsonMap> {
  readonly #states: RunStates;
  /** `undefined`: removed. */
  #changes = new Map<string, JsonValue | undefined>();

  constructor(states: RunStates) {
    this.#states = states;
  }

  get(key: string): JsonValue | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#states.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: unknown): void {
    const copy = copyJson(value, `state.${key}`, { replacedSurrogates: 0, size: 0 });
    if (key.startsWith(temporary)) this.#states.setTemporary(key, copy);
    else this.#changes.set(key, copy);
  }

  delete(key: string): void {
    if (key.startsWith(temporary)) this.#states.setTemporary(key, undefined);
    else this.#changes.set(key, undefined);
  }

  all(): JsonMap {
    const all = this.#states.all();
    for (const [key, value] of this.#changes) {
      if (value === undefined) delete all[key];
      else all[key] = value;
    }
    return Object.freeze(all);
  }

  /** The changes as actions of an event; from then on there are none. */
  take(): EventActionsInput {
    const delta: { [key: string]: JsonValue } = Object.create(null);
    const removed: string[] = [];
    for (const [key, value] of this.#changes) {
      if (value === undefined) removed.push(key);
      else delta[key] = value;
    }
    this.#changes = new Map();
    return {
      ...(Object.keys(delta).length === 0 ? {} : { stateDelta: delta }),
      ...(removed.length === 0 ? {} : { stateRemoved: removed }),
    };
  }
}
