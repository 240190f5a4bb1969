import assert from 'node:assert/strict';
import { type Assembly, assemble, createContextView } from '../../../src/context/assembly/index.ts';
import type { ContextProperty } from '../context-case.ts';

/** A view that events are pushed into is, after each of them, what assemble() makes of the same events. */
export const viewFollowsLog: ContextProperty = ({ story: { events }, view }) => {
  const live = createContextView(view);
  events.forEach((event, index) => {
    assert.equal(live.push(event), 'ok');
    assert.deepEqual(
      laidOut(live.assembly()),
      laidOut(assemble(events.slice(0, index + 1), view)),
      `after ${index + 1}`,
    );
  });
};

function laidOut({ contents, sources, question, counts }: Assembly) {
  return { contents, sources, question, counts };
}
