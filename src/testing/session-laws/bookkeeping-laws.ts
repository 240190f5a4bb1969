import type { Laws } from '../conformance.ts';

/** Laws of summaries, marks, rewinds and state. */
export const bookkeepingLaws = {
  'compaction.stored': {
    says: 'A summary is an event beside what it covers, which stays readable, and comes back with every field.',
    source: '§1',
  },
  'compaction.only-below-itself': { says: 'A compaction names only events below it.', source: '§1' },
  'compaction.own-branch': {
    says: 'A compaction names only events of exactly its own branch; a peer whose name begins alike is another branch.',
    source: '§1; F5',
  },
  'compaction.own-scope': { says: 'A compaction names only events of exactly its own isolation scope.', source: '§1' },
  'compaction.covered-once': { says: 'No event is named by two compactions in force.', source: '§1' },
  'compaction.supersedes-whole': {
    says: 'A compaction that supersedes another names everything that one names.',
    source: '§1',
  },
  'compaction.supersedes-summaries-only': {
    says: 'Only a compaction that is in force can be superseded.',
    source: '§1',
  },
  'compaction.live-events-only': { says: 'A compaction names no event that a rewind hides.', source: '§1; A5' },
  'compaction.hidden-one-frees': {
    says: 'A compaction that names a hidden event is hidden too, and its other events may be covered again.',
    source: '§1',
  },
  'compaction.malformed': {
    says: 'Ranges are sorted, disjoint and whole, and the summary is prose.',
    source: '§1',
  },
  'compaction.outline': {
    says: 'What a reader of a summary has to know of the events it covers is worked out at append; a caller cannot claim it.',
    source: '§1',
  },
  'marks.stored': {
    says: 'Pins, unpins, trims and overflows are events and come back whole, as bookkeeping.',
    source: '§1',
  },
  'marks.name-events-that-exist': { says: 'A mark names events below it.', source: '§1' },
  'rewind.hides': {
    says: 'A rewind hides the invocation and all after it from effective reads, and removes nothing from the log.',
    source: '§1; F1, F3',
  },
  'rewind.recorded': {
    says: 'A rewind is an event that comes back with its target and the seq it starts from.',
    source: '§1; F2',
  },
  'rewind.through-append': {
    says: 'A rewind that is appended is worth the same as one that is called for.',
    source: '§2',
  },
  'rewind.unknown-invocation': { says: 'A rewind before an invocation that the log lacks is refused.', source: '§1' },
  'rewind.keys-of-the-span': {
    says: 'A rewind reverts exactly the session keys that were written in its span.',
    source: '§1; B8',
  },
  'rewind.initial-state-stays': { says: 'No rewind reaches state given at creation.', source: '§2; B8' },
  'rewind.absent-again': {
    says: 'After a rewind, a key that was absent is absent, not null, and one that was removed is back.',
    source: '§1; B6, B8',
  },
  'rewind.merged-keys': { says: 'Merged keys go back by folding their writes again.', source: '§1' },
  'rewind.shared-stays': { says: 'app: and user: values stay as they are in a rewind.', source: '§1' },
  'rewind.shared-on-demand': { says: 'A shared rewind takes app: and user: values back too.', source: '§1' },
  'rewind.shared-merges': {
    says: 'A shared rewind takes merged shared values back as well, unless another session has written to them since.',
    source: '§1',
  },
  'rewind.twice': { says: 'Two rewinds in a row go back to before the earlier point.', source: '§1' },
  'rewind.of-a-rewind': {
    says: 'A rewind before a rewind brings back what that one hid, state included.',
    source: '§1',
  },
  'rewind.bookkeeping-about-live-events': {
    says: 'A summary inside the span stays in force if all it names is live.',
    source: '§1',
  },
  'rewind.expected-version': { says: 'A rewind can name the version that it expects.', source: '§2' },
  'state.initial-is-event-one': {
    says: "State given at creation is the system's event 1; a session without any has version 0.",
    source: '§2',
  },
  'state.scopes': {
    says: 'app: keys reach every user of the app, user: keys every session of the user, others one session.',
    source: '§2; P2',
  },
  'state.one-merged-view': {
    says: 'Creating, opening and reopening show the same state, shared scopes merged in.',
    source: '§2; B11',
  },
  'state.shared-is-never-a-snapshot': {
    says: 'Shared values are merged when read, never kept in the session.',
    source: '§2; B7',
  },
  'state.temp-never-stored': {
    says: 'temp: keys reach neither the log nor the state, at creation or later, and the caller keeps them.',
    source: '§2; A17, B1, B2, P12',
  },
  'state.removed-is-not-null': {
    says: 'A removed key is absent in every scope; null is a value.',
    source: '§1; B6, P13',
  },
  'state.set-and-removed-refused': {
    says: 'A key cannot be both set and removed, empty, or undefined.',
    source: '§1',
  },
  'state.proto-is-a-key': {
    says: '__proto__, constructor and toString are keys like any other, at any depth.',
    source: '§1; B13',
  },
  'state.code-stays-text': {
    says: 'Text that looks like code, a pickle or a statement is stored and read as the text it is.',
    source: '§1; G9, G14',
  },
  'state.cannot-be-changed-by-hand': {
    says: 'Writing into returned state throws or fails and reaches no session.',
    source: '§1; A12, B15',
  },
  'state.delta-without-content': {
    says: 'An event without content carries a delta like any other.',
    source: '§2; B3, B4',
  },
  'state.applied-once': { says: 'Every delta is applied once, by one reducer, for all handles.', source: '§2; B12' },
  'state.merges': {
    says: 'Declared merges append, unite or keep the maximum, also within a batch; other keys are replaced.',
    source: '§2; B5, B16',
  },
  'state.shared-merges': { says: 'Declared merges hold for shared keys, across sessions.', source: '§2; B5' },
  'state.revisions': {
    says: 'Every write of a shared value has a revision of its own, a removal included.',
    source: '§2; B17',
  },
  'state.only-touched-scopes': {
    says: 'An append writes only the scopes that its delta touches.',
    source: '§2; A9',
  },
  'state.artifact-versions-kept': { says: 'Artifact versions of all events are kept.', source: '§1; B16' },
  'state.reads-back-as-written': {
    says: 'State reads back as the JSON that was written, in every store alike.',
    source: '§1; P10',
  },
} satisfies Laws;
