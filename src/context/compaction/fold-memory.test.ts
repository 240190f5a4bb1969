import { describe, expect, it } from 'vitest';
import { FoldMemory, nameOfSession, SessionMemory } from './fold-memory.ts';

const minute = 60_000;

describe('what is remembered of a session', () => {
  it('pauses longer after each failure, up to 64, and not at all after a success', () => {
    const session = new SessionMemory();
    const pauses: number[] = [];
    for (let failures = 0; failures < 9; failures++) {
      session.noteFailure(0);
      let passed = 0;
      while (session.passInvocation(0)) passed++;
      pauses.push(passed);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
    session.noteFailure(0);
    session.noteSuccess();
    expect([session.hasFailed, session.isBackingOff(0), session.passInvocation(0)]).toEqual([false, false, false]);
  });

  it('pauses for so many minutes at most', () => {
    const session = new SessionMemory();
    for (let failures = 0; failures < 3; failures++) session.noteFailure(0);
    expect(session.isBackingOff(4 * minute - 1)).toBe(true);
    expect(session.isBackingOff(4 * minute)).toBe(false);
  });

  it('tells what blocks once, and again when it is something else', () => {
    const session = new SessionMemory();
    expect([[2], [2], [2, 5], [5], [5]].map((by) => session.isNewlyBlocked(by))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('FoldMemory', () => {
  it('forgets the session that was folded longest ago', () => {
    const memory = new FoldMemory();
    const [old, kept] = [memory.of('old'), memory.of('kept')];
    for (let number = 0; number < 998; number++) memory.of(`s${number}`);
    expect(memory.of('kept')).toBe(kept);
    memory.of('one more');
    expect(memory.of('kept')).toBe(kept);
    expect(memory.of('old')).not.toBe(old);
  });

  it('tells sessions apart whatever their ids', () => {
    const keys = [
      { appName: 'a","b', userId: 'c', sessionId: 'd' },
      { appName: 'a', userId: 'b","c', sessionId: 'd' },
    ];
    expect(new Set(keys.map(nameOfSession)).size).toBe(2);
  });
});
