import { PalimpsestError } from '../errors/index.ts';
import { actionsToAdk } from './adk-actions.ts';
import { type AdkSpelling, contentToAdk } from './adk-content.ts';
import { type AdkForm, type Expressible, expressOwnFields, respellingOf, timeInAdk } from './adk-express.ts';
import { onlySet } from './adk-fields.ts';
import type { AdkCasing, AdkDialect, Fields } from './adk-names.ts';
import { originInAdk } from './adk-origin.ts';
import { type AdkRecordForm, formOf, recordToAdk, respellRecord } from './adk-records.ts';
import { addResidue } from './adk-residue.ts';
import { type Compaction, type Event, isBookkeeping, noActions } from './event.ts';
import { isPlainObject, type JsonMap } from './json.ts';
import type { SeqRange } from './ranges.ts';

/** How an event is written for ADK. */
export interface AdkExportOptions {
  /** `snake` for its databases, `camel` over HTTP. */
  readonly casing: AdkCasing;
  /** Default `python`. */
  readonly dialect?: AdkDialect;
  /**
   * When an event of the same session stands in the ADK log, by adkTimestamp; `undefined` for what does not stand there
   * or is bookkeeping. Summaries that did not come from this ADK need it.
   */
  readonly timestampOf?: (seq: number) => number | undefined;
}

/**
 * An event as ADK writes it. One that came from there is given back as it was. A summary with holes becomes one event
 * for each contiguous run; what ADK has no word for (pins, trims, the end of a session) becomes none.
 * Throws INVALID_ARGUMENT if a summary needs `timestampOf` and it is missing.
 */
export function eventToAdk(event: Event, options: AdkExportOptions): readonly JsonMap[] {
  const origin = originInAdk(event.extensions);
  const form: AdkForm = { casing: options.casing, dialect: options.dialect ?? 'python', origin };
  const [first, ...others] = recordsOf(event, form, options.timestampOf);
  if (first === undefined && saysNothing(event)) return [];
  const { id, invocationId, author, timestamp, actions } = event;
  const place = onlySet({ branch: event.branch, isolationScope: event.isolationScope });
  const further = others.map((record, index) => {
    const bare = { ...place, id: `${id}-${index + 2}`, invocationId, author, timestamp };
    const carrier = { ...bare, actions: onlySet({ compaction: actions.compaction }) };
    const ownForm: AdkForm = { ...form, origin: undefined };
    return withRecord(expressEvent(carrier, ownForm), record, ownForm);
  });
  // Everything that is expressed comes from JSON values.
  return [withRecord(expressEvent(event, form), first, form), ...further] as readonly JsonMap[];
}

/** When an event stands in the ADK log: as ADK itself wrote it if it came from there, else its timestamp. */
export function adkTimestamp(event: Pick<Event, 'timestamp' | 'extensions'>, dialect: AdkDialect): number {
  const origin = originInAdk(event.extensions);
  const kept = origin?.dialect === dialect && isPlainObject(origin.event) ? origin.event.fields : undefined;
  const exact = isPlainObject(kept) ? kept.timestamp : undefined;
  return typeof exact === 'number' ? exact : timeInAdk(event.timestamp, dialect);
}

/** A summary record, and where in the event it goes. */
interface PlacedRecord {
  readonly form: AdkRecordForm;
  readonly fields: Fields;
}

function expressEvent(event: Expressible, form: AdkForm): Fields {
  const { casing, origin } = form;
  const respellTo = respellingOf(form);
  const fields = expressOwnFields(event, form);
  const content = event.content ?? origin?.unshownContent;
  if (content !== undefined) fields.content = contentToAdk(content, { casing, respellTo, residue: origin?.content });
  fields.actions = addResidue(actionsToAdk(event.actions, actionsCasing(form)), origin?.actions, respellTo);
  const whole = addResidue(fields, origin?.event, respellTo);
  // A kept timestamp is in the unit of the dialect that it came in.
  if (origin !== undefined && origin.dialect !== form.dialect) whole.timestamp = fields.timestamp;
  return whole;
}

function actionsCasing({ casing, origin }: AdkForm): AdkCasing {
  return (casing === origin?.casing ? origin.actionsCasing : undefined) ?? casing;
}

/** True for bookkeeping that ADK has no word for. */
function saysNothing(event: Event): boolean {
  const { rewind, stateDelta, stateRemoved } = event.actions;
  const speaks = event.content ?? rewind ?? stateDelta ?? stateRemoved ?? originInAdk(event.extensions);
  return isBookkeeping(event) && speaks === undefined;
}

function recordsOf(event: Event, form: AdkForm, timestampOf: AdkExportOptions['timestampOf']): readonly PlacedRecord[] {
  const { origin, dialect } = form;
  const { compaction } = event.actions;
  const sameDialect = origin?.dialect === dialect;
  if (compaction === undefined) {
    const raw = origin && event.extensions?.invalidCompaction;
    if (!isPlainObject(raw)) return [];
    const timeFactor = sameDialect ? 1 : dialect === 'js' ? 1000 : 0.001;
    const at = formOf(raw);
    return [{ form: at, fields: respellRecord(raw, { ...spellingAt(at, form), timeFactor }) }];
  }
  const kept = sameDialect ? origin.compaction : undefined;
  const at = kept?.form ?? (dialect === 'js' ? 'event' : 'action');
  const spans = kept === undefined ? spansOf(compaction, timestampOf) : [{ start: 0, end: 0 }];
  return spans.map((span) => {
    const fields = recordToAdk(compaction.content, { ...spellingAt(at, form), form: at, span, residue: kept?.residue });
    return { form: at, fields };
  });
}

function spellingAt(at: AdkRecordForm, form: AdkForm): AdkSpelling {
  return { casing: at === 'action' ? actionsCasing(form) : form.casing, respellTo: respellingOf(form) };
}

function withRecord(event: Fields, record: PlacedRecord | undefined, form: AdkForm): Fields {
  if (record === undefined) return event;
  if (record.form === 'event') return { ...event, ...record.fields };
  const actions = isPlainObject(event.actions) ? event.actions : actionsToAdk(noActions, actionsCasing(form));
  return { ...event, actions: { ...actions, compaction: record.fields } };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The time of each contiguous run. Runs are contiguous in ADK too if nothing of its conversation lies between them. */
function spansOf({ covers }: Compaction, timestampOf: AdkExportOptions['timestampOf']): readonly Span[] {
  if (timestampOf === undefined)
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'options.timestampOf',
      reason: 'is needed to write a summary, which ADK bounds by timestamps',
    });
  const spans: Span[] = [];
  let span: Span | undefined;
  let next = covers[0]?.[0] ?? 0;
  for (const range of covers) {
    const gap: SeqRange = [next, range[0] - 1];
    if (span !== undefined && timesIn(gap, timestampOf).length > 0) {
      spans.push(span);
      span = undefined;
    }
    for (const time of timesIn(range, timestampOf))
      span = { start: Math.min(span?.start ?? time, time), end: Math.max(span?.end ?? time, time) };
    next = range[1] + 1;
  }
  return span === undefined ? spans : [...spans, span];
}

function timesIn([from, to]: SeqRange, timestampOf: (seq: number) => number | undefined): readonly number[] {
  const times: number[] = [];
  for (let seq = from; seq <= to; seq++) {
    const time = timestampOf(seq);
    if (time !== undefined) times.push(time);
  }
  return times;
}
