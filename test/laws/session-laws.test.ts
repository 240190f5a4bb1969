import { describe, expect, test } from 'vitest';
import { isRed, type Laws, runLaws, type SessionSubject, sessionChecks, sessionLaws } from '../../src/testing/index.ts';
import { inMemorySubject, sqliteSubject, withoutArtifacts } from './session-subjects.ts';

const stores: Readonly<Record<string, () => Promise<SessionSubject>>> = {
  'in memory': inMemorySubject,
  'SQLite, two connections': sqliteSubject,
};

/** Law → why it fails there. A law that begins to pass has to be struck off. */
const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

describe.each(Object.entries(stores))('%s', (name, create) => {
  test.each(Object.entries(sessionLaws))('%s', { timeout: 30_000 }, async (law) => {
    const [report] = await runLaws({
      laws: sessionLaws,
      checks: sessionChecks,
      create,
      known: known[name] ?? {},
      only: [law],
    });
    if (report?.error !== undefined && isRed(report)) throw report.error;
    expect(report).toEqual({ law, outcome: known[name]?.[law] === undefined ? 'kept' : 'known' });
  });
});

describe('a store that keeps no artifacts', () => {
  const laws: Laws = Object.fromEntries(Object.entries(sessionLaws).filter(([, law]) => law.needs === 'artifacts'));

  test.each(Object.keys(laws))('refuses: %s', async (law) => {
    const only = [law];
    const [report] = await runLaws({ laws: sessionLaws, checks: sessionChecks, create: withoutArtifacts, only });
    expect(report).toEqual({ law, outcome: 'refused-as-declared' });
  });
});
