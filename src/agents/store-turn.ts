import { isPalimpsestError, type PalimpsestError } from '../errors/index.ts';
import {
  type Content,
  type Event,
  type EventActionsInput,
  type EventInput,
  functionCalls,
  maxEventBytes,
} from '../events/index.ts';
import { fitContent } from './fit-content.ts';
import { isRefused } from './is-refused.ts';
import { turnEvent } from './turn-event.ts';

/** What an event of a turn gets stored in the end, and what is to be thrown once the reader has seen it. */
export interface StoredTurn {
  readonly event: Event;
  readonly failed?: { readonly error: unknown };
}

/** What else is to be stored with the words of a turn. */
export interface TurnEffects {
  /** Of callbacks. */
  readonly actions: EventActionsInput;
  /** Of the agent's output key. */
  readonly output?: EventActionsInput;
}

/** Left for what an event gets besides what it is given. */
const spareBytes = 64 * 1024;

/**
 * Stores a turn's event with as much as can be stored. An answer outlives what was to be stored beside it: where the
 * value of the output key is refused, the event says so, and that is all; where a callback's state is, it is thrown as
 * well; words that are too large are stored as far as they fit. Words that cannot be stored leave an event that says why.
 */
export async function storeTurn(
  said: EventInput,
  { actions, output = {} }: TurnEffects,
  record: (event: EventInput) => Promise<Event>,
): Promise<StoredTurn> {
  const whole = await tryRecord({ ...said, actions: withOutput(actions, output) }, record);
  if ('stored' in whole) return { event: whole.stored };
  let { refusal } = whole;
  for (const way of lesserWays(said, { actions, output })) {
    const event = way.eventFor(refusal);
    if (event === undefined) continue;
    const next = await tryRecord(event, record);
    if ('stored' in next) return { event: next.stored, ...(way.isFailure ? { failed: { error: refusal } } : {}) };
    refusal = next.refusal;
  }
  throw refusal;
}

/** A way to store less than all of a turn. */
interface LesserWay {
  /** The refusal is thrown all the same. */
  readonly isFailure: boolean;
  /** `undefined` where this would leave nothing more out. */
  readonly eventFor: (refusal: PalimpsestError) => EventInput | undefined;
}

/** From what leaves out least to what leaves out most. */
function lesserWays(said: EventInput, { actions, output }: Required<TurnEffects>): readonly LesserWay[] {
  const { stateDelta, stateRemoved, ...harmless } = actions;
  return [
    {
      isFailure: false,
      eventFor: (refusal) => output.stateDelta && { ...withReason(said, refusal), actions },
    },
    {
      isFailure: true,
      eventFor: (refusal) => (stateDelta ?? stateRemoved) && { ...withReason(said, refusal), actions: harmless },
    },
    { isFailure: true, eventFor: (refusal) => fitted(said, refusal, harmless) },
    { isFailure: true, eventFor: (refusal) => ({ ...inPlaceOf(said, refusal), actions: harmless }) },
  ];
}

async function tryRecord(
  event: EventInput,
  record: (event: EventInput) => Promise<Event>,
): Promise<{ readonly stored: Event } | { readonly refusal: PalimpsestError }> {
  try {
    return { stored: await record(event) };
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { refusal: error };
  }
}

function withOutput(actions: EventActionsInput, { stateDelta }: EventActionsInput): EventActionsInput {
  if (stateDelta === undefined) return actions;
  const { stateRemoved, ...rest } = actions;
  const removed = stateRemoved?.filter((key) => !Object.hasOwn(stateDelta, key)) ?? [];
  return {
    ...rest,
    stateDelta: Object.assign(Object.create(null), actions.stateDelta, stateDelta),
    ...(removed.length === 0 ? {} : { stateRemoved: removed }),
  };
}

/** What the event says of itself already comes first. */
function withReason(said: EventInput, { code, message }: PalimpsestError): EventInput {
  return said.errorCode === undefined ? { ...said, errorCode: code, errorMessage: message } : said;
}

function fitted(said: EventInput, refusal: PalimpsestError, actions: EventActionsInput): EventInput | undefined {
  const { content, longRunningToolIds: _, ...rest } = said;
  if (!isPalimpsestError(refusal, 'EVENT_TOO_LARGE') || !isContent(content)) return undefined;
  const names = functionCalls(content).map(({ name }) => name);
  const event: EventInput = {
    ...rest,
    actions,
    interrupted: true,
    errorCode: refusal.code,
    errorMessage: refusal.message,
    customMetadata: { ...said.customMetadata, ...(names.length === 0 ? {} : { callsNotMade: names }) },
  };
  const room = maxEventBytes - spareBytes - Buffer.byteLength(JSON.stringify(event));
  const fitting = fitContent(content, room);
  return { ...event, ...(fitting && { content: fitting }) };
}

function inPlaceOf({ id, author, request, usage }: EventInput, refusal: PalimpsestError): EventInput {
  return {
    ...turnEvent({ usage }, refusal),
    ...(id === undefined ? {} : { id }),
    author,
    ...(request && { request }),
  };
}

function isContent(content: EventInput['content']): content is Content {
  return typeof content === 'object';
}
