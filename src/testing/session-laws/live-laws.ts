import type { Laws } from '../conformance.ts';

/** Laws of reading what the next request is made of. */
export const liveLaws = {
  'live.same-request': {
    says: 'The live window assembles to what the whole log assembles to, for every view.',
    source: '§2',
  },
  'live.covered-left-out': {
    says: 'The live window holds neither what summaries cover nor summaries that were superseded.',
    source: '§2; A18',
  },
  'live.rewound-left-out': {
    says: 'The live window holds nothing that a rewind hides, and what a hidden summary covered is in it again.',
    source: '§2; F3',
  },
  'live.calls-of-late-responses': {
    says: 'A covered call that a live response answers is in the live window, whether it is told by id or by position.',
    source: '§2',
  },
  'live.pins': {
    says: 'Pinned events are in the live window with the responses to their calls, and with what trims these.',
    source: '§2',
  },
  'live.question': {
    says: 'A covered question is in the live window as long as no final answer stands below it.',
    source: '§2',
  },
  'live.ended-branches': {
    says: 'That an agent has ended counts for a reader above it also where a summary covers the event that says so.',
    source: '§2',
  },
  'live.one-moment': {
    says: 'A live window is one moment of the log, whoever writes meanwhile, and the next one shows what was written.',
    source: '§2; A16',
  },
  'live.bad-view': { says: 'A view that is none is refused with the name of its field.', source: '§2' },
} satisfies Laws;
