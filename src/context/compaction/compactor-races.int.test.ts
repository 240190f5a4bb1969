import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteSessionStore, SqliteFile } from '../../backends/sqlite/index.ts';
import { type Event, foldCoverage, isBookkeeping, type SessionKey } from '../../events/index.ts';
import { createSessionService, type SessionService } from '../../sessions/index.ts';
import { ManualClock, ScriptedModel } from '../../testing/index.ts';
import type { Compactor } from './compactor.ts';
import { createCompactor } from './create-compactor.ts';
import { sampleSummary, talk } from './sample-talk.ts';
import { window } from './triggers.ts';

const agent = { agentName: 'assistant' };

/** Two handles on one file, each with a service and a compactor of its own. */
interface Handle {
  readonly file: SqliteFile;
  readonly service: SessionService;
}

let folder: string;
let handles: readonly Handle[];
let key: SessionKey;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-compaction-'));
  const open = () => SqliteFile.open({ file: join(folder, 'races.db') });
  const files = await Promise.all([open(), open()]);
  handles = files.map((file) => ({ file, service: createSessionService({ store: createSqliteSessionStore(file) }) }));
  key = (await first().create({ appName: '应用', userId: '用户 1' })).key;
});

afterEach(() => {
  for (const { file } of handles) file.close();
  rmSync(folder, { recursive: true, force: true });
});

function first(): SessionService {
  return handles[0]?.service ?? expect.fail('there are two handles');
}

function second(): SessionService {
  return handles[1]?.service ?? expect.fail('there are two handles');
}

function compactorOn(service: SessionService, meanwhile: () => Promise<unknown> = async () => undefined): Compactor {
  const model = new ScriptedModel(async () => {
    await meanwhile();
    return sampleSummary;
  });
  return createCompactor({ log: service, model, clock: new ManualClock(), triggers: [window({ interval: 2 })] });
}

async function readLog(service: SessionService): Promise<readonly Event[]> {
  return (await service.read(key, { limit: 1000 })).items;
}

/** Every event of the conversation that no rewind hides is uncovered or covered by exactly one summary. */
async function expectSound(): Promise<void> {
  const [log, same] = [await readLog(first()), await readLog(second())];
  expect(log).toEqual(same);
  const { summaries, isLive } = foldCoverage(log.filter(isBookkeeping));
  for (const { seq } of log.filter((event) => !isBookkeeping(event) && isLive(event.seq))) {
    const by = summaries.filter(({ compaction }) => compaction.covers.some(([from, to]) => from <= seq && seq <= to));
    expect([seq, by.length <= 1]).toEqual([seq, true]);
  }
}

describe('two compactors on one file', () => {
  it('fold everything once', async () => {
    await talk(first(), key, 1, 8);
    const compactors = [first(), second()].map((service) => compactorOn(service));
    const outcomes = await Promise.all(compactors.map((compactor) => compactor.afterInvocation(key, agent)));
    for (const { status } of outcomes) expect(['compacted', 'stale']).toContain(status);
    await Promise.all(compactors.map((compactor) => compactor.afterInvocation(key, agent)));
    const log = await readLog(second());
    expect(log.flatMap(({ actions }) => actions.compaction?.covers ?? [])).toEqual([
      [1, 4],
      [5, 8],
      [9, 12],
      [13, 16],
    ]);
    await expectSound();
  });

  it('throw away the summary that came second', async () => {
    await talk(first(), key, 1, 3);
    const slow = compactorOn(first(), () => compactorOn(second()).compact(key, { throughSeq: 3 }));
    expect(await slow.compact(key)).toEqual({ status: 'stale' });
    await expectSound();
  });

  it('go on beside appends and rewinds on the other handle', async () => {
    await talk(first(), key, 1, 12);
    const writer = async (): Promise<void> => {
      for (let number = 13; number <= 20; number++) {
        await talk(second(), key, number);
        if (number % 3 === 0) await second().rewind(key, { beforeInvocationId: `i${number - 1}` });
      }
    };
    const folder = async (service: SessionService): Promise<void> => {
      const compactor = compactorOn(service);
      for (let times = 0; times < 8; times++) {
        const { status } = await compactor.afterInvocation(key, agent);
        expect(['compacted', 'stale', 'nothingToDo']).toContain(status);
      }
    };
    await Promise.all([writer(), folder(first()), folder(second())]);
    await compactorOn(first()).afterInvocation(key, agent);
    await expectSound();
    expect((await readLog(first())).filter(({ actions }) => actions.compaction).length).toBeGreaterThan(3);
  });

  it('give up when what they fold is rewound, or the session is deleted, between reading and writing', async () => {
    await talk(first(), key, 1, 4);
    const rewinding = compactorOn(first(), () => second().rewind(key, { beforeInvocationId: 'i2' }));
    expect(await rewinding.compact(key)).toEqual({ status: 'stale' });
    await expectSound();
    const deleting = compactorOn(first(), () => second().delete(key));
    await talk(first(), key, 5, 8);
    expect(await deleting.compact(key)).toEqual({ status: 'stale' });
    expect(await second().open(key)).toBeUndefined();
    expect(await compactorOn(second()).afterInvocation(key, agent)).toEqual({ status: 'stale' });
  });

  it('tell of a file that is closed as a failed fold', async () => {
    await talk(first(), key, 1, 4);
    const compactor = compactorOn(first(), async () => handles[0]?.file.close());
    const outcome = await compactor.compact(key);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'CLOSED' } });
  });
});
