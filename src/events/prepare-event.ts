import { PalimpsestError } from '../errors/index.ts';
import { functionResponses, hasTextOrMedia } from './content.ts';
import { bookkeepingActions, type Event, type EventInput, isBookkeeping, noActions, type Origin } from './event.ts';
import { type Instant, parseInstant } from './instant.ts';
import { addSize, type CopyReport, copyJsonMap, copyText, isPlainObject, maxEventBytes } from './json.ts';
import { parseId } from './keys.ts';
import { readActions } from './read-actions.ts';
import { invalid, readBoolean, readContent, readText } from './read-content.ts';
import { readUsage } from './read-usage.ts';
import type { TokenCount } from './usage.ts';

const maxErrorMessage = 64 * 1024;
const cutMark = '… [cut]';

/** A checked, frozen event that has no place in a log yet. */
export interface EventDraft extends Omit<Event, 'seq' | 'id' | 'invocationId' | 'origin' | 'timestamp' | 'recordedAt'> {
  readonly id?: string;
  readonly invocationId?: string;
  readonly timestamp?: Instant;
}

/** A draft and what checking it found out. */
export interface PreparedEvent {
  readonly draft: EventDraft;
  readonly replacedSurrogates: number;
  /** An estimate of its size, in UTF-16 code units of JSON. */
  readonly size: number;
}

/** The fields given to an event when it gets its place. */
export interface Placed {
  readonly seq: number;
  readonly id: string;
  readonly invocationId: string;
  readonly origin: Origin;
  readonly recordedAt: Instant;
  readonly importedFrom?: string;
  readonly timeZone?: string;
  readonly tokens?: TokenCount;
}

/**
 * Checks what a caller wants to append and copies it, deep-frozen. `field` is the path that errors start with.
 * Throws INVALID_EVENT, INVALID_ID or NOT_JSON; nothing of the input is kept by reference.
 */
export function prepareEvent(input: EventInput, field: string): PreparedEvent {
  if (!isPlainObject(input)) throw invalid(field, 'must be an object');
  if (input.partial === true)
    throw invalid(`${field}.partial`, 'is true; streamed pieces are shown, only whole events are stored');
  const report: CopyReport = { replacedSurrogates: 0, size: 256 };
  const author = parseId(input.author, `${field}.author`);
  const draft: Record<string, unknown> = { author, actions: readActions(input.actions, `${field}.actions`, report) };
  if (input.content !== undefined) {
    draft.content = readContent(input.content, `${field}.content`, report, author === 'user' ? 'user' : 'model');
  }
  for (const name of Object.keys(input)) {
    const value: unknown = Reflect.get(input, name);
    if (value === undefined || givenOrRead.has(name)) continue;
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined)
      throw invalid(`${field}.${name}`, 'is no known field; put what other systems add into extensions');
    draft[name] = read(value, `${field}.${name}`, report);
  }
  refuseMixed(draft, field);
  // The readers above are the proof that each field has the type that EventDraft declares.
  const checked = Object.freeze(draft) as object as EventDraft;
  return { draft: checked, replacedSurrogates: report.replacedSurrogates, size: report.size + (report.encoded ?? 0) };
}

/** Bookkeeping is no part of the conversation: what is said with it would be hidden, so it goes into an event of its own. */
function refuseMixed(draft: Readonly<Record<string, unknown>>, field: string): void {
  const { actions } = draft;
  if (actions === noActions || !isPlainObject(actions)) return;
  const [first, second] = bookkeepingActions.filter((name) => actions[name] !== undefined);
  if (first === undefined) return;
  if (second !== undefined)
    throw invalid(`${field}.actions.${second}`, `stands beside ${first}; append them as two events`);
  if (draft.content !== undefined) {
    throw invalid(`${field}.content`, `stands beside actions.${first}; append what is said as an event of its own`);
  }
}

