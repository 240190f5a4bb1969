import type { BreakReason } from '../../../events/index.ts';

const whys: Readonly<Record<BreakReason, string>> = {
  instruction: 'the instruction, examples or documents are others',
  tools: 'the tools are others',
  model: 'the model is another',
  profile: 'the profile was renewed',
  compaction: 'a summary took the place of events',
  rewind: 'events were rewound',
  trim: 'old tool results were cut',
  window: 'the history window moved on',
  erasure: 'something was erased',
  lateResponse: 'a late result stands with its call',
  branchJoined: 'what a branch said was joined',
};

const known: ReadonlyMap<string, string> = new Map(Object.entries(whys));

/** Why a request does not begin as the one before it, in words. Journals come from anywhere, and may name other reasons. */
export function breakText(reason: BreakReason): string {
  const why = known.get(reason);
  return why === undefined ? reason : `${reason} (${why})`;
}
