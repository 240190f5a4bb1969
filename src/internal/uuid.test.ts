import { describe, expect, it } from 'vitest';
import { uuidV4, uuidV7 } from './uuid.ts';

const millisOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

describe('uuidV7', () => {
  it('has the version, the variant and the time', () => {
    const now = Date.UTC(2100, 0, 1);
    const id = uuidV7(now);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(millisOf(id)).toBe(now);
  });

  it('rises strictly over 100,000 ids, in one millisecond, over many, and while the clock goes backwards', () => {
    let clock = Date.UTC(2101, 0, 1);
    let previous = '';
    for (let index = 0; index < 100_000; index++) {
      if (index % 3000 === 0) clock -= 50;
      else if (index % 700 === 0) clock += 3;
      const id = uuidV7(clock);
      if (id <= previous) expect.unreachable(`${id} does not follow ${previous}`);
      previous = id;
    }
    expect(previous).not.toBe('');
  });

  it('carries over into the next millisecond when a millisecond’s counter is used up', () => {
    const now = Date.UTC(2102, 0, 1);
    const ids = Array.from({ length: 9000 }, () => uuidV7(now));
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    expect(millisOf(ids.at(-1) ?? '')).toBeGreaterThan(now);
  });

  it('differs in its random part', () => {
    const tails = new Set(Array.from({ length: 1000 }, () => uuidV7(1).slice(19)));
    expect(tails.size).toBe(1000);
  });
});

describe('uuidV4', () => {
  it('has its version and variant, and never repeats', () => {
    const ids = Array.from({ length: 1000 }, () => uuidV4());
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
