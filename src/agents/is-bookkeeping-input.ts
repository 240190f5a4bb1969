import { type EventInput, isPlainObject } from '../events/index.ts';

const effects = ['compaction', 'rewind', 'pin', 'unpin', 'trim', 'sessionEnd'] as const;

/** True for an event that will be bookkeeping once it is stored, which belongs to no invocation. */
export function isBookkeepingInput(input: EventInput): boolean {
  const { actions } = input;
  return isPlainObject(actions) && effects.some((effect) => actions[effect] !== undefined);
}
