import { bookkeepingActions, type EventInput, isPlainObject } from '../events/index.ts';

/** True for an event that will be bookkeeping once it is stored, which belongs to no invocation. */
export function isBookkeepingInput(input: EventInput): boolean {
  const { actions } = input;
  return isPlainObject(actions) && bookkeepingActions.some((name) => actions[name] !== undefined);
}
