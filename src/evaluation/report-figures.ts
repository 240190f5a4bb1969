import type { RetrievalReport, RetrievalScores } from './evaluate-retrieval.ts';

/** One figure of a report, in percent. */
export interface Figure {
  readonly name: string;
  readonly percent: number;
}

/** What a report is known by: the figures that changes are judged by, in percent, with all digits. */
export function headFigures({ documents, sessions, set }: RetrievalReport): Readonly<Record<string, number>> {
  if (documents === undefined) return { hit5: percent(sessions.hit[5]) };
  if (set.startsWith('madial')) return { r10: percent(documents.recall[10]) };
  return {
    turnR5: percent(documents.recall[5]),
    turnR10: percent(documents.recall[10]),
    sessionR10: percent(sessions.recall[10]),
  };
}

/** All figures of scores by their names. */
export function figuresOf({ documents, sessions }: RetrievalScores): readonly Figure[] {
  const of = (level: string, scores: RetrievalScores['sessions']): Figure[] => [
    ...[1, 5, 10].map((k) => ({ name: `${level} recall@${k}`, percent: percent(scores.recall[k]) })),
    ...[1, 5, 10].map((k) => ({ name: `${level} hit@${k}`, percent: percent(scores.hit[k]) })),
    { name: `${level} MRR`, percent: percent(scores.reciprocalRank) },
    { name: `${level} nDCG@10`, percent: percent(scores.ndcg10) },
  ];
  return [...(documents === undefined ? [] : of('turn', documents)), ...of('session', sessions)];
}

function percent(share = 0): number {
  return 100 * share;
}
