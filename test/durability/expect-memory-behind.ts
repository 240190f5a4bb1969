import { expect } from 'vitest';
import type { Palimpsest, SessionKey } from '../../src/index.ts';

/** Expects that memory has read exactly the events up to its watermark, not ahead of the log; returns the watermark. */
export async function expectMemoryBehind(palimpsest: Palimpsest, key: SessionKey): Promise<number> {
  const session = await palimpsest.sessions.open(key);
  if (session === undefined) return 0;
  const source = { ...key, incarnation: session.incarnation };
  const watermark = (await palimpsest.memory.watermark(source)) ?? 0;
  expect(watermark).toBeLessThanOrEqual(session.version);
  expect(session.ingestedSeq).toBeLessThanOrEqual(watermark);
  const seqs: number[] = [];
  for (let cursor: string | undefined; ; ) {
    const { appName, userId } = key;
    const page = await palimpsest.memory.list({ appName, userId }, { limit: 1000, ...(cursor ? { cursor } : {}) });
    for (const { provenance } of page.items)
      for (const ref of provenance)
        if (ref.kind === 'event' && ref.incarnation === session.incarnation) seqs.push(ref.seq);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: watermark }, (_, index) => index + 1));
  return watermark;
}
