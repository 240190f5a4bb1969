import assert from 'node:assert/strict';
import { type Assembly, assemble, buildRequest } from '../../../src/context/assembly/index.ts';
import type { Event } from '../../../src/events/index.ts';
import type { ContextProperty } from '../context-case.ts';

/** The input stays as it is, the output is the same each time, and it does not matter how the events are given. */
export const assemblyIsPure: ContextProperty = ({ story: { events }, view, surroundings, pick }) => {
  deepFreeze([events, view, surroundings]);
  const before = JSON.stringify([events, view, surroundings]);
  const outcome = (assembly: Assembly) =>
    JSON.stringify([
      buildRequest({ ...surroundings, assembly }, view.provider),
      events.map(({ seq }) => assembly.placement(seq)),
    ]);
  const expected = outcome(assemble(events, view));
  const mixed = shuffled(events, pick);
  for (const given of [events, once(events), [...mixed, ...mixed.slice(0, 9)]])
    assert.equal(outcome(assemble(given, view)), expected);
  assert.equal(JSON.stringify([events, view, surroundings]), before);
};

/** Hands the events out a single time. */
function once(events: readonly Event[]): Iterable<Event> {
  let isRead = false;
  return {
    [Symbol.iterator]() {
      assert.ok(!isRead, 'the events are read twice');
      isRead = true;
      return events[Symbol.iterator]();
    },
  };
}

function shuffled(events: readonly Event[], pick: number): readonly Event[] {
  const places = new Map(events.map((event) => [event, (((pick % 7919) + 1) * event.seq * 2654435761) % 4093]));
  return [...events].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
}
