import type { Content, Provider } from '../../events/index.ts';

/** Why an event is no part of a request. */
export type HiddenWhy =
  | 'rewound'
  | 'branch'
  | 'scope'
  | 'empty'
  | 'auth'
  | 'window'
  | 'bookkeeping'
  | 'orphanCall'
  | 'orphanResponse';

/**
 * What became of an event in one request. `merged` is said of a verbatim event whose content was joined to another's,
 * and of a response that a newer one replaced; narrated, trimmed and summary keep their name wherever they stand.
 */
export type Placement =
  | { readonly outcome: 'verbatim' | 'narrated' | 'summary' }
  | { readonly outcome: 'masked'; readonly by: number }
  | { readonly outcome: 'merged'; readonly into: number }
  | { readonly outcome: 'trimmed' }
  | { readonly outcome: 'hidden'; readonly why: HiddenWhy };

/** How many events, then turns, then contents were left after each stage. */
export interface StageCounts {
  readonly events: number;
  readonly live: number;
  readonly visible: number;
  readonly unmasked: number;
  readonly spoken: number;
  readonly inWindow: number;
  readonly recovered: number;
  readonly turns: number;
  readonly narrated: number;
  readonly paired: number;
  readonly contents: number;
}

/** Where the newest question of the user ends. */
export interface QuestionEnd {
  /** Index into contents. */
  readonly content: number;
  /** How many parts of that content stand up to and with the question. */
  readonly parts: number;
}

/** The conversation as one model is given it, and what became of each event. */
export interface Assembly {
  readonly contents: readonly Content[];
  /** Parallel to contents: the seqs each one came from, in order; empty for the constant opening. */
  readonly sources: readonly (readonly number[])[];
  /** `undefined` if no question of the user stands in the contents. */
  readonly question: QuestionEnd | undefined;
  /**
   * What became of an event. A seq that was not among the events is told as the bookkeeping has it (rewound, masked),
   * else as `hidden: 'empty'`: nothing stands there.
   */
  placement(seq: number): Placement;
  readonly counts: StageCounts;
  /** Whose rules the contents keep. */
  readonly provider?: Provider;
}
