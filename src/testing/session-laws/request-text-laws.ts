import type { Laws } from '../conformance.ts';

/** Laws of the texts that requests are rebuilt from. */
export const requestTextLaws = {
  'texts.kept': {
    says: 'A text that comes with an append is read by its hash from its own session, and nowhere else.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.all-or-nothing': {
    says: 'An append that is refused leaves no text.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.repeated-append': {
    says: 'An append whose events are stored already writes no text.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.bad-input': {
    says: 'A text that is not what its hash says, or that no journal beside it names, is refused by name.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.not-artifacts': {
    says: 'Texts of requests are no artifacts: those are neither listed nor read, saved, deleted or rewound as such.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.follow-a-fork': {
    says: 'A fork has the texts that its copied events name, and loses with these events those that no other names.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.erased-by-source': {
    says: 'Texts that quote a source are erased from all sessions of that user, and nothing else is.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.erased-for-good': {
    says: 'What quotes a statement that is gone is left out also when it comes later, for that user and that statement.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.sources-add-up': {
    says: 'A text that is written again quotes what either writing names.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.erased-with-quoted-session': {
    says: 'A deletion erases what quotes the session elsewhere, and an answer that comes later brings none of it back.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.erased-with-quoted-fork': {
    says: 'When a fork loses copied events, what quotes it elsewhere is erased.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.gone-with-session': {
    says: 'Texts go with their session and reach no later life of its id.',
    source: '§1',
    needs: 'artifacts',
  },
  'texts.erased-while-forked': {
    says: 'A fork that meets an erasure by source keeps nothing of it.',
    source: '§1',
    needs: 'artifacts',
  },
} satisfies Laws;
