import { actionsFromAdk, casingOfActions } from './adk-actions.ts';
import type { AdkCompactionOutcome } from './adk-compactions.ts';
import { contentFromAdk } from './adk-content.ts';
import { type AdkForm, expressOwnFields } from './adk-express.ts';
import {
  type AdkObject,
  adkObject,
  booleanAt,
  fieldAt,
  idAt,
  mapAt,
  numberAt,
  objectAt,
  onlySet,
  textAt,
  withoutKnownNulls,
} from './adk-fields.ts';
import { type AdkDialect, casingOf, type Fields, spell } from './adk-names.ts';
import { type AdkCompaction, recordFromActions, recordFromEvent } from './adk-records.ts';
import { type Residue, residueOf } from './adk-residue.ts';
import { usageFromAdk } from './adk-usage.ts';
import { type EventInput, noActions } from './event.ts';
import { type Instant, isWritable, toInstant } from './instant.ts';
import { isPlainObject } from './json.ts';
import type { EventDraft } from './prepare-event.ts';
import { invalid } from './read-content.ts';

/** An ADK event, ready to be appended. */
export interface AdkImport {
  readonly input: EventInput;
  /** As ADK wrote it, in its own unit: what the summaries of its session refer to. */
  readonly timestamp: number | undefined;
  /** A summary by timestamps. The input keeps it in `extensions.invalidCompaction` until withAdkCompaction places it. */
  readonly compaction: AdkCompaction | undefined;
}

/**
 * Reads an event of ADK-Python or ADK-JS, in snake or camel case. What Palimpsest has no place for is kept in
 * `extensions.adk` of the event and its parts, so that eventToAdk gives the same event again, but for: known optional
 * fields that are null become absent, `temp:` keys are dropped, and what append itself changes (lone surrogates, -0,
 * error messages over 64 Ki code points). Throws INVALID_EVENT naming the field under `path`.
 *
 * @param options.dialect Default: seconds or milliseconds, whichever makes the timestamp lie before the year 5000.
 */
export function eventFromAdk(json: unknown, path: string, options: { readonly dialect?: AdkDialect } = {}): AdkImport {
  const raw = adkObject(json, path, 'snake');
  const timestamp = numberAt(raw, 'timestamp');
  const dialect = options.dialect ?? (Math.abs(timestamp ?? 0) < firstMillis ? 'python' : 'js');
  const actionsCasing = casingOfActions(raw.fields.actions, dialect === 'js' ? 'camel' : 'snake');
  const event: AdkObject = { ...raw, casing: casingOf(raw.fields, eventNames, actionsCasing) };
  const actions = objectAt(event, 'actions');
  const eventRecord = recordFromEvent(event);
  const readActions = actions && actionsFromAdk(actions, eventRecord !== undefined);
  const contentObject = objectAt(event, 'content');
  const author = idAt(event, 'author') ?? (contentObject?.fields.role === 'user' ? 'user' : 'model');
  const content = contentObject && contentFromAdk(contentObject, { fallback: author === 'user' ? 'user' : 'model' });
  const record = eventRecord ?? (readActions && recordFromActions(readActions.object));
  const rewinds = readActions?.actions.rewind !== undefined;
  const compaction = record && rewinds ? { ...record, besideRewind: true as const } : record;
  // Bookkeeping here carries no content, and ADK shows none that stands beside its own.
  const shown = compaction === undefined && !rewinds;
  const draft: EventDraft = {
    ...ownFieldsFromAdk(event),
    ...onlySet({ timestamp: instantAt(event, timestamp, dialect), content: shown ? content?.content : undefined }),
    author,
    actions: readActions?.actions ?? noActions,
  };
  const adk = onlySet({
    casing: event.casing,
    dialect,
    actionsCasing: readActions && readActions.object.casing !== event.casing ? readActions.object.casing : undefined,
    event: eventResidue(event, draft, { dialect, compaction }),
    actions: readActions?.residue,
    content: content?.residue,
    unshownContent: shown ? undefined : content?.content,
  });
  const extensions = { adk, ...(compaction === undefined ? {} : { invalidCompaction: compaction.raw }) };
  return { input: { ...draft, extensions }, timestamp, compaction };
}

/**
 * The input with its summary as adkCompactionsToSeqs placed it. One that stays invalid is left where it is, in
 * `extensions.invalidCompaction`.
 */
export function withAdkCompaction(imported: AdkImport, outcome: AdkCompactionOutcome): EventInput {
  const { input, compaction } = imported;
  if (!outcome.valid || compaction === undefined) return input;
  const { invalidCompaction: _, ...extensions } = input.extensions ?? {};
  const origin = isPlainObject(extensions.adk) ? extensions.adk : {};
  const kept = onlySet({ form: compaction.form, residue: compaction.residue });
  return {
    ...input,
    actions: { ...input.actions, compaction: outcome.compaction },
    extensions: { ...extensions, adk: { ...origin, compaction: kept } },
  };
}

