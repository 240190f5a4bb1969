import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/durability/scratch-folder.ts';
import type { EventInput, SeqRange, View } from '../../events/index.ts';
import { createSessionService } from '../../sessions/index.ts';
import { SqliteFile } from './sqlite-file.ts';
import { createSqliteSessionStore } from './sqlite-session-store.ts';

const key = { appName: 'app', userId: 'u', sessionId: 's' };
const view: View = { agentName: 'assistant', history: 'full', provider: 'anthropic' };
const perBlock = 100;

/** A file that notes the seq of every event whose row SQLite hands out. Nothing is filtered behind it (see the plans). */
async function counting() {
  const opened = await SqliteFile.open({ file: join(scratchFolder(), 'rows.db') });
  onTestFinished(() => opened.close());
  const seqs: number[] = [];
  const file = new Proxy(opened, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]): unknown => {
        const found: unknown = Reflect.apply(member, target, values);
        for (const row of Array.isArray(found) ? found : [found]) if (row?.body && row.seq) seqs.push(Number(row.seq));
        return found;
      };
    },
  });
  return { seqs, store: createSqliteSessionStore(file) };
}

const say = (author: string, content: EventInput['content']): EventInput => ({
  author,
  ...(content === undefined ? {} : { content }),
});
const turn = (at: number): readonly EventInput[] => [
  say('user', `第 ${at} 问`),
  say('assistant', { parts: [{ functionCall: { id: `c${at}`, name: 'find' } }] }),
  say('assistant', { parts: [{ functionResponse: { id: `c${at}`, name: 'find', response: at } }] }),
  say('assistant', `answer ${at}`),
];

function summary(covers: SeqRange, supersedes: readonly number[] = []): EventInput {
  const content = { role: 'model' as const, parts: [{ text: 'They talked.' }] };
  const compaction = { covers: [covers], content, trigger: 't', sourceHash: '', ...(supersedes[0] && { supersedes }) };
  return { author: 'system', actions: { compaction } };
}

/** Ten blocks of turns, each covered by a summary that takes the place of the one before, then two turns more. */
async function tell(service: ReturnType<typeof createSessionService>): Promise<number> {
  await service.create(key);
  let version = 0;
  for (let block = 0; block < 10; block++) {
    const turns = Array.from({ length: perBlock / 4 }, (_, at) => turn(block * perBlock + at)).flat();
    const before = version;
    version = (await service.append(key, turns)).version;
    ({ version } = await service.append(key, [summary([1, version], before === 0 ? [] : [before])]));
  }
  return version;
}

test('covered rows are not read, but for calls that a live response answers', async () => {
  const { seqs, store } = await counting();
  const writer = createSessionService({ store });
  const newestSummary = await tell(writer);
  await writer.append(key, [...turn(5000), ...turn(5001)]);
  const live = Array.from({ length: 8 }, (_, at) => newestSummary + 1 + at);
  const bookkeeping = Array.from({ length: 10 }, (_, block) => (block + 1) * (perBlock + 1));

  const service = createSessionService({ store });
  seqs.length = 0;
  expect((await service.readLive(key, view)).events.map(({ seq }) => seq)).toEqual([newestSummary, ...live]);
  expect(seqs).toEqual([...bookkeeping, ...live]);

  seqs.length = 0;
  await service.readLive(key, view);
  expect(seqs, 'bookkeeping that is known is not read again').toEqual(live);

  const { version } = await writer.append(key, [
    say('assistant', { parts: [{ functionResponse: { id: 'c203', name: 'find', response: 'late' } }] }),
  ]);
  const { items } = await service.read(key, { fromSeq: 2 * (perBlock + 1), limit: 1000 });
  const call = items.find(({ content }) => content?.parts.some((part) => part.functionCall?.id === 'c203'))?.seq ?? 0;
  seqs.length = 0;
  const { events } = await service.readLive(key, view);
  expect(events.map(({ seq }) => seq)).toEqual([call, newestSummary, ...live, version]);
  // The index of calls leads to the call by way of its first response.
  expect(seqs).toEqual([...live, version, call + 1, call]);
});

test('a reader on a branch, and a question that is covered, cost a row each', async () => {
  const { seqs, store } = await counting();
  const service = createSessionService({ store });
  await tell(service);
  const { version } = await service.append(key, [
    say('user', '还在吗？'),
    ...turn(7000).slice(1, 3),
    { ...say('assistant', { parts: [{ text: 'hm', thought: true }] }), branch: 'root.a' },
    { author: 'assistant', branch: 'root.a', actions: { endOfAgent: true } },
  ]);
  const { compaction } = summary([version - 1, version]).actions ?? {};
  if (compaction === undefined) throw new TypeError('a summary has a compaction');
  await service.append(key, [
    summary([version - 4, version - 2]),
    { author: 'system', actions: { compaction: { ...compaction, branch: 'root.a' } } },
  ]);
  seqs.length = 0;
  await service.readLive(key, { ...view, branch: 'root' });
  const fresh = createSessionService({ store });
  await fresh.readLive(key, { ...view, branch: 'root' });
  expect([...new Set(seqs)].filter((seq) => seq <= version && seq % (perBlock + 1) !== 0)).toEqual([
    version,
    version - 4,
  ]);
});
