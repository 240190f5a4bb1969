import { type AdkSpelling, contentFromAdk, contentToAdk } from './adk-content.ts';
import { type AdkObject, numberAt, objectAt, textAt } from './adk-fields.ts';
import { type Fields, respellDeep, spell, spellFields } from './adk-names.ts';
import { addResidue, type Residue, residueOf } from './adk-residue.ts';
import { type Content, isProse, modelText, textOf } from './content.ts';
import { isPlainObject } from './json.ts';

/** Where a summary stands: in the actions of an event (ADK-Python), or in the event itself (ADK-JS). */
export type AdkRecordForm = 'action' | 'event';

/** A summary as ADK has it: a range of timestamps, bounds inclusive, in the unit of the events it came with. */
export interface AdkCompaction {
  readonly form: AdkRecordForm;
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** `undefined` if it is not prose. */
  readonly content: Content | undefined;
  /** The record as it came. */
  readonly raw: Readonly<Fields>;
  /** What it says beyond its content, for the way back. */
  readonly residue: Residue | undefined;
  /** Set if its event is a rewind too. One event does one of the two, so that this summary cannot be placed. */
  readonly besideRewind?: true;
}

/** Fields that ADK-JS adds to an event to make it a summary. ADK-Python has a record in the actions instead. */
const summaryEventFields = ['isCompacted', 'startTime', 'endTime', 'compactedContent'] as const;

/** The record inside the actions of an event, as ADK-Python writes it. */
export function recordFromActions(actions: AdkObject): AdkCompaction | undefined {
  const record = objectAt(actions, 'compaction');
  if (record === undefined) return undefined;
  const summary = objectAt(record, 'compactedContent');
  const read = summary && contentFromAdk(summary, { always: 'model' });
  const name = spell('compactedContent', record.casing);
  const rest: Fields = { ...record.fields };
  if (summary !== undefined) delete rest[name];
  const residue = residueOf(rest, spellFields({ startTimestamp: 0, endTimestamp: 0 }, record.casing));
  return {
    form: 'action',
    start: numberAt(record, 'startTimestamp'),
    end: numberAt(record, 'endTimestamp'),
    content: isProse(read?.content) ? read.content : undefined,
    raw: record.fields,
    residue: read?.residue ? { ...residue, inner: { ...residue?.inner, [name]: read.residue } } : residue,
  };
}

/** The record that an event is, as ADK-JS writes it. */
export function recordFromEvent(event: AdkObject): AdkCompaction | undefined {
  if (event.fields[spell('isCompacted', event.casing)] !== true) return undefined;
  const raw: Fields = {};
  for (const camel of summaryEventFields) {
    const name = spell(camel, event.casing);
    if (Object.hasOwn(event.fields, name)) raw[name] = event.fields[name];
  }
  const summary = textAt(event, 'compactedContent');
  const expressed = { isCompacted: true, startTime: 0, endTime: 0, compactedContent: summary };
  return {
    form: 'event',
    start: numberAt(event, 'startTime'),
    end: numberAt(event, 'endTime'),
    content: summary?.trim() ? modelText(summary) : undefined,
    raw,
    residue: residueOf(raw, spellFields(expressed, event.casing)),
  };
}

/** Where a record, as it came, stood. */
export function formOf(raw: Readonly<Fields>): AdkRecordForm {
  return 'isCompacted' in raw || 'is_compacted' in raw ? 'event' : 'action';
}

/** A summary over a span of time as ADK writes it: the fields of the record. */
export function recordToAdk(
  content: Content,
  options: AdkSpelling & {
    readonly form: AdkRecordForm;
    readonly span: { readonly start: number; readonly end: number };
    readonly residue?: unknown;
  },
): Fields {
  const { casing, respellTo } = options;
  const { start, end } = options.span;
  const fields =
    options.form === 'event'
      ? { isCompacted: true, startTime: start, endTime: end, compactedContent: textOf(content) }
      : { startTimestamp: start, endTimestamp: end, compactedContent: contentToAdk(content, { casing, respellTo }) };
  return addResidue(spellFields(fields, casing), options.residue, respellTo);
}

/** A record as it came, spelt and timed for another ADK; the form stays its own. */
export function respellRecord(raw: Readonly<Fields>, options: AdkSpelling & { readonly timeFactor: number }): Fields {
  const respelt = options.respellTo === undefined ? raw : respellDeep(raw, options.respellTo);
  const record: Fields = isPlainObject(respelt) ? { ...respelt } : {};
  for (const camel of ['startTimestamp', 'endTimestamp', 'startTime', 'endTime']) {
    const name = spell(camel, options.casing);
    if (typeof record[name] === 'number') record[name] *= options.timeFactor;
  }
  return record;
}
