import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type Assembly, assemble, createContextView } from '../../../src/context/assembly/index.ts';
import type { ContextProperty } from '../context-case.ts';

/** A view that events are pushed into is, after each of them, what assemble() makes of the same events. */
export const viewFollowsLog: ContextProperty = async ({ story: { events }, view }) => {
  const live = createContextView(view);
  for (const [index, event] of events.entries()) {
    assert.equal(live.push(event), 'ok');
    assert.deepEqual(
      laidOut(live.assembly()),
      laidOut(assemble(events.slice(0, index + 1), view)),
      `after ${index + 1}`,
    );
    // This takes longest; a signal is to be heard meanwhile.
    await setImmediate();
  }
};

function laidOut({ contents, sources, question, counts }: Assembly) {
  return { contents, sources, question, counts };
}
