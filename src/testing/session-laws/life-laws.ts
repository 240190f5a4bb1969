import type { Laws } from '../conformance.ts';

/** Laws of artifacts, reads, lists, lives of sessions, hooks, leases and races. */
export const lifeLaws = {
  'artifacts.versions': {
    says: 'Every save of an artifact is a version, 0, 1, 2 …, that stays until all are deleted.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.scopes': {
    says: 'Artifacts of a session go with it; those of a user stay.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.not-aliased': {
    says: 'Nobody can change saved bytes through those he gave or got.',
    source: '§2; A12',
    needs: 'artifacts',
  },
  'artifacts.inline-moves': {
    says: 'Inline data over 64 KiB moves to an artifact, and the event refers to it.',
    source: '§2; G4',
    needs: 'artifacts',
  },
  'artifacts.inline-boundary': {
    says: 'Inline data of 64 KiB or less stays in the event.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.inline-again': {
    says: 'Appending a large payload again stores its bytes once.',
    source: '§2; A19',
    needs: 'artifacts',
  },
  'artifacts.missing-session': {
    says: 'An artifact of a session that does not exist, or without a name, is refused.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.bad-input': {
    says: 'Names, versions and media types of artifacts that make no sense are refused by name, and nothing is touched.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.gone-when-over': {
    says: 'Artifacts of a session whose time to live is over are gone for every call, and for its next life.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.rewound': {
    says: "A rewind puts a session's artifacts back as new versions; the user's stay.",
    source: '§1; F2',
    needs: 'artifacts',
  },
  'artifacts.follow-a-fork': {
    says: 'What an event refers to can be read in a fork of its session.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.fork-as-of': {
    says: 'A fork has exactly the versions of artifacts that its copied events name.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.copies-go': {
    says: "A deletion takes the copied versions of artifacts that only deleted events name; a fork's own stay.",
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.restored-copies-go': {
    says: 'A deletion empties what rewinds of a fork put back of its copies; nothing that they took back counts again.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.uris-mean-the-same': {
    says: 'What the URI of an artifact means does not change when events before it are deleted.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.numbers-of-copies': {
    says: 'The number of a copied version is not given again, by a save or by a rewind.',
    source: '§2',
    needs: 'artifacts',
  },
  'artifacts.put-and-delete': {
    says: 'An artifact saved while its session is deleted reaches no later life of the id.',
    source: '§2',
    needs: 'artifacts',
  },
  'read.bounds': { says: 'Bounds of a read are seqs, inclusive on both sides.', source: '§2; P4' },
  'read.pages': { says: 'Pages of any size join to the whole, in both directions.', source: '§2' },
  'read.pages-stay-put': { says: 'Appends between two pages shift neither.', source: '§2' },
  'read.invocation': {
    says: 'An invocation is read whole, however its events are scattered.',
    source: '§2',
  },
  'read.limits': { says: 'A limit is a number from 1 to 1,000; others are refused by name.', source: '§2; P5' },
  'read.bad-cursor': { says: 'A cursor that was never given out is refused.', source: '§2' },
  'read.missing-session': {
    says: 'Opening a session that does not exist gives undefined; every other call is refused, in every store alike.',
    source: '§2; G12, P3',
  },
  'read.effective': {
    says: 'Effective reads leave out what is rewound and all bookkeeping, page by page.',
    source: '§2; F3',
  },
  'read.bookkeeping': { says: 'The bookkeeping of a log is read whole, hidden parts included.', source: '§2' },
  'list.pages': { says: 'Pages of a list show every session once, ties included.', source: '§2' },
  'list.by-activity': { says: 'Sessions are listed by their last activity.', source: '§2; A23' },
  'list.filters': { says: 'Filters of a list narrow together.', source: '§2; B7' },
  'list.no-state': {
    says: 'A list tells what opening tells, without state or events.',
    source: '§2; P7',
  },
  'create.unique': {
    says: 'A session under an id in use is refused, and nothing of either is lost or written.',
    source: '§2; P1',
  },
  'create.facts': { says: 'What a session is created with is told from then on.', source: '§2' },
  'create.id-given': { says: 'A session without an id gets a UUID; a given id is kept.', source: '§2; G12' },
  'create.bad-input': { says: 'Bad input of a creation is refused by name, and no session is made.', source: '§2' },
  'end.recorded': { says: 'The end of a session is an event.', source: '§2' },
  'end.once': { says: 'Ending an ended session gives the same event.', source: '§2' },
  'end.reopened-by-append': { says: 'The next append reopens an ended session.', source: '§2' },
  'end.idle': {
    says: 'Sessions that nobody appended to for a while are ended once, others are not.',
    source: '§2',
  },
  'ttl.gone-when-over': {
    says: 'A session whose time to live is over is gone for every call, swept or not.',
    source: '§2',
  },
  'ttl.from-newest-event': { says: 'Time to live counts from when the newest event was appended.', source: '§2' },
  'ttl.id-free-again': { says: 'The id of an expired session can begin a new life.', source: '§2' },
  'ttl.sweep': { says: 'A sweep removes exactly what has expired, and counts it.', source: '§2' },
  'ttl.sweep-all-or-nothing': {
    says: 'A sweep that meets an append removes a session with its copies in forks, or leaves all of them.',
    source: '§2',
  },
  'delete.everything': {
    says: 'A deletion removes a session with its events and state, keeps shared values, and says how much it was.',
    source: '§2',
  },
  'delete.new-life': {
    says: 'A deleted id begins anew: version 0, no state, another incarnation.',
    source: '§2',
  },
  'delete.seen-by-all-handles': {
    says: 'A handle that knew the former life of an id writes into the new one as it is.',
    source: '§2; A2',
  },
  'delete.reaches-forks': {
    says: 'A deletion reaches the copies in forks and in forks of forks, and leaves what is their own.',
    source: '§2',
  },
  'delete.reaches-summaries': {
    says: 'A deletion reaches the summaries in forks that quote what is deleted.',
    source: '§2',
  },
  'delete.spares-other-summaries': {
    says: 'A deletion spares summaries that only run over bookkeeping, or over events that were gone before them.',
    source: '§2',
  },
  'delete.reaches-busy-forks': {
    says: 'A deletion reaches a fork that is written to meanwhile, and keeps what was written.',
    source: '§2',
  },
  'delete.reaches-every-fork': { says: 'A deletion reaches all forks, however many there are.', source: '§2' },
  'delete.reaches-late-forks': {
    says: 'A deletion reaches forks that are made while it runs, at every depth.',
    source: '§2',
  },
  'delete.forks-go-on': {
    says: 'A fork whose copies were deleted goes on with what is left: its invocations, versions and rewinds.',
    source: '§2',
  },
  'delete.forks-end-again': {
    says: 'A fork whose copied end was deleted is open, and can be ended.',
    source: '§2',
  },
  'delete.user-data': { says: "A user's shared data go with all their revisions, and nobody else's.", source: '§2' },
  'fork.copies': {
    says: 'A fork holds the events up to a seq with their ids and seqs; its source stays as it was.',
    source: '§2',
  },
  'fork.recorded': {
    says: 'A fork knows its origin, has an incarnation of its own, and is behind for no consumer.',
    source: '§2',
  },
  'fork.lives-on-its-own': { says: 'A fork goes on without its source and knows the ids it copied.', source: '§2' },
  'fork.state-as-of': { says: 'A fork has the session state as of its seq, rewinds included.', source: '§2' },
  'fork.no-shared-delta-again': { says: 'A fork applies no shared delta again.', source: '§2' },
  'fork.refused-while-open': {
    says: 'A fork where a call is unanswered is refused, naming the calls.',
    source: '§2',
  },
  'fork.into-expired-id': {
    says: 'A fork can begin its life under the id of an expired session that no sweep has met; nothing of that is left.',
    source: '§2',
  },
  'fork.bad-input': { says: 'A fork beyond the log or into an id in use is refused.', source: '§2' },
  'hooks.every-append': {
    says: 'The hook before an append sees every event on every path into the log, and what it returns is stored.',
    source: '§2',
  },
  'hooks.append-refused': {
    says: 'An append whose hook fails, or makes an invalid event of one, stores nothing.',
    source: '§2',
  },
  'hooks.every-removal': {
    says: 'The hook at a removal is told before and after events go, on every path, forks included, and its count adds up.',
    source: '§2',
  },
  'hooks.removal-refused': { says: 'A removal whose hook fails beforehand removes nothing.', source: '§2' },
  'lease.one-holder': {
    says: 'A session has one run at a time, across handles; a second is told until when.',
    source: '§2; A4',
  },
  'lease.appends-are-fenced': {
    says: 'A run that was taken over can append nothing under its lease.',
    source: '§2; A4',
  },
  'lease.taken-over-when-over': {
    says: 'A lease lasts 30 seconds unless said otherwise, then it is free.',
    source: '§2',
  },
  'lease.renewed': { says: 'A renewed lease lasts on; a lost one cannot be renewed.', source: '§2' },
  'lease.released': { says: 'A released lease is free at once and worth nothing more.', source: '§2' },
  'lease.waits': { says: 'A run that waits gets the lease when it is released, in time or not at all.', source: '§2' },
  'lease.wait-aborted': { says: 'A wait for a lease can be broken off.', source: '§2' },
  'lease.dies-with-its-session': { says: 'A lease is worth nothing in a new life of its session.', source: '§2' },
  'lease.second-writer': {
    says: 'Others may append beside a run without stopping it.',
    source: '§2; A5, A15',
  },
  'lease.bad-input': { says: 'Lease times that make no sense are refused and take nothing.', source: '§2' },
  'ingestion.behind': { says: 'Sessions that memory has not read to the end are found.', source: '§2' },
  'ingestion.forward-only': {
    says: "Memory's mark moves forward within one life of a session and touches nothing else.",
    source: '§2',
  },
  'ingestion.bad-input': { says: "Memory's mark is a seq of the log.", source: '§2' },
  'race.creates': {
    says: 'Of ten creations of one id at once exactly one succeeds, whole; the others are told SESSION_EXISTS.',
    source: '§2; A7, A8, G3',
  },
  'race.first-sessions-of-an-app': {
    says: 'The first sessions of an app can be created at once, with shared state.',
    source: '§2; A7, G3',
  },
  'race.versioned-appends': {
    says: 'Of appends that expect one version exactly one succeeds.',
    source: '§2; A2, A4, P9',
  },
  'race.plain-appends': {
    says: 'Fifty batches from each of two handles are all stored, whole and dense, and readers see no holes.',
    source: '§2; A11, A16, A18',
  },
  'race.same-id': { says: 'One event appended ten times at once is stored once.', source: '§2; A19' },
  'race.shared-state': { says: 'Shared keys written from two sessions at once are all kept.', source: '§2; A7, A10' },
  'race.shared-merges': {
    says: 'Merged shared keys written from two sessions at once lose nothing.',
    source: '§2; A10, B5',
  },
  'race.many-sessions': { says: 'Sessions do not hinder one another.', source: '§2; A9, A18' },
  'race.delete-and-append': {
    says: 'An append that meets a deletion is stored before it or refused, and leaves nothing behind.',
    source: '§2',
  },
  'race.delete-and-fork': {
    says: 'A fork that meets the deletion of its source keeps nothing of it.',
    source: '§2',
  },
  'race.delete-and-fork-of-a-fork': {
    says: 'A fork of a fork that meets the deletion of the source of both keeps nothing of it.',
    source: '§2',
  },
  'race.compaction-and-turn': {
    says: 'A compaction in the background does not outdate the turn beside it.',
    source: '§2; A5, A6, A26',
  },
  'race.leases': { says: 'Of runs that ask at once exactly one gets the lease.', source: '§2; A4' },
  'race.ends': { says: 'A session ended by several at once ends once.', source: '§2' },
} satisfies Laws;
