import type { LawMutation } from './law-mutation.ts';

/** Faults in when hooks are called and in what their answers do. */
export const hookMutations: readonly LawMutation[] = [
  {
    file: 'sessions/ready-event.ts',
    from: 'beforeAppend ? await beforeAppend(input, key) : input',
    to: 'input',
    red: ['hooks.every-append', 'hooks.append-refused'],
  },
  {
    file: 'sessions/ready-event.ts',
    from: 'beforeAppend ? await beforeAppend(input, key) : input',
    to: '(await beforeAppend?.(input, key), input)',
    red: ['hooks.every-append', 'hooks.append-refused'],
  },
  {
    file: 'sessions/ready-event.ts',
    from: 'await beforeAppend(input, key)',
    to: 'await Promise.resolve(beforeAppend(input, key)).catch(() => input)',
    red: ['hooks.append-refused'],
  },
  {
    file: 'sessions/create-session.ts',
    from: 'await readyEvent(parts, {',
    to: 'await readyEvent({ ...parts, beforeAppend: undefined }, {',
    red: ['hooks.every-append', 'hooks.append-refused'],
  },
  {
    file: 'sessions/create-session-service.ts',
    from: 'return readyEvent(this.#parts, {',
    to: 'return readyEvent({ ...this.#parts, beforeAppend: undefined }, {',
    red: ['hooks.every-append', 'hooks.append-refused'],
  },
  {
    file: 'sessions/erase-session.ts',
    from: "receipt.memories += (await parts.beforeErase?.(infoOf(head), 'all')) ?? 0;\n  await eraseCopies",
    to: 'await eraseCopies',
    red: ['hooks.every-removal', 'hooks.removal-refused'],
  },
  {
    file: 'sessions/erase-session.ts',
    from: "receipt.memories += (await parts.beforeErase?.(infoOf(head), 'all')) ?? 0;\n  receipt.sessions",
    to: 'receipt.sessions',
    red: ['hooks.every-removal'],
  },
  {
    file: 'sessions/erase-session.ts',
    from: 'receipt.memories += (await parts.beforeErase?.(infoOf(head), ranges)) ?? 0;\n    await eraseCopies',
    to: 'await eraseCopies',
    red: ['hooks.every-removal', 'hooks.removal-refused'],
  },
  {
    file: 'sessions/erase-session.ts',
    from: 'receipt.memories += (await parts.beforeErase?.(infoOf(head), ranges)) ?? 0;\n    const seqs',
    to: 'const seqs',
    red: ['hooks.every-removal'],
  },
  {
    file: 'sessions/erase-session.ts',
    from: "receipt.memories += (await parts.beforeErase?.(infoOf(head), 'all')) ?? 0;\n  receipt.sessions",
    to: "await parts.beforeErase?.(infoOf(head), 'all');\n  receipt.sessions",
    red: ['hooks.every-removal'],
  },
];
