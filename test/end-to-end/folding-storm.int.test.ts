import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CompactionSettings,
  compactContext,
  type Event,
  window as everyInvocations,
  expandHistory,
  isPalimpsestError,
  modelDriven,
  openPalimpsest,
  type Palimpsest,
  pinTool,
  rentOrBuy,
  threshold,
  tool,
} from '../../src/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';
import { scratchFolder } from '../durability/scratch-folder.ts';

const place = { userId: '用户', sessionId: '会话' };

/** Everything at once, in a context so small that all of it happens. */
const compaction: CompactionSettings = {
  triggers: [
    threshold({ tokens: 1500, retain: { tokens: 500 } }),
    everyInvocations({ interval: 3, overlap: 1 }),
    rentOrBuy({ retain: { tokens: 400 } }),
    modelDriven(),
  ],
  contextWindow: 3000,
  trim: { keepChars: 20, leastTokens: 20 },
};

/** Numbers from 0 to 1 by a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const look = tool({
  name: 'look',
  description: '查询',
  parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  run: async ({ n }) => ({ text: `第 ${n} 项，`.repeat(60) }),
});

/** An agent whose model answers, calls tools, fails, finds its prompt too long, and writes good and bad summaries. */
async function openAgent(file: string, chance: () => number) {
  const failures: unknown[] = [];
  const palimpsest = await openPalimpsest({
    ...{ file, compaction, sweepSeconds: 0, telemetry: 'off', onBackgroundFailure: (error) => failures.push(error) },
  });
  let summaries = 0;
  const model = new ScriptedModel(({ request }): string | ScriptedTurn => {
    const parts = request.contents.at(-1)?.parts ?? [];
    const isResult = parts.some(({ functionResponse }) => functionResponse !== undefined);
    const drawn = chance();
    if (!isResult && parts.at(-1)?.text?.startsWith('问') !== true) {
      summaries++;
      return drawn < 0.15 ? '' : `摘要 ${summaries}：他们查询了若干事项，都有结果，没有未完成的事。`;
    }
    if (isResult && drawn < 0.6) return '结果很好，可以照办。';
    if (drawn < 0.4) return { calls: [{ name: 'look', args: { n: Math.floor(chance() * 9) } }] };
    if (drawn < 0.5) return { calls: [{ name: chance() < 0.5 ? 'compact_context' : 'look' }] };
    if (drawn < 0.55) return { failure: new TypeError('maximum context length is 1200 tokens'), cutAfter: 0 };
    if (drawn < 0.58) return { failure: new TypeError('连接中断'), cutAfter: 0 };
    return '好的，记下了。';
  });
  const tools = [look, compactContext(), pinTool(), expandHistory()];
  const agent = palimpsest.agent({ name: '助手', model, retry: false, maxSteps: 12, tools });
  return { palimpsest, agent, failures };
}

async function wholeLog(palimpsest: Palimpsest): Promise<readonly Event[]> {
  const key = { appName: palimpsest.appName, ...place };
  const events: Event[] = [];
  for (let fromSeq = 1; ; fromSeq = events.length + 1) {
    const { items } = await palimpsest.sessions.read(key, { fromSeq, limit: 500 });
    events.push(...items);
    if (items.length < 500) return events;
  }
}

it('a session in which all happens at once loses nothing, and every request can be rebuilt', {
  timeout: 120_000,
}, async () => {
  const seen = { folds: 0 };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), async (seed) => {
      const chance = numbers(seed);
      const file = join(scratchFolder(), 'storm.db');
      const handles = [await openAgent(file, chance), await openAgent(file, chance)];
      const refused: unknown[] = [];
      for (let number = 1; number <= 40; number++) {
        const { palimpsest, agent } = handles[chance() < 0.5 ? 0 : 1] ?? expect.unreachable();
        const drawn = chance();
        const key = { appName: palimpsest.appName, ...place };
        try {
          if (drawn < 0.8) {
            const message = `问 ${number}：${'请查一下这件事。'.repeat(1 + Math.floor(chance() * 6))}`;
            for await (const event of agent.run({ ...place, message })) void event;
          } else if (drawn < 0.9) {
            const session = await palimpsest.user(place.userId).session(place.sessionId);
            const asked = (await session.read({ newestFirst: true, limit: 30 })).items.find(
              ({ origin }) => origin === 'user',
            );
            if (asked !== undefined) await session.rewind({ beforeInvocationId: asked.invocationId });
          } else void palimpsest.compact(key, { agentName: '助手' }).catch((error: unknown) => refused.push(error));
        } catch (error) {
          refused.push(error);
        }
      }
      for (const { palimpsest } of handles) await palimpsest.settled();
      expect(handles.flatMap(({ failures }) => failures)).toEqual([]);
      expect(refused.filter((error) => !isPalimpsestError(error, 'MODEL_FAILED'))).toEqual([]);
      const [{ palimpsest } = expect.unreachable()] = handles;
      const key = { appName: palimpsest.appName, ...place };
      const log = await wholeLog(palimpsest);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
      for (const { seq, request, actions } of log) {
        if (request !== undefined) expect((await palimpsest.explain(key, seq)).standing).toBe('verified');
        if (actions.compaction !== undefined) {
          seen.folds++;
          const { items } = await palimpsest.expand(key, seq, { limit: 500 });
          expect(items).toEqual(items.map((event) => log[event.seq - 1]));
          expect(items.length).toBeGreaterThan(0);
        }
      }
      for (const handle of handles) await handle.palimpsest.close();
    }),
    { numRuns: 4, endOnFailure: true },
  );
  expect(seen.folds).toBeGreaterThan(0);
});
