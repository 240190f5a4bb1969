import { describe, expect, it } from 'vitest';
import { type Event, isBookkeeping, type SessionKey } from '../../events/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionService } from '../../sessions/index.ts';
import { type ExpandOptions, expandSummary } from './expand-summary.ts';
import { talk } from './sample-talk.ts';
import { summed } from './sample-window.ts';

async function opened(): Promise<{ service: SessionService; key: SessionKey }> {
  const service = createSessionService({ store: createInMemorySessionStore() });
  const { key } = await service.create({ appName: '应用', userId: '用户 1' });
  return { service, key };
}

async function expandAll(service: SessionService, key: SessionKey, seq: number, limit: number): Promise<Event[]> {
  const events: Event[] = [];
  for (let options: ExpandOptions = { limit }; ; ) {
    const { items, nextCursor } = await expandSummary(service, key, seq, options);
    expect(items.length).toBeLessThanOrEqual(limit);
    events.push(...items);
    if (nextCursor === undefined) return events;
    expect(items).toHaveLength(limit);
    options = { limit, cursor: nextCursor };
  }
}

const compaction = (covers: readonly (readonly [number, number])[], supersedes?: readonly number[]) => {
  const { seq: _, tokens: __, ...input } = summed(0, covers);
  const { compaction } = input.actions ?? {};
  if (compaction === undefined) return expect.fail('it is a summary');
  return { ...input, actions: { compaction: { ...compaction, ...(supersedes && { supersedes }) } } };
};

describe('expandSummary', () => {
  it('pages what a summary covers, through those that it took the place of, without bookkeeping', async () => {
    const { service, key } = await opened();
    await talk(service, key, 1, 3);
    await service.append(key, [compaction([[1, 2]]), { author: 'system', actions: { pin: { seqs: [5] } } }]);
    await talk(service, key, 4, 6);
    await service.append(key, [
      compaction(
        [
          [1, 4],
          [6, 10],
        ],
        [7],
      ),
    ]);
    await talk(service, key, 7, 7);
    await service.append(key, [
      compaction(
        [
          [1, 4],
          [6, 12],
        ],
        [15],
      ),
    ]);
    const whole = (await service.read(key, { limit: 1000 })).items;
    const covered = whole.filter((event) => event.seq <= 12 && event.seq !== 5 && !isBookkeeping(event));
    for (const limit of [1, 2, 3, covered.length, 1000])
      expect(await expandAll(service, key, 18, limit)).toEqual(covered);
    expect((await expandAll(service, key, 15, 3)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 6, 9, 10]);
    expect((await expandAll(service, key, 7, 3)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('reads no more than it shows of a summary with wide holes', async () => {
    const { service, key } = await opened();
    await talk(service, key, 1, 500);
    await service.append(key, [
      compaction([
        [1, 1],
        [999, 1000],
      ]),
    ]);
    let rows = 0;
    const read: SessionService['read'] = async (of, options) => {
      const page = await service.read(of, options);
      rows += page.items.length;
      return page;
    };
    const { items } = await expandSummary({ read }, key, 1001, { limit: 10 });
    expect(items.map(({ seq }) => seq)).toEqual([1, 999, 1000]);
    expect(rows).toBeLessThan(20);
  });

  it('refuses what is no summary, no limit and no cursor of its own', async () => {
    const { service, key } = await opened();
    await talk(service, key, 1, 2);
    await service.append(key, [compaction([[1, 2]]), compaction([[3, 4]])]);
    const { nextCursor } = await expandSummary(service, key, 5, { limit: 1 });
    const bad: [string, number, ExpandOptions?][] = [
      ['compactionSeq', 1],
      ['compactionSeq', 99],
      ['compactionSeq', 0],
      ['compactionSeq', Number.NaN],
      ['limit', 5, { limit: 0 }],
      ['limit', 5, { limit: 1001 }],
      ['limit', 5, { limit: 1.5 }],
      ['cursor', 5, { cursor: '游标' }],
      ['cursor', 6, { cursor: nextCursor ?? '' }],
    ];
    for (const [argument, seq, options] of bad)
      await expect(expandSummary(service, key, seq, options)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { argument },
      });
  });
});
