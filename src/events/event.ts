import type { Content } from './content.ts';
import type { Instant } from './instant.ts';
import type { JsonMap } from './json.ts';
import type { RequestJournal } from './model-request.ts';
import type { SeqRange } from './ranges.ts';
import type { TokenCount, Usage } from './usage.ts';

/** What kind of party an event came from, derived at append. */
export type Origin = 'user' | 'agent' | 'tool' | 'system';

/** What a reader who leaves out the events that a summary covers has to know of them. */
export interface Outline {
  /** Seq of the newest question among them, if no answer stands below it there. */
  readonly asked?: number;
  /** Seq of the newest final answer among them, if no question stands below it there. */
  readonly answered?: number;
  /** Seq of an event among them that ends the agent of their branch. */
  readonly ended?: number;
  /** Those with calls or responses of which the covered events alone do not say what they belong to; may hold more. */
  readonly unpaired?: readonly SeqRange[];
}

/** A summary and exactly what it covers. */
export interface Compaction {
  /** Inclusive, sorted, disjoint; every seq is below the compaction's own. */
  readonly covers: readonly SeqRange[];
  /** Prose only, role `model`. */
  readonly content: Content;
  readonly branch?: string;
  readonly isolationScope?: string;
  /** Seqs of older compactions whose ranges this one contains whole. */
  readonly supersedes?: readonly number[];
  /** What made the fold happen. */
  readonly trigger: string;
  /** SHA-256 of what was summarised. */
  readonly sourceHash: string;
  readonly summarizer?: { readonly model: string; readonly usage: Usage };
  /** Worked out at append; a caller's is ignored. Summaries that older versions stored have none. */
  readonly outline?: Outline;
}

/** Hides everything from `fromSeq` up to the event that carries it. */
export interface Rewind {
  readonly beforeInvocationId: string;
  /** Resolved at append. */
  readonly fromSeq: number;
  /** Whether `app:` and `user:` state goes back too. */
  readonly shared?: true;
}

/** Why a request was made without the oldest of the log, or nothing was folded though it was due. */
export interface Overflow {
  /**
   * `blocked`: what is open kept a fold from being made. `ceiling`: a request was made shorter since it had reached the hard
   * ceiling. `tooLong`: since its provider had refused it.
   */
  readonly why: 'blocked' | 'ceiling' | 'tooLong';
  readonly agentName?: string;
  /** Seqs of the events that are open. */
  readonly by?: readonly number[];
  /** Of the request before it was made shorter. */
  readonly tokens?: number;
  /** Tokens that it may have. */
  readonly limit?: number;
  /** How many events were left out of it. */
  readonly leftOut?: number;
}

/** The effects that an event records. */
export interface EventActions {
  readonly stateDelta?: JsonMap;
  /** Keys that are absent afterwards, which is not the same as null. */
  readonly stateRemoved?: readonly string[];
  /** Artifact name → version saved. */
  readonly artifactDelta?: { readonly [name: string]: number };
  readonly transferToAgent?: string;
  readonly escalate?: boolean;
  readonly skipSummarization?: boolean;
  readonly endOfAgent?: boolean;
  readonly agentState?: JsonMap;
  readonly sessionEnd?: true;
  /** Call id → what is to be confirmed. */
  readonly requestedToolConfirmations?: JsonMap;
  /** Call id → what is to be authorised. */
  readonly requestedAuthConfigs?: JsonMap;
  readonly compaction?: Compaction;
  readonly rewind?: Rewind;
  readonly pin?: { readonly seqs: readonly number[] };
  readonly unpin?: { readonly seqs: readonly number[] };
  readonly trim?: { readonly seqs: readonly number[]; readonly keepChars: number };
  readonly overflow?: Overflow;
}

/** Speech as text. */
export interface Transcription {
  readonly text: string;
  readonly finished?: boolean;
}

