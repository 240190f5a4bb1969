import type { SummaryRefusal } from './check-summary.ts';

/** Why a summary was refused, as the end of a sentence about the model that wrote it. */
export function refusalReason(refusal: SummaryRefusal): string {
  switch (refusal.why) {
    case 'unfinished':
      return `its summary did not come to its end (${refusal.finishReason ?? 'cut off'})`;
    case 'notProse':
      return `its summary is more than prose${refusal.calls.length === 0 ? '' : `: it calls ${refusal.calls.join(', ')}`}`;
    case 'empty':
      return 'its summary is empty';
    case 'onlyThoughts':
      return 'its summary is all thought';
    case 'tooLong':
      return `its summary has ${refusal.tokens} tokens, the most is ${refusal.most}`;
    case 'otherScript':
      return `its summary is written in ${refusal.script}, the conversation in ${refusal.expected}`;
    case 'echo':
      return `its summary repeats what it was to summarise (${Math.round(100 * refusal.share)} % word for word)`;
  }
}
