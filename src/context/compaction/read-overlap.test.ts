import { expect, it } from 'vitest';
import { openSession } from '../../../test/context/open-compaction.ts';
import type { CompactionLog } from './compactor.ts';
import { readOverlap } from './read-overlap.ts';
import { talk } from './sample-talk.ts';

it('reads back as far as so many invocations of the place go, and no farther than it has to', async () => {
  const { service, key } = await openSession();
  await talk(service, key, 1, 200);
  const window = await service.readLive(key, { agentName: 'assistant', history: 'full', provider: 'openai' });
  let pages = 0;
  const read: CompactionLog['read'] = (of, options) => {
    pages++;
    return service.read(of, options);
  };
  const query = { window, place: {}, beforeSeq: 301 };
  const near = await readOverlap({ read }, key, { ...query, invocations: 2 });
  expect([near[0]?.seq, near.at(-1)?.seq, pages]).toEqual([201, 300, 1]);
  const far = await readOverlap({ read }, key, { ...query, invocations: 60 });
  expect([far[0]?.seq, far.length, pages]).toEqual([101, 200, 3]);
  const elsewhere = await readOverlap({ read }, key, { ...query, place: { branch: '别处' }, invocations: 1 });
  expect(elsewhere).toHaveLength(300);
  expect(await readOverlap({ read }, key, { ...query, beforeSeq: 1, invocations: 1 })).toEqual([]);
});
