import assert from 'node:assert/strict';
import { assemble } from '../../../src/context/assembly/index.ts';
import type { Event } from '../../../src/events/index.ts';
import type { ContextProperty } from '../context-case.ts';

const sameDay = '2026-02-03T04:05:06.007Z';

/** No timestamp is read: neither when something happened, nor when it was appended. */
export const orderIsSeq: ContextProperty = ({ story, view, pick }) => {
  const expected = assemble(story.events, view);
  const anyDay = ({ seq }: Event) => new Date(((pick + seq * 2654435761) % 2 ** 31) * 1000).toISOString();
  for (const timeOf of [() => sameDay, anyDay]) {
    const moved = story.events.map((event): Event => {
      const timestamp = timeOf(event);
      return { ...event, timestamp, recordedAt: timeOf({ ...event, seq: event.seq * 7 }) };
    });
    const actual = assemble(moved, view);
    assert.deepEqual(actual.contents, expected.contents);
    assert.deepEqual(actual.sources, expected.sources);
    assert.deepEqual(actual.question, expected.question);
    for (const { seq } of moved) assert.deepEqual(actual.placement(seq), expected.placement(seq));
  }
};
