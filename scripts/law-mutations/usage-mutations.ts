import type { LawMutation } from './law-mutation.ts';

/** Faults in how usage is added up. */
export const usageMutations: readonly LawMutation[] = [
  {
    file: 'sessions/usage-report.ts',
    from: '(this.#tokens[name] ?? 0) + count',
    to: 'count',
    red: ['usage.sums'],
  },
  {
    file: 'sessions/usage-report.ts',
    from: 'if (usage === undefined && request === undefined) return;',
    to: 'if (usage === undefined) return;',
    red: ['usage.sums'],
  },
  {
    file: 'sessions/usage-report.ts',
    from: '(a < b ? -1 : a > b ? 1 : 0)',
    to: '(a > b ? -1 : 1)',
    red: ['usage.sums', 'usage.of-a-user'],
  },
  {
    file: 'sessions/usage-report.ts',
    from: '    if (nextCursor === undefined) return;\n',
    to: '    if (nextCursor !== undefined || items.length > 0 || items.length === 0) return;\n',
    red: ['usage.all-of-the-log'],
  },
  {
    file: 'sessions/usage-report.ts',
    from: 'this.#summaries.add(summarizer)',
    to: 'this.#answers.add(summarizer)',
    red: ['usage.summaries-apart'],
  },
  {
    file: 'sessions/usage-report.ts',
    from: '(forkedFrom?.atSeq ?? 0) + 1',
    to: 'forkedFrom === undefined ? 1 : 1',
    red: ['usage.once-in-a-fork'],
  },
  {
    file: 'sessions/usage-report.ts',
    from: 'list({ ...whose, limit',
    to: 'list({ appName: whose.appName, limit',
    red: ['usage.of-a-user'],
  },
];
