import { isProse } from './content.ts';
import { type EventActions, noActions } from './event.ts';
import { addSize, type CopyReport, copyJsonMap, copyText, isPlainObject } from './json.ts';
import { normalizeRanges, type SeqRange } from './ranges.ts';
import { invalid, readBoolean, readContent, readText } from './read-content.ts';
import { readUsage } from './read-usage.ts';

type ActionReader = (value: unknown, path: string, report: CopyReport) => unknown;

/** Checks the actions of an event and returns a frozen copy, or the shared empty one. `temp:` keys are left out. */
export function readActions(value: unknown, path: string, report: CopyReport): EventActions {
  if (value === undefined || value === noActions) return noActions;
  if (!isPlainObject(value)) throw invalid(path, 'must be an object');
  const actions: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    if (value[name] === undefined) continue;
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) throw invalid(`${path}.${name}`, 'is no known action');
    const copy = read(value[name], `${path}.${name}`, report);
    if (copy !== undefined) actions[name] = copy;
  }
  refuseBothSetAndRemoved(actions, path);
  return Object.keys(actions).length === 0 ? noActions : Object.freeze(actions);
}

const readers: Readonly<Record<string, ActionReader>> = {
  stateDelta: readStateDelta,
  stateRemoved: readStateRemoved,
  artifactDelta: readVersions,
  transferToAgent: readText,
  escalate: readBoolean,
  skipSummarization: readBoolean,
  endOfAgent: readBoolean,
  agentState: copyJsonMap,
  sessionEnd: readTrue,
  requestedToolConfirmations: copyJsonMap,
  requestedAuthConfigs: copyJsonMap,
  compaction: readCompaction,
  rewind: readRewind,
  pin: readMark,
  unpin: readMark,
  trim: readTrim,
  overflow: readOverflow,
};

const temporary = 'temp:';

function readStateDelta(value: unknown, path: string, report: CopyReport): unknown {
  if (!isPlainObject(value)) throw invalid(path, 'must be an object');
  const kept: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    if (key.startsWith(temporary)) continue;
    checkStateKey(key, path);
    if (value[key] === undefined) throw invalid(`${path}.${key}`, 'is undefined; name keys to remove in stateRemoved');
    kept[key] = value[key];
  }
  return Object.keys(kept).length === 0 ? undefined : copyJsonMap(kept, path, report);
}

function readStateRemoved(value: unknown, path: string, report: CopyReport): unknown {
  if (!Array.isArray(value)) throw invalid(path, 'must be a list of keys');
  const keys = value.map((key: unknown, index) => {
    if (typeof key !== 'string') throw invalid(`${path}[${index}]`, 'must be a text');
    checkStateKey(key, path);
    return copyText(key, report, `${path}[${index}]`);
  });
  const kept = keys.filter((key) => !key.startsWith(temporary));
  return kept.length === 0 ? undefined : Object.freeze(kept);
}

function checkStateKey(key: string, path: string): void {
  if (key === '' || key === 'app:' || key === 'user:') throw invalid(path, `has the empty key ${JSON.stringify(key)}`);
}

function refuseBothSetAndRemoved(actions: EventActions, path: string): void {
  for (const key of actions.stateRemoved ?? []) {
    if (actions.stateDelta && key in actions.stateDelta)
      throw invalid(`${path}.stateRemoved`, `names ${key}, which stateDelta sets`);
  }
}

function readVersions(value: unknown, path: string, report: CopyReport): unknown {
  const versions = copyJsonMap(value, path, report);
  for (const name of Object.keys(versions)) readCount(versions[name], `${path}.${name}`);
  return versions;
}

function readCompaction(value: unknown, path: string, report: CopyReport): unknown {
  if (!isPlainObject(value)) throw invalid(path, 'must be an object');
  const content = readContent(value.content, `${path}.content`, report, 'model');
  if (!isProse(content)) throw invalid(`${path}.content`, 'must be prose: text parts only, not empty, not all thought');
  return Object.freeze({
    covers: readCovers(value.covers, `${path}.covers`, report),
    content: content.role === 'model' ? content : Object.freeze({ ...content, role: 'model' }),
    trigger: readText(value.trigger ?? 'manual', `${path}.trigger`, report),
    sourceHash: readText(value.sourceHash ?? '', `${path}.sourceHash`, report),
    ...(value.branch === undefined ? {} : { branch: readText(value.branch, `${path}.branch`, report) }),
    ...(value.isolationScope === undefined
      ? {}
      : { isolationScope: readText(value.isolationScope, `${path}.isolationScope`, report) }),
    ...(value.supersedes === undefined ? {} : { supersedes: readSeqs(value.supersedes, `${path}.supersedes`, report) }),
    ...(value.summarizer === undefined
      ? {}
      : { summarizer: readSummarizer(value.summarizer, `${path}.summarizer`, report) }),
  });
}

