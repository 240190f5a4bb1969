import type { ComingRequest, CompactionFor, CompactionOutcome, InvocationReport } from '../context/compaction/index.ts';
import type { SessionKey } from '../events/index.ts';

/** When requests of an agent have to do with compaction. */
export interface RequestLimits {
  /** From so many tokens on a request waits for a fold, and is shortened if none comes. */
  readonly ceiling: number;
  /** Folds that are due are waited for whatever the size of the request. */
  readonly isAlwaysAsked: boolean;
}

/** What a run that is over says of itself. */
export interface RunReport extends InvocationReport {
  /** Of its last request; absent: it sent none. */
  readonly promptTokens?: number;
}

/** What compaction does for runs. Only `beforeModelCall` is waited for, and nothing here throws. */
export interface RunCompaction {
  /** `undefined`: the agent's requests are sent as they are. */
  limitsOf(agentName: string): RequestLimits | undefined;
  beforeModelCall(key: SessionKey, request: ComingRequest): Promise<CompactionOutcome>;
  /** The run goes on to another request. */
  duringRun(key: SessionKey, run: CompactionFor & Pick<RunReport, 'promptTokens'>): void;
  afterRun(key: SessionKey, report: RunReport): void;
  /** The provider has said how many tokens the agent's model takes at most. */
  noteLimit(agentName: string, tokens: number): void;
}
