import type { LawMutation } from './law-mutation.ts';

/** Faults in what is read for the next request, and in what summaries say of what they cover. */
export const liveMutations: readonly LawMutation[] = [
  {
    file: 'sessions/live-window.ts',
    from: 'subtractRanges([[1, version]], unread)',
    to: '([[1, version]] as const)',
    red: ['live.covered-left-out', 'live.question', 'live.pins'],
  },
  {
    file: 'sessions/live-window.ts',
    from: '...coverage.hidden, ...own',
    to: '...own',
    red: ['live.rewound-left-out'],
  },
  {
    file: 'sessions/live-window.ts',
    from: '.filter(standsForItsEvents)',
    to: '.slice(1)',
    red: ['live.covered-left-out', 'live.question'],
  },
  {
    file: 'sessions/live-window.ts',
    from: 'if (covered <= (newest?.seq ?? 0)) return [];',
    to: 'if (covered >= 0) return [];',
    red: ['live.question'],
  },
  {
    file: 'sessions/live-window.ts',
    from: 'unseen.push([outline.ended, outline.ended]);',
    to: '',
    red: ['live.ended-branches'],
  },
  {
    file: 'sessions/live-window.ts',
    from: 'events = [...standing.events, ...marksOf(known, standing)',
    to: 'events = [...standing.events',
    red: ['live.pins'],
  },
  {
    file: 'sessions/call-search.ts',
    from: 'else if (this.#mayBeCovered(event.seq, id, name)) await this.#findCall(event.seq, id, name);',
    to: '',
    red: ['live.calls-of-late-responses', 'live.same-request'],
  },
  {
    file: 'sessions/call-search.ts',
    from: 'if (id === undefined) await this.#searchByPosition();\n',
    to: 'if (id === undefined) continue;\n',
    red: ['live.calls-of-late-responses'],
  },
  {
    file: 'sessions/call-search.ts',
    from: 'if (isPinned || this.#found.has(event.seq))',
    to: 'if (this.#found.has(event.seq))',
    red: ['live.pins'],
  },
  {
    file: 'sessions/bookkeeping-cache.ts',
    from: 'if (throughSeq === version) return standing;',
    to: 'if (throughSeq > 0) return standing;',
    red: ['live.one-moment', 'live.pins', 'live.rewound-left-out'],
  },
  {
    file: 'events/standing-bookkeeping.ts',
    from: 'actions.rewind.fromSeq <= throughSeq',
    to: 'actions.rewind.fromSeq < 0',
    red: ['live.same-request'],
  },
  {
    file: 'sessions/parse-options.ts',
    from: "const { branch, isolationScope } = requireObject(view, 'view');",
    to: 'const { branch, isolationScope } = view ?? {};',
    red: ['live.bad-view'],
  },
  {
    file: 'sessions/same-event.ts',
    from: '{ ...actions.compaction, outline: undefined }',
    to: 'actions.compaction',
    red: ['compaction.outline'],
  },
  {
    file: 'events/outline-fold.ts',
    from: '    this.#endStretch();\n    const asked',
    to: '    const asked',
    red: ['compaction.outline'],
  },
  {
    file: 'events/outline-fold.ts',
    from: 'else if (answers(event)) this.#answered = seq;',
    to: '',
    red: ['compaction.outline'],
  },
];
