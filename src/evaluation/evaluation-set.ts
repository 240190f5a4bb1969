/** One thing that was said, or one thing to be remembered. */
export interface EvaluationDocument {
  readonly id: string;
  /** `user`, or a name. */
  readonly speaker: string;
  readonly text: string;
  /** ISO 8601, where the set says when. */
  readonly timestamp?: string;
}

/** Documents that belong together, in order. */
export interface EvaluationSession {
  readonly id: string;
  readonly documents: readonly EvaluationDocument[];
}

/** A question, and what has to be found for it. */
export interface EvaluationQuestion {
  readonly id: string;
  readonly text: string;
  /** As the set numbers and names it. */
  readonly category: string;
  /** Ids of documents or of sessions. */
  readonly gold: readonly string[];
}

/** What one user's memory holds, and what is asked of it. */
export interface EvaluationCorpus {
  readonly name: string;
  readonly sessions: readonly EvaluationSession[];
  readonly questions: readonly EvaluationQuestion[];
}

/** A question that is not asked, and why. */
export interface LeftOut {
  readonly id: string;
  readonly why: string;
}

/** A set of questions with evidence. */
export interface EvaluationSet {
  readonly name: string;
  /** Of the files that it was read from, in their order. */
  readonly sha256: readonly string[];
  readonly license: string;
  /** What the gold names: then that is what is measured; sessions are measured either way. */
  readonly goldIs: 'document' | 'session';
  /** Whether documents are turns of conversations, or memories by themselves. */
  readonly documentsAre: 'turns' | 'memories';
  readonly corpora: readonly EvaluationCorpus[];
  readonly leftOut: readonly LeftOut[];
}