/** The event that a draft becomes in its place. */
export function placeEvent(draft: EventDraft, placed: Placed): Event {
  const { seq, id, invocationId, origin, recordedAt } = placed;
  const tokens = placed.tokens && Object.freeze(placed.tokens);
  const { author, actions, content, timestamp = recordedAt } = draft;
  const always = { seq, id, invocationId, author, origin, timestamp, recordedAt, actions };
  // Written out, so that the usual event is one small object of one shape.
  const event: { -readonly [field in keyof Event]: Event[field] } =
    content === undefined || tokens === undefined
      ? always
      : { seq, id, invocationId, author, origin, timestamp, recordedAt, actions, content, tokens };
  for (const source of [draft, placed]) {
    for (const field of Object.keys(source))
      if (!(field in event)) Reflect.set(event, field, Reflect.get(source, field));
  }
  return Object.freeze(event);
}

/** Who an event comes from: a tool if it answers calls, the user, the library itself, or else an agent. */
export function originOf(draft: Pick<EventDraft, 'author' | 'content' | 'actions'>): Origin {
  if (functionResponses(draft.content).length > 0) return 'tool';
  if (draft.author === 'user') return 'user';
  return draft.author === 'system' || isBookkeeping(draft) ? 'system' : 'agent';
}

/** True if the event asks something new: it comes from the user and has text or media. */
export function beginsInvocation(origin: Origin, draft: Pick<EventDraft, 'content'>): boolean {
  return origin === 'user' && hasTextOrMedia(draft.content);
}

const givenOrRead = new Set([
  'seq',
  'origin',
  'importedFrom',
  'recordedAt',
  'tokens',
  'timeZone',
  'author',
  'actions',
  'content',
  'partial',
]);

type Reader = (value: unknown, path: string, report: CopyReport) => unknown;

const readers: Readonly<Record<string, Reader>> = {
  id: parseId,
  invocationId: parseId,
  timestamp: parseInstant,
  turnComplete: readBoolean,
  interrupted: readBoolean,
  errorCode: readText,
  errorMessage: (value, path, report) => readText(typeof value === 'string' ? cut(value) : value, path, report),
  finishReason: readText,
  usage: readUsage,
  request: copyJsonMap,
  branch: readBranch,
  isolationScope: parseId,
  longRunningToolIds: readIds,
  inputTranscription: readTranscription,
  outputTranscription: readTranscription,
  customMetadata: copyJsonMap,
  extensions: copyJsonMap,
};

function cut(message: string): string {
  if (message.length <= maxErrorMessage) return message;
  // No code point takes more than two code units, so what lies beyond cannot be kept.
  const points = [...message.slice(0, 2 * maxErrorMessage + 1)];
  return points.length <= maxErrorMessage
    ? message
    : points.slice(0, maxErrorMessage - cutMark.length).join('') + cutMark;
}

function readBranch(value: unknown, path: string): string {
  const branch = parseId(value, path);
  if (branch.split('.').includes('')) throw invalid(path, 'has an empty segment');
  return branch;
}

function readIds(value: unknown, path: string, report: CopyReport): readonly string[] {
  if (!Array.isArray(value)) throw invalid(path, 'must be a list of call ids');
  addSize(report, 8 * value.length, path);
  return Object.freeze(value.map((id: unknown, index) => String(readText(id, `${path}[${index}]`, report))));
}

function readTranscription(value: unknown, path: string, report: CopyReport): unknown {
  if (!isPlainObject(value) || typeof value.text !== 'string') throw invalid(path, 'must be { text, finished? }');
  const finished =
    value.finished === undefined ? {} : { finished: readBoolean(value.finished, `${path}.finished`, report) };
  return Object.freeze({ text: copyText(value.text, report, `${path}.text`), ...finished });
}

/**
 * Throws EVENT_TOO_LARGE for a draft over the limit. Measures exactly only where the estimate leaves room for doubt:
 * JSON takes at most six bytes a code unit.
 */
export function refuseTooLarge(draft: EventDraft, field: string, size: number): void {
  if (size * 6 <= maxEventBytes) return;
  // No text could hold the JSON of what is far over the limit, so that this is not even tried.
  addSize({ replacedSurrogates: 0, size: 0 }, size, field);
  const bytes = Buffer.byteLength(JSON.stringify(draft));
  if (bytes > maxEventBytes) throw new PalimpsestError('EVENT_TOO_LARGE', { field, bytes, limit: maxEventBytes });
}
