import type { Laws } from '../conformance.ts';

/** Laws of what calls of models have used. */
export const usageLaws = {
  'usage.sums': {
    says: 'Usage of a session is the sum of what its calls report, by model; a call that reports nothing is counted.',
    source: '§2',
  },
  'usage.all-of-the-log': {
    says: 'Calls that a rewind hides or a summary covers were made, and count; so do those of a log of several pages.',
    source: '§2',
  },
  'usage.summaries-apart': {
    says: 'What it took to make summaries is told apart from what the agents used.',
    source: '§2',
  },
  'usage.once-in-a-fork': { says: 'Calls that a fork copied count where they were made only.', source: '§2' },
  'usage.of-a-user': {
    says: "Usage of a user is that of their sessions, or of those in one project, and of nobody else's.",
    source: '§2',
  },
} satisfies Laws;
