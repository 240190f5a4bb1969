import assert from 'node:assert/strict';
import { type ContextProperty, requestFor } from '../context-case.ts';
import { oracleOf } from '../log-oracle.ts';
import { marksIn, marksOf } from '../marks.ts';

/** Nothing from another branch or isolation scope, nor what a rewind hides, stands anywhere in a request. */
export const nothingLeaks: ContextProperty = ({ story: { events }, view, surroundings }) => {
  const oracle = oracleOf(events, view);
  const standing = new Set(marksIn(requestFor(events, view, surroundings)));
  for (const event of events) {
    const why = oracle.whyHidden(event);
    if (why === undefined) continue;
    for (const { mark } of marksOf(event)) assert.ok(!standing.has(mark), `${mark}, hidden by its ${why}, stands`);
  }
};
