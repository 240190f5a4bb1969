import type { LawMutation } from './law-mutation.ts';

/** Faults in how texts of requests are kept and erased. */
export const requestTextMutations: readonly LawMutation[] = [
  {
    file: 'sessions/plan-append.ts',
    from: '[...textWrites(head.key, options.texts ?? [])]',
    to: '[]',
    red: ['texts.kept', 'texts.follow-a-fork', 'texts.erased-by-source'],
  },
  {
    file: 'sessions/request-texts.ts',
    from: 'artifacts({ scope: key, name: folder + hash, version: 0, bytes: true })',
    to: 'artifacts({ scope: { ...key, sessionId: "s1" }, name: folder + hash, version: 0, bytes: true })',
    red: ['texts.kept'],
  },
  {
    file: 'sessions/in-memory-session-store.ts',
    from: '    if (!isExpected(kept, commit)) return',
    to: '    for (const write of commit.artifacts ?? []) this.#artifacts.save(write);\n    if (!isExpected(kept, commit)) return',
    red: ['texts.all-or-nothing'],
  },
  {
    file: 'sessions/in-memory-session-store.ts',
    from: '    if (kept && commit.events?.some(',
    to: '    for (const write of commit.artifacts ?? []) this.#artifacts.save(write);\n    if (kept && commit.events?.some(',
    red: ['texts.repeated-append'],
  },
  {
    file: 'sessions/request-texts.ts',
    from: 'if (hash !== sha256(json))',
    to: 'if (hash === undefined)',
    red: ['texts.bad-input'],
  },
  { file: 'sessions/request-texts.ts', from: ' || !isJson(json)', to: '', red: ['texts.bad-input'] },
  {
    file: 'sessions/create-session-service.ts',
    from: '    refuseUnnamed(how.texts ?? [], drafts);\n',
    to: '',
    red: ['texts.bad-input'],
  },
  {
    file: 'sessions/session-artifacts.ts',
    from: 'return found.filter(({ name }) => !isReserved(checked, name));',
    to: 'return found;',
    red: ['texts.not-artifacts'],
  },
  {
    file: 'sessions/session-artifacts.ts',
    from: '      if (isReserved(checked, name)) return undefined;\n',
    to: '',
    red: ['texts.not-artifacts'],
  },
  {
    file: 'sessions/session-artifacts.ts',
    from: "  if (isReserved(scope, name)) throw invalid('name', 'is that of a text kept for requests; choose another');\n",
    to: '',
    red: ['texts.not-artifacts'],
  },
  { file: 'sessions/rewind-artifacts.ts', from: ' && !isTextName(name)', to: '', red: ['texts.not-artifacts'] },
  {
    file: 'sessions/named-artifacts.ts',
    from: '    for (const name of textNamesOf(event)) this.#texts.add(name);\n',
    to: '',
    red: ['texts.follow-a-fork'],
  },
  {
    file: 'sessions/erase-session.ts',
    from: '...(await artifactsToErase(head, log, named)), ...texts]',
    to: '...(await artifactsToErase(head, log, named))]',
    red: ['texts.follow-a-fork'],
  },
  {
    file: 'sessions/fork-session.ts',
    from: 'bytes, ...quoting }',
    to: 'bytes }',
    red: ['texts.follow-a-fork'],
  },
  {
    file: 'sessions/in-memory-artifacts.ts',
    from: 'return JSON.stringify([appName, userId, source]);',
    to: 'return JSON.stringify([appName, source]);',
    red: ['texts.erased-by-source'],
  },
  {
    file: 'sessions/quoted-sources.ts',
    from: "return JSON.stringify(['direct', id]);",
    to: 'return sourceOfLife(id);',
    red: ['texts.erased-by-source'],
  },
  {
    file: 'sessions/in-memory-artifacts.ts',
    from: '    if (kept === undefined) {\n',
    to: '    if (kept !== undefined) return;\n    {\n',
    red: ['texts.sources-add-up'],
  },
  {
    file: 'sessions/in-memory-artifacts.ts',
    from: '      this.#unquote(scope, kept);\n      const empty',
    to: '      const empty',
    red: ['texts.sources-add-up'],
  },
  {
    file: 'sessions/erase-session.ts',
    from: 'incarnation, quoting: [sourceOfLife(incarnation)] }',
    to: 'incarnation, quoting: [] }',
    red: ['texts.erased-with-quoted-session'],
  },
  {
    file: 'sessions/in-memory-session-store.ts',
    from: '    this.#artifacts.leaveOut(quoting);\n',
    to: '',
    red: ['texts.erased-with-quoted-session'],
  },
  {
    file: 'sessions/erase-session.ts',
    from: 'quoting: [sourceOfLife(head.incarnation)],',
    to: 'quoting: [],',
    red: ['texts.erased-with-quoted-fork'],
  },
  {
    file: 'sessions/in-memory-artifacts.ts',
    from: '    for (const kept of gone) this.#unquote(scope, kept);\n    if (name === undefined) this.#scopes.delete(path);',
    to: '    if (name === undefined) return gone.length;',
    red: ['texts.gone-with-session'],
  },
  {
    file: 'sessions/fork-session.ts',
    from: '      await dropErasedTexts(parts, key, commit);\n',
    to: '',
    red: ['texts.erased-while-forked'],
  },
];
