import { appendMutations } from './append-mutations.ts';
import { erasureMutations } from './erasure-mutations.ts';
import { eventMutations } from './event-mutations.ts';
import { hookMutations } from './hook-mutations.ts';
import { jobMutations } from './job-mutations.ts';
import type { LawMutation } from './law-mutation.ts';
import { liveMutations } from './live-mutations.ts';
import { memoryMutations } from './memory-mutations.ts';
import { memorySearchMutations } from './memory-search-mutations.ts';
import { requestTextMutations } from './request-text-mutations.ts';
import { stateMutations } from './state-mutations.ts';
import { storeMutations } from './store-mutations.ts';
import { usageMutations } from './usage-mutations.ts';

/** Every fault that a law of sessions, of memory or of jobs must notice. */
export const allMutations: readonly LawMutation[] = [
  ...eventMutations,
  ...appendMutations,
  ...stateMutations,
  ...storeMutations,
  ...liveMutations,
  ...erasureMutations,
  ...requestTextMutations,
  ...usageMutations,
  ...hookMutations,
  ...memoryMutations,
  ...memorySearchMutations,
  ...jobMutations,
];
