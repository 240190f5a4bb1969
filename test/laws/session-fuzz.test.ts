import { test } from 'vitest';
import { fuzzSessions } from './fuzz-sessions.ts';
import { inMemorySubject, sqliteSubject } from './session-subjects.ts';

const count = Number(process.env.FUZZ_COUNT ?? 150);

test(`SQLite answers ${count} random lists of calls as memory does`, { timeout: 30_000 + count * 500 }, async () => {
  const [left, right] = [await inMemorySubject(), await sqliteSubject()];
  try {
    await fuzzSessions({ left, right }, { count });
  } finally {
    await left.dispose();
    await right.dispose();
  }
});
