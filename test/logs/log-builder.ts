import {
  type Event,
  type EventInput,
  originOf,
  placeEvent,
  prepareEvent,
  type TokenCount,
} from '../../src/events/index.ts';

const someTime = '2026-01-01T00:00:00.000Z';

/** An event as a test writes it: what a caller appends, with its place in the log. */
export interface LoggedInput extends EventInput {
  readonly seq: number;
  readonly tokens?: TokenCount;
}

/** Builds logs for tests the way an append does: checked, frozen, with an origin; seqs are the test's own. */
export function buildLog(inputs: readonly LoggedInput[]): readonly Event[] {
  return inputs.map(({ seq, tokens, ...input }) => {
    const { draft } = prepareEvent(input, `events[${seq}]`);
    return placeEvent(draft, {
      seq,
      id: draft.id ?? `e${seq}`,
      invocationId: draft.invocationId ?? `i${seq}`,
      origin: originOf(draft),
      recordedAt: someTime,
      ...(tokens === undefined ? {} : { tokens }),
    });
  });
}
