import type { Laws } from '../conformance.ts';

/** Laws of what an append stores and refuses, and of what stands in a stored event. */
export const logLaws = {
  'append.order': {
    says: 'Events come back in the order they were appended, whatever their timestamps, in both directions.',
    source: '§1; A1, A3, A25, P6',
  },
  'append.dense-seqs': {
    says: 'Events are numbered 1, 2, 3 … per session, and a refused append leaves no gap.',
    source: '§1; A25',
  },
  'append.result-is-what-is-read': {
    says: 'What an append returns is what every handle reads from then on.',
    source: '§2; A2, A19',
  },
  'append.missing-session': {
    says: 'An append to a session that does not exist is refused and makes none.',
    source: '§2; P3',
  },
  'append.empty-batch': { says: 'An empty batch stores nothing and tells the version.', source: '§2' },
  'append.clock-may-go-back': {
    says: 'A clock that is set back changes no order and stops nobody.',
    source: '§1; A2, A3',
  },
  'append.all-or-nothing': {
    says: 'A batch with one bad event stores no event and no state in any scope.',
    source: '§2; A8',
  },
  'append.works-after-refusal': {
    says: 'A refused call leaves the service as fit for work as it was.',
    source: '§2; G10',
  },
  'append.version-checked': {
    says: 'An append that names a version is refused if an event it has not seen stands after it.',
    source: '§2; A2, A4, P9',
  },
  'append.conflict-is-retryable': {
    says: 'A conflict names both versions as the numbers they are, and the append succeeds with the newer one.',
    source: '§2; A2, A24',
  },
  'append.any-version': {
    says: 'An append that names no version, or any, adds to whatever is there.',
    source: '§2; A15',
  },
  'append.bad-version': { says: 'A version that is no whole number from 0 on is refused.', source: '§2' },
  'append.passive-keeps-version': {
    says: 'Compactions, pins, unpins, trims, overflows and session ends outdate no writer.',
    source: '§2; A5, A26',
  },
  'append.rewind-outdates': { says: 'A rewind outdates every writer that has not seen it.', source: '§2' },
  'append.idempotent-by-id': {
    says: 'Appending stored ids with equal content returns the stored events, whatever the version, and applies nothing again.',
    source: '§2; A19, B12',
  },
  'append.id-reused': {
    says: 'A stored event never changes: other content under its id is refused.',
    source: '§2; P11',
  },
  'append.batch-stored-in-part': {
    says: 'A batch of which only some ids are stored is refused whole.',
    source: '§2; A19',
  },
  'append.id-twice-in-batch': { says: 'One id cannot name two events of a batch.', source: '§2' },
  'append.ids-per-session': {
    says: 'Event ids are unique within a session, not beyond it, and made where none is given.',
    source: '§1; G15',
  },
  'append.partial-refused': {
    says: 'A streamed piece is refused and leaves no trace, the session clock included.',
    source: '§1; A20, A22, P8',
  },
  'append.moves-the-session-clock': {
    says: 'A session was last active when its newest event was appended, whatever time that event tells.',
    source: '§2; A23',
  },
  'append.input-not-kept': {
    says: 'Nothing that a caller still holds is part of a stored event.',
    source: '§1; A17',
  },
  'append.only-adds': {
    says: 'A writer that has read a part of the log adds to the whole of it.',
    source: '§2; G16',
  },
  'append.reading-writes-nothing': {
    says: 'Opening, reading and listing store nothing and move nothing.',
    source: '§2; A13',
  },
  'append.unknown-field': {
    says: 'A field that no event has is refused by name rather than lost.',
    source: '§1',
  },
  'event.origin': {
    says: 'Origin is derived from what an event is; a caller cannot claim one.',
    source: '§1',
  },
  'event.imported-from': { says: 'An importer can say where events come from.', source: '§1' },
  'event.invocation': {
    says: "A user's question begins an invocation; what follows, tool responses included, joins it.",
    source: '§1; G15',
  },
  'event.invocation-given': { says: 'An invocation id that is given is kept.', source: '§1' },
  'event.late-answer': {
    says: 'An event of an older invocation does not make it the newest one, which others join.',
    source: '§1',
  },
  'event.bookkeeping-invocation': {
    says: 'Bookkeeping has an invocation of its own and does not end the one in progress.',
    source: '§1',
  },
  'event.times': {
    says: 'Times are UTC instants: when it happened as given, when it was recorded by the clock.',
    source: '§1; G1, G2',
  },
  'event.time-zone': { says: "Events carry their session's time zone.", source: '§1; G1' },
  'event.every-field': {
    says: 'Every field, every kind of part and every action comes back as it was appended.',
    source: '§1; F2, F10, G5, G11',
  },
  'event.bytes': {
    says: 'Bytes are taken as they are or as base64 and come back as base64.',
    source: '§1; G11',
  },
  'event.call-ids-kept': {
    says: 'Ids of calls are neither made up nor changed.',
    source: '§1; A21',
  },
  'event.large-chinese': {
    says: 'Text and state of two megabytes of Chinese come back whole.',
    source: '§1; G4, G7',
  },
  'event.too-large': {
    says: 'An event of more than 8 MiB of JSON is refused with its size, and its batch with it.',
    source: '§1; G4',
  },
  'event.error-message-cut': {
    says: 'An error message is cut at 64 Ki code points, visibly, so that an error can always be stored.',
    source: '§1',
  },
  'event.surrogates': {
    says: 'A lone surrogate becomes U+FFFD and is counted; pairs stay.',
    source: '§1',
  },
  'event.nul': { says: 'NUL is a character like any other in texts, keys and values.', source: '§1' },
  'event.frozen': {
    says: 'Events and state are frozen to the bottom in every scope.',
    source: '§1; A12, B15',
  },
  'event.not-json': {
    says: 'A value that JSON cannot hold is refused with the path of its key, by every store.',
    source: '§1; B14, P10',
  },
  'event.tokens': { says: 'Tokens are counted once, at append, by the service.', source: '§1' },
  'ids.refused': {
    says: 'A bad id is refused with the name of its field by every call that takes one.',
    source: '§1; G14',
  },
  'ids.exact': {
    says: 'Ids are compared code point by code point; quotes, wildcards, separators and emoji are ordinary in them.',
    source: '§1; G7, G14',
  },
} satisfies Laws;
