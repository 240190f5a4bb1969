import { type CompactorOptions, modelDriven, rentOrBuy, type Trigger } from '../context/compaction/index.ts';
import type { AiSdkLanguageModel, AiSdkLanguageModelV4, LanguageModel } from '../models/index.ts';

/** How old events are folded into summaries; what is left out is by default. */
export interface CompactionSettings
  extends Pick<CompactorOptions, 'triggers' | 'contextWindow' | 'summaryRegion' | 'trim' | 'when' | 'waitMs'> {
  /** Writes summaries. Default: each agent's own model. Where the prices of both are known and the agent's own request, whose prefix is cached, is cheaper, the agent's is asked. */
  readonly model?: LanguageModel | AiSdkLanguageModel | AiSdkLanguageModelV4;
}

/** Whether and how logs are folded. `off`: only when compact() is called, and requests are sent whatever their size. */
export type CompactionOption = 'off' | CompactionSettings;

/** The settings of an agent: its own above those of the application; `undefined` where its sessions are not folded. */
export function settingsOf(
  application: CompactionOption = {},
  own: CompactionOption | undefined,
): CompactionSettings | undefined {
  if (own === 'off' || (own === undefined && application === 'off')) return undefined;
  return { ...(application === 'off' ? {} : application), ...own };
}

/** The triggers of an agent: those that are set, and the model's own wish where a tool of its lets it say that. */
export function triggersOf(
  { triggers = [rentOrBuy()] }: CompactionSettings,
  asksForFolds: boolean,
): readonly Trigger[] {
  const isHeard = !asksForFolds || triggers.some(({ kind }) => kind === 'modelDriven');
  return isHeard ? triggers : [...triggers, modelDriven()];
}

/** A prompt with fewer tokens fires none of the triggers, as far as its size says that. */
export function quietBelow(triggers: readonly Trigger[], { trim }: CompactionSettings): number {
  if (trim !== undefined) return 0;
  return Math.min(...triggers.map(leastPromptOf));
}

function leastPromptOf(trigger: Trigger): number {
  if (trigger.kind === 'threshold') return trigger.tokens;
  // Asked for, and taken note of by itself.
  if (trigger.kind === 'modelDriven' || trigger.kind === 'taskComplete') return Number.POSITIVE_INFINITY;
  return trigger.kind === 'rentOrBuy' && 'tokens' in trigger.retain ? trigger.retain.tokens : 0;
}
