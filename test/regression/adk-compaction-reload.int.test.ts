import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  window as everyInvocations,
  type ModelCall,
  openPalimpsest,
  type Palimpsest,
  type Provider,
} from '../../src/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';
import { logOf, runToEnd } from '../agents/run-to-end.ts';
import { asksForSummary, expectWhole } from './folded-session.ts';
import { outlineOf, providers } from './shown-requests.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-folded-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file that is opened, with an agent whose model answers and writes summaries, these once something has come. */
async function openFile(name: string, provider: Provider, after: Promise<unknown> = Promise.resolve()) {
  const palimpsest: Palimpsest = await openPalimpsest({
    ...{ file: join(folder, `${name}-${provider}.db`), appName: 'test', sweepSeconds: 0, ingest: 'never' },
    compaction: { triggers: [everyInvocations({ interval: 1 })] },
  });
  const [answers, summaries]: [ModelCall[], ModelCall[]] = [[], []];
  const script = (call: ModelCall): ScriptedTurn => {
    const isSummary = asksForSummary(call);
    const number = (isSummary ? summaries : answers).push(call);
    return isSummary ? { text: `摘要 ${number}：问过天气。`, after } : { text: '晴，二十一度。' };
  };
  const model = new ScriptedModel(script, { provider });
  const agent = palimpsest.agent({ name: 'assistant', model, retry: false, recall: false });
  const shown = () => answers.map(({ request }) => outlineOf(request));
  return { palimpsest, agent, shown, summaries };
}

describe.each(providers)('a file with summaries, for %s', (provider) => {
  it('D1: is opened again, and the turn after the first summary goes on from it', async () => {
    const first = await openFile('reload', provider);
    expect((await runToEnd(first.agent, { message: '大理今天的天气？' })).failure).toBeUndefined();
    await first.palimpsest.settled();
    await first.palimpsest.close();
    const second = await openFile('reload', provider);
    for (const message of ['明天呢？', '后天呢？']) {
      expect((await runToEnd(second.agent, { message })).failure).toBeUndefined();
      await second.palimpsest.settled();
    }
    const opening = 'user: [The conversation so far:]';
    expect(second.shown()).toEqual([
      [opening, 'model: 摘要 1：问过天气。', 'user: 明天呢？'],
      [opening, 'model: 摘要 1：问过天气。', 'model: 摘要 1：问过天气。', 'user: 后天呢？'],
    ]);
    expectWhole(await logOf(second.palimpsest));
    await second.palimpsest.close();
  });

  it('D20: that is closed while a summary is written gets it when it is opened again', async () => {
    const never = new Promise<unknown>(() => undefined);
    const first = await openFile('closed', provider, never);
    expect((await runToEnd(first.agent, { message: '大理今天的天气？' })).failure).toBeUndefined();
    await expect.poll(() => first.summaries.length).toBe(1);
    await first.palimpsest.close();
    const second = await openFile('closed', provider);
    await second.palimpsest.settled();
    expect(second.summaries).toHaveLength(1);
    const log = await logOf(second.palimpsest);
    expect(log.flatMap(({ actions }) => actions.compaction?.covers ?? [])).toEqual([[1, 2]]);
    await second.palimpsest.close();
  });
});
