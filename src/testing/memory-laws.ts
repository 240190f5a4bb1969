import type { Checks, Laws } from './conformance.ts';
import { entryChecks } from './memory-checks/entry-checks.ts';
import { ingestionChecks } from './memory-checks/ingestion-checks.ts';
import { scopeChecks } from './memory-checks/scope-checks.ts';
import { searchChecks } from './memory-checks/search-checks.ts';
import type { MemorySubject } from './memory-subject.ts';

/**
 * What every memory service must do, whichever store it stands on. Sources: § is a section of the contract with what it
 * speaks of there, a letter with a number a row of the fault catalogue in docs/reference/laws.md.
 */
export const memoryLaws: Laws = {
  'memory.added-is-found': {
    says: 'What was added is found by its words, whatever stands around them, and comes back as it was.',
    source: '§5, keyword search; M2',
  },
  'memory.chinese': {
    says: 'Chinese, Japanese and Korean are found by what they share, digits and accents like any letter.',
    source: '§5, keyword search; H1, M1',
  },
  'memory.frozen': {
    says: 'Nobody can change what is stored through what he gave or got.',
    source: '§5, front; M5',
  },
  'memory.idempotent-add': {
    says: 'Adding an id again with equal content changes nothing; with other content it is refused, and nothing is added.',
    source: '§5, front; H10, H11',
  },
  'memory.bad-input': {
    says: 'Bad input is refused with the field that is wrong, and nothing of it is stored.',
    source: '§5, front',
  },
  'memory.list-newest-first': {
    says: 'A list goes from the newest to the oldest, page by page, each entry once.',
    source: '§5, service',
  },
  'memory.expired': { says: 'An entry whose time is over is gone for every call.', source: '§5, entry' },
  'memory.concurrent': { says: 'Writers at the same time lose nothing and never fail.', source: '§5, service; A11' },
  'memory.closed': { says: 'A closed service says so, whatever it is asked.', source: '§5, service' },
  'memory.no-special-queries': {
    says: 'No query has a special meaning or fails.',
    source: '§5, keyword search; M4',
  },
  'memory.long-text': {
    says: 'Words are found wherever they stand in a long text, and count as in a short one.',
    source: '§5, keyword search',
  },
  'memory.ranking': {
    says: 'Scores are from 0 to 1, never rise down the list; the better match is first, among equals the newer.',
    source: '§5, score; M3',
  },
  'memory.conversation-counts': {
    says: 'What was said beside a match is found with it; a match in a conversation about it comes first.',
    source: '§5, keyword search',
  },
  'memory.named-speaker': {
    says: 'What somebody said comes before what is said about him when the query names him.',
    source: '§5, keyword search',
  },
  'memory.limits': {
    says: 'A search returns ten by default, at most a hundred and says so, none for 0.',
    source: '§5, front; H8, M3',
  },
  'memory.token-budget': {
    says: 'A search returns what fits its token budget and says that there was more.',
    source: '§5, search request; H8',
  },
  'memory.least-score': { says: 'A search leaves out what scores less than it asks for.', source: '§5, front; H8' },
  'memory.filters': {
    says: 'Every filter narrows, also when only weak matches pass it.',
    source: '§5, search request; H7',
  },
  'memory.aborted': { says: 'A search whose signal has fired throws ABORTED.', source: '§5, front' },
  'memory.scopes-apart': {
    says: 'Scopes are composite: nobody sees or removes what belongs to another app or user.',
    source: '§5, scope; H2, H3, H4, H12',
  },
  'memory.projects': {
    says: 'A project sees its own entries and the global ones; nobody else sees or removes those of a project.',
    source: '§5, front',
  },
  'memory.session-scope': {
    says: 'What is added in a session is found only from there; what is learnt from its log is found everywhere.',
    source: '§5, scope',
  },
  'memory.others-change-no-score': {
    says: 'What another user, another project or an entry since removed had to say changes no score.',
    source: '§5, statistics',
  },
  'memory.forget-everything': {
    says: 'All of a scope can be removed: nothing of it is found, and the log is read on from where it was.',
    source: '§6, forgetting; H5',
  },
  'memory.learns-what-was-said': {
    says: 'Learnt are turns of users and final texts of agents; no thought, tool payload, bookkeeping or sealed talk.',
    source: '§5, ingested; H11',
  },
  'memory.one-step-once': {
    says: 'A step from a watermark that has moved is refused whole; of two at once exactly one is applied.',
    source: '§2, the log is its own outbox; H10',
  },
  'memory.lives-apart': {
    says: 'Each life of a session has a watermark of its own and is learnt from anew.',
    source: '§2, the log is its own outbox',
  },
  'memory.retract-and-restore': {
    says: 'A rewind takes away what only hidden events support, and brings it back when it is rewound itself.',
    source: '§2, the log is its own outbox',
  },
  'memory.forget-a-session': {
    says: 'A forgotten session is not learnt again; one deleted with its incarnation leaves no watermark.',
    source: '§6, forgetting; H5',
  },
};

/** The proofs of the memory laws. */
export const memoryChecks: Checks<MemorySubject> = {
  ...entryChecks,
  ...searchChecks,
  ...scopeChecks,
  ...ingestionChecks,
};