/** One immutable entry of the log. */
export interface Event {
  /** Position in its session: 1, 2, 3 … given at append. Order is this and nothing else. */
  readonly seq: number;
  readonly id: string;
  /** One user request and all events until it is answered. */
  readonly invocationId: string;
  /** `user`, an agent's name, or `system`. */
  readonly author: string;
  readonly origin: Origin;
  readonly importedFrom?: string;
  /** When it happened. For display only. */
  readonly timestamp: Instant;
  /** When it was appended. */
  readonly recordedAt: Instant;
  readonly timeZone?: string;
  readonly content?: Content;
  readonly turnComplete?: boolean;
  readonly interrupted?: boolean;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly tokens?: TokenCount;
  readonly request?: RequestJournal;
  /** Path of the agent that produced it, segments parted by dots. */
  readonly branch?: string;
  readonly isolationScope?: string;
  readonly longRunningToolIds?: readonly string[];
  readonly inputTranscription?: Transcription;
  readonly outputTranscription?: Transcription;
  readonly actions: EventActions;
  readonly customMetadata?: JsonMap;
  /** Fields of other systems that have no place here, kept for the way back. */
  readonly extensions?: JsonMap;
}

/** The fields that the log gives at append; a caller's values for them are ignored. */
export type GivenAtAppend = 'seq' | 'origin' | 'importedFrom' | 'recordedAt' | 'tokens' | 'timeZone';

/** What a caller appends: an author, and whatever else it knows. */
export interface EventInput {
  readonly author: string;
  /** Text for a content of one part, or the content; `role` may be left out. */
  readonly content?: string | { readonly role?: Content['role']; readonly parts: readonly PartInput[] };
  readonly id?: string;
  readonly invocationId?: string;
  readonly timestamp?: Instant;
  /** Streamed pieces are refused: only whole events are stored. */
  readonly partial?: boolean;
  readonly turnComplete?: boolean;
  readonly interrupted?: boolean;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly request?: RequestJournal;
  readonly branch?: string;
  readonly isolationScope?: string;
  readonly longRunningToolIds?: readonly string[];
  readonly inputTranscription?: Transcription;
  readonly outputTranscription?: Transcription;
  readonly actions?: EventActionsInput;
  readonly customMetadata?: Readonly<Record<string, unknown>>;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** A part as a caller gives it: values are checked and copied, bytes may be a Uint8Array. */
export interface PartInput {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string | Uint8Array;
  readonly inlineData?: {
    readonly mimeType: string;
    readonly data: string | Uint8Array;
    readonly displayName?: string;
  };
  readonly fileData?: { readonly fileUri: string; readonly mimeType?: string; readonly displayName?: string };
  readonly functionCall?: {
    readonly id?: string;
    readonly name: string;
    readonly args?: Readonly<Record<string, unknown>>;
  };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response?: unknown };
  readonly executableCode?: { readonly code: string; readonly language?: string; readonly id?: string };
  readonly codeExecutionResult?: { readonly outcome: string; readonly output?: string; readonly id?: string };
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Actions as a caller gives them; `fromSeq` of a rewind is found at append. */
export interface EventActionsInput
  extends Omit<
    EventActions,
    'stateDelta' | 'agentState' | 'requestedToolConfirmations' | 'requestedAuthConfigs' | 'rewind'
  > {
  readonly stateDelta?: Readonly<Record<string, unknown>>;
  readonly agentState?: Readonly<Record<string, unknown>>;
  readonly requestedToolConfirmations?: Readonly<Record<string, unknown>>;
  readonly requestedAuthConfigs?: Readonly<Record<string, unknown>>;
  readonly rewind?: { readonly beforeInvocationId: string; readonly fromSeq?: number; readonly shared?: true };
}

/** The actions of an event that has none: one shared object. */
export const noActions: EventActions = Object.freeze({});

/** The actions that make an event bookkeeping; an event has at most one of them. */
export const bookkeepingActions = [
  'compaction',
  'rewind',
  'pin',
  'unpin',
  'trim',
  'overflow',
  'sessionEnd',
] as const satisfies readonly (keyof EventActions)[];

/** True for the library's own entries about the log, which are no part of the conversation and count in no trigger. */
export function isBookkeeping({ actions }: Pick<Event, 'actions'>): boolean {
  return actions !== noActions && bookkeepingActions.some((name) => actions[name] !== undefined);
}

/** True for bookkeeping that leaves a writer's picture of the conversation valid: all of it but a rewind. */
export function isPassive(event: Pick<Event, 'actions'>): boolean {
  return isBookkeeping(event) && event.actions.rewind === undefined;
}
