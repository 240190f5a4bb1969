import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { openInvocations } from './open-invocations.ts';
import { asked, called, noted, returned, told, windowOf } from './sample-window.ts';

const open = (...log: readonly LoggedInput[]) => [...openInvocations(windowOf(buildLog(log)))];

describe('openInvocations', () => {
  it('are those that nothing final has ended', () => {
    expect(open()).toEqual([]);
    expect(open(asked(1, 1))).toEqual(['i1']);
    expect(open(asked(1, 1), called(2, 1, ['c']), returned(3, 1, 'c'))).toEqual(['i1']);
    expect(open(asked(1, 1), told(2, 1))).toEqual([]);
    expect(open(asked(1, 1), told(2, 1, { interrupted: true }))).toEqual(['i1']);
    expect(open(asked(1, 1), told(2, 1), asked(3, 2))).toEqual(['i2']);
  });

  it('are open while something in them is, whatever was said', () => {
    const waiting = called(2, 1, ['c'], { longRunningToolIds: ['c'] });
    expect(open(asked(1, 1), waiting, told(3, 1))).toEqual(['i1']);
    expect(open(asked(1, 1), called(2, 1, ['c']), returned(3, 1, 'c'), told(4, 1))).toEqual([]);
  });

  it('are over once a later one has begun', () => {
    expect(open(asked(1, 1), called(2, 1, ['c']), asked(3, 2))).toEqual(['i2']);
    expect(open(asked(1, 1), called(2, 1, ['c']), asked(3, 2), told(4, 2))).toEqual([]);
  });

  it('are begun again by a late answer', () => {
    expect(open(asked(1, 1), told(2, 1), asked(3, 2), told(4, 2), returned(5, 1, 'c'))).toEqual(['i1']);
  });

  it('do not depend on bookkeeping, and not on what a rewind hides', () => {
    expect(open(asked(1, 1), told(2, 1), noted(3, { sessionEnd: true }))).toEqual([]);
    const rewound = noted(4, { rewind: { beforeInvocationId: 'i2', fromSeq: 3 } });
    expect(open(asked(1, 1), told(2, 1), asked(3, 2), rewound)).toEqual([]);
  });
});
