import { type Event, foldCoverage, isBookkeeping, type SummaryInForce, type View } from '../../src/events/index.ts';

/** What a log and a view come to, worked out the slow way, straight from the rules. */
export interface LogOracle {
  /** Why a view does not see an event; `undefined` if it does. */
  whyHidden(event: Event): 'rewound' | 'branch' | 'scope' | undefined;
  /** The summaries in force that the view sees and that name an event. */
  summariesOf(seq: number): readonly SummaryInForce[];
  isPinned(seq: number): boolean;
  /** True for a summary that no live one supersedes. */
  isInForce(seq: number): boolean;
  /** How many characters of a result are shown; `undefined`: all. */
  keptChars(seq: number): number | undefined;
  /** Seq of the newest question, if no agent has answered it. */
  readonly liveQuestion: number | undefined;
}

/** Makes an oracle. Which summaries and pins are in force is asked of the one rule for that. */
export function oracleOf(log: readonly Event[], view: View): LogOracle {
  const rewound = rewoundIn(log);
  const coverage = foldCoverage(log.filter(isBookkeeping));
  const isLive = (event: Event) => (isBookkeeping(event) ? coverage.isLive(event.seq) : !rewound.has(event.seq));
  const ended = new Set(
    log.flatMap((event) => (isLive(event) && event.actions.endOfAgent ? (event.branch ?? []) : [])),
  );
  const whyHidden = (event: Event) => {
    if (!isLive(event)) return 'rewound';
    const { isolationScope, branch } = event.actions.compaction ?? event;
    if (isolationScope !== view.isolationScope) return 'scope';
    return seesBranch(view.branch, branch, ended) ? undefined : 'branch';
  };
  const seen = log.filter((event) => whyHidden(event) === undefined);
  const shown = new Set(seen.map(({ seq }) => seq));
  const question = seen.findLast(asks);
  return {
    whyHidden,
    summariesOf: (seq) =>
      coverage.summaries.filter(
        (summary) => shown.has(summary.seq) && summary.compaction.covers.some(([from, to]) => from <= seq && seq <= to),
      ),
    isPinned: (seq) => coverage.pinned.has(seq),
    isInForce: (seq) => coverage.summaries.some((summary) => summary.seq === seq),
    keptChars: (seq) => (coverage.pinned.has(seq) ? undefined : coverage.trimmed.get(seq)),
    liveQuestion:
      question && !seen.some((event) => event.seq > question.seq && answers(event)) ? question.seq : undefined,
  };
}

/** Walks backwards; a rewind takes away what stands between its target and itself, older rewinds included. */
function rewoundIn(log: readonly Event[]): ReadonlySet<number> {
  const hidden = new Set<number>();
  for (let seq = log.length; seq > 0; seq--) {
    const rewind = log[seq - 1]?.actions.rewind;
    if (rewind === undefined) continue;
    while (seq > rewind.fromSeq) hidden.add(--seq);
  }
  return hidden;
}

function seesBranch(reader: string | undefined, branch: string | undefined, ended: ReadonlySet<string>): boolean {
  if (reader === undefined || branch === undefined) return true;
  const [own, other] = [reader.split('.'), branch.split('.')];
  const isCommon = own
    .slice(0, other.length)
    .every((segment, index) => index >= other.length || segment === other[index]);
  return isCommon && (other.length <= own.length || ended.has(branch));
}

function asks({ origin, content, inputTranscription }: Event): boolean {
  if (origin !== 'user') return false;
  if (content === undefined) return (inputTranscription?.text ?? '').trim() !== '';
  return content.parts.some(
    ({ text = '', thought, inlineData, fileData }) =>
      (inlineData !== undefined && inlineData.data !== '') ||
      fileData !== undefined ||
      (text.trim() !== '' && thought !== true),
  );
}

function answers({ origin, content, interrupted, outputTranscription }: Event): boolean {
  if (origin !== 'agent' || interrupted === true) return false;
  if (content === undefined) return (outputTranscription?.text ?? '').trim() !== '';
  const isSaid = content.parts.some(({ text = '', thought }) => text !== '' && thought !== true);
  return isSaid && content.parts.every(({ functionCall }) => functionCall === undefined);
}
