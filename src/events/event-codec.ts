import { PalimpsestError } from '../errors/index.ts';
import { type Event, noActions } from './event.ts';
import { freezeParsed, isPlainObject } from './json.ts';

/**
 * The JSON text that a store keeps of an event. Its seq and id are left out, since every store keeps them beside it,
 * and so are values that decoding gives back: empty actions, a recordedAt equal to the timestamp.
 */
export function encodeEvent(event: Event): string {
  return JSON.stringify({
    ...event,
    seq: undefined,
    id: undefined,
    actions: event.actions === noActions ? undefined : event.actions,
    recordedAt: event.recordedAt === event.timestamp ? undefined : event.recordedAt,
  });
}

/** The deep-frozen event of such a text. Throws STORE_CORRUPT naming the place if it is no event. */
export function decodeEvent(seq: number, id: string, body: string, file: string): Event {
  const fields = parseBody(seq, body, file);
  for (const name of Object.keys(fields)) freezeParsed(fields[name]);
  // The text was written by encodeEvent, so its fields have the types that Event declares.
  const event = {
    seq,
    id,
    ...fields,
    recordedAt: fields.recordedAt ?? fields.timestamp,
    actions: fields.actions ?? noActions,
  };
  return Object.freeze(event) as object as Event;
}

function parseBody(seq: number, body: string, file: string): Record<string, unknown> {
  try {
    const fields: unknown = JSON.parse(body);
    if (isPlainObject(fields) && typeof fields.author === 'string' && typeof fields.timestamp === 'string')
      return fields;
  } catch (cause) {
    throw new PalimpsestError('STORE_CORRUPT', { file, reason: `event ${seq} is no JSON` }, { cause });
  }
  throw new PalimpsestError('STORE_CORRUPT', { file, reason: `event ${seq} lacks its author or timestamp` });
}

/** An event as JSON for people and other programs: every field, seq first. */
export function eventToJson(event: Event): Record<string, unknown> {
  return { ...event };
}