function readSummarizer(value: unknown, path: string, report: CopyReport): unknown {
  if (!isPlainObject(value)) throw invalid(path, 'must be { model, usage }');
  return Object.freeze({
    model: readText(value.model, `${path}.model`, report),
    usage: readUsage(value.usage, `${path}.usage`, report),
  });
}

function readCovers(value: unknown, path: string, report: CopyReport): readonly SeqRange[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(path, 'must be a list of [from, to]');
  addSize(report, 16 * value.length, path);
  const ranges = value.map((range: unknown, index): SeqRange => {
    if (!Array.isArray(range) || range.length !== 2) throw invalid(`${path}[${index}]`, 'must be [from, to]');
    const from = readSeq(range[0], `${path}[${index}][0]`);
    const to = readSeq(range[1], `${path}[${index}][1]`);
    if (from > to) throw invalid(`${path}[${index}]`, 'runs backwards');
    return Object.freeze([from, to] as const);
  });
  if (
    normalizeRanges(ranges).length !== ranges.length ||
    !ranges.every((range, at) => at === 0 || range[0] > (ranges[at - 1]?.[1] ?? 0))
  ) {
    throw invalid(path, 'must be sorted and disjoint, touching ranges joined');
  }
  return Object.freeze(ranges);
}

function readRewind(value: unknown, path: string, report: CopyReport): unknown {
  if (!isPlainObject(value)) throw invalid(path, 'must be an object');
  return Object.freeze({
    beforeInvocationId: readText(value.beforeInvocationId, `${path}.beforeInvocationId`, report),
    fromSeq: value.fromSeq === undefined ? 0 : readCount(value.fromSeq, `${path}.fromSeq`),
    ...(value.shared === undefined ? {} : { shared: readTrue(value.shared, `${path}.shared`) }),
  });
}

function readMark(value: unknown, path: string, report: CopyReport): unknown {
  if (!isPlainObject(value)) throw invalid(path, 'must be { seqs }');
  return Object.freeze({ seqs: readSeqs(value.seqs, `${path}.seqs`, report) });
}

function readTrim(value: unknown, path: string, report: CopyReport): unknown {
  if (!isPlainObject(value)) throw invalid(path, 'must be { seqs, keepChars }');
  return Object.freeze({
    seqs: readSeqs(value.seqs, `${path}.seqs`, report),
    keepChars: readCount(value.keepChars, `${path}.keepChars`),
  });
}

const overflowReasons = ['blocked', 'ceiling', 'tooLong'];
const overflowCounts = ['tokens', 'limit', 'leftOut'];

function readOverflow(value: unknown, path: string, report: CopyReport): unknown {
  if (!isPlainObject(value)) throw invalid(path, 'must be { why }');
  const { why, agentName, by } = value;
  if (typeof why !== 'string' || !overflowReasons.includes(why))
    throw invalid(`${path}.why`, `must be one of ${overflowReasons.join(', ')}`);
  const counts = overflowCounts.filter((name) => value[name] !== undefined);
  return Object.freeze({
    why,
    ...(agentName === undefined ? {} : { agentName: readText(agentName, `${path}.agentName`, report) }),
    ...(by === undefined ? {} : { by: readSeqs(by, `${path}.by`, report) }),
    ...Object.fromEntries(counts.map((name) => [name, readCount(value[name], `${path}.${name}`)])),
  });
}

function readSeqs(value: unknown, path: string, report: CopyReport): readonly number[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(path, 'must be a list of seqs');
  addSize(report, 8 * value.length, path);
  return Object.freeze(value.map((seq: unknown, index) => readSeq(seq, `${path}[${index}]`)));
}

function readSeq(value: unknown, path: string): number {
  const seq = readCount(value, path);
  if (seq === 0) throw invalid(path, 'must be 1 or more');
  return seq;
}

function readCount(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalid(path, 'must be a whole number, 0 or more');
  return value;
}

function readTrue(value: unknown, path: string): true {
  if (value !== true) throw invalid(path, 'must be true, or left out');
  return true;
}
