/**
 * What tests of a store or of an application need: the laws of the contracts with their checks, which run without a test
 * runner, a differential comparison of two services, a model that answers by a script, and a clock that is moved by hand.
 */
export {
  type Check,
  type Checks,
  isRed,
  type Law,
  type LawOutcome,
  type LawReport,
  type LawSubject,
  type Laws,
  type Proof,
  type RunLaws,
  runLaws,
} from './conformance.ts';
export { jobChecks, jobLaws } from './job-laws.ts';
export { forwardJobs, type JobSubject, type JobSubjectParts, jobSubject } from './job-subject.ts';
export { ManualClock } from './manual-clock.ts';
export { ManualHooks } from './manual-hooks.ts';
export { memoryChecks, memoryLaws } from './memory-laws.ts';
export { eventAt, type MemorySubject } from './memory-subject.ts';
export { answersRequest, requestText, type SampleText } from './sample-texts.ts';
export {
  type Script,
  type ScriptedCall,
  ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTurn,
} from './scripted-model.ts';
export {
  type Compared,
  compareSessions,
  type FuzzSource,
  type FuzzTarget,
  type FuzzText,
  type Handles,
  type SessionOperation,
} from './session-fuzz.ts';
export { sessionChecks, sessionLaws } from './session-laws.ts';
export { type SessionCapability, type SessionSubject, sessionLawMerges } from './session-subject.ts';