/** In milliseconds, 1973; in seconds, the year 5138. */
const firstMillis = 1e11;
const placeholder = '(given at append)';

/** Optional fields of ADK's events, for which null and absent are the same. Those in the second half are not read. */
const eventNames = new Set([
  ...['id', 'invocationId', 'author', 'timestamp', 'branch', 'isolationScope', 'content', 'actions', 'partial'],
  ...['turnComplete', 'interrupted', 'errorCode', 'errorMessage', 'finishReason', 'longRunningToolIds'],
  ...['usageMetadata', 'inputTranscription', 'outputTranscription', 'customMetadata'],
  ...['groundingMetadata', 'citationMetadata', 'cacheMetadata', 'modelVersion', 'turnCompleteReason', 'turnId'],
  ...['liveSessionResumptionUpdate', 'liveSessionId', 'liveSetupComplete', 'goAway', 'interactionId'],
  ...['avgLogprobs', 'logprobsResult', 'nodeInfo', 'isCompacted', 'startTime', 'endTime', 'compactedContent'],
]);

const transcriptionNames = new Set(['text', 'finished', 'languageCode']);

function ownFieldsFromAdk(event: AdkObject): Omit<EventDraft, 'author' | 'actions'> {
  const usage = objectAt(event, 'usageMetadata');
  return onlySet({
    id: idAt(event, 'id'),
    invocationId: idAt(event, 'invocationId'),
    branch: branchAt(event),
    isolationScope: idAt(event, 'isolationScope'),
    // Given on, so that append refuses streamed pieces.
    partial: booleanAt(event, 'partial'),
    turnComplete: booleanAt(event, 'turnComplete'),
    interrupted: booleanAt(event, 'interrupted'),
    errorCode: textAt(event, 'errorCode'),
    errorMessage: textAt(event, 'errorMessage'),
    finishReason: textAt(event, 'finishReason'),
    longRunningToolIds: toolIdsAt(event),
    usage: usage && usageFromAdk(usage),
    inputTranscription: transcriptionAt(event, 'inputTranscription'),
    outputTranscription: transcriptionAt(event, 'outputTranscription'),
    customMetadata: mapAt(event, 'customMetadata'),
  });
}

/** What the event says that the draft does not; content and actions keep their own residues. */
function eventResidue(
  event: AdkObject,
  draft: EventDraft,
  { dialect, compaction }: { readonly dialect: AdkDialect; readonly compaction: AdkCompaction | undefined },
): Residue | undefined {
  const { casing } = event;
  const original = withoutKnownNulls(event.fields, eventNames);
  for (const camel of ['inputTranscription', 'outputTranscription']) {
    const transcription = original[spell(camel, casing)];
    if (isPlainObject(transcription))
      original[spell(camel, casing)] = withoutKnownNulls(transcription, transcriptionNames);
  }
  if (original.longRunningToolIds instanceof Set) original.longRunningToolIds = draft.longRunningToolIds;
  if (compaction?.form === 'event') for (const name of Object.keys(compaction.raw)) delete original[name];
  delete original.content;
  if (original.actions !== undefined) original.actions = null;
  const form: AdkForm = { casing, dialect, origin: { casing, dialect } };
  const given = { id: placeholder, invocationId: placeholder, timestamp: toInstant(0) };
  return residueOf(original, { ...expressOwnFields({ ...given, ...draft }, form), actions: null });
}

function instantAt(event: AdkObject, timestamp: number | undefined, dialect: AdkDialect): Instant | undefined {
  if (timestamp === undefined) return undefined;
  const millis = Math.round(dialect === 'js' ? timestamp : timestamp * 1000);
  if (isWritable(millis)) return toInstant(millis);
  throw invalid(fieldAt(event, 'timestamp')?.path ?? event.path, 'lies outside of the years 0 to 9999');
}

function branchAt(event: AdkObject): string | undefined {
  const branch = idAt(event, 'branch');
  if (branch?.split('.').includes('')) throw invalid(`${event.path}.branch`, 'has an empty segment');
  return branch;
}

/** A set in Python and a list in JSON; in-process callers may hand over a set. */
function toolIdsAt(event: AdkObject): readonly string[] | undefined {
  const field = fieldAt(event, 'longRunningToolIds');
  if (field === undefined) return undefined;
  const ids: unknown = field.value instanceof Set ? [...field.value] : field.value;
  if (Array.isArray(ids) && ids.every((id): id is string => typeof id === 'string')) return ids;
  throw invalid(field.path, 'must be a list of call ids');
}

function transcriptionAt(event: AdkObject, camel: string): Readonly<Fields> | undefined {
  const transcription = objectAt(event, camel);
  if (transcription === undefined) return undefined;
  const text = textAt(transcription, 'text');
  return text === undefined ? undefined : onlySet({ text, finished: booleanAt(transcription, 'finished') });
}
