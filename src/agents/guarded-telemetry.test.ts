import { describe, expect, it } from 'vitest';
import { type Span, silentTelemetry, type Telemetry } from '../models/index.ts';
import { guardedTelemetry } from './guarded-telemetry.ts';

const fails = (): never => {
  throw new Error('监听者坏了');
};

describe('guardedTelemetry', () => {
  it('counts what is counted', () => {
    const counted: unknown[] = [];
    const telemetry: Telemetry = { span: silentTelemetry.span, count: (...told) => void counted.push(told) };
    guardedTelemetry(telemetry).count?.('折叠', 3, { outcome: 'committed' });
    expect(counted).toEqual([['折叠', 3, { outcome: 'committed' }]]);
  });

  it('is not harmed by counting that throws, nor by telemetry that cannot count', () => {
    expect(guardedTelemetry({ span: fails, count: fails }).count?.('folds', 1)).toBeUndefined();
    expect(guardedTelemetry({ span: fails }).count?.('folds', 1)).toBeUndefined();
  });

  it('does work once, and ends as that ends, with spans that throw before it, behind it or not at all', () => {
    const behind: Span = {
      ...silentTelemetry.span(''),
      run: (work) => {
        work();
        return fails();
      },
    };
    for (const span of [fails, () => ({ ...behind, run: fails }), () => behind, silentTelemetry.span]) {
      let runs = 0;
      const one = guardedTelemetry({ span }).span('run');
      expect(one.child('step').run(() => ++runs)).toBe(1);
      expect(one.run(() => ++runs)).toBe(2);
      expect(() => one.run(fails)).toThrow('监听者坏了');
      one.end();
    }
  });
});
