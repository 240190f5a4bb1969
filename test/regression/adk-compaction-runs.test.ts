import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type CompactionSettings,
  window as everyInvocations,
  type JsonMap,
  type ModelCall,
  type Palimpsest,
  threshold,
  tool,
} from '../../src/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, place, runToEnd } from '../agents/run-to-end.ts';
import { asksForSummary, expectWhole, shortSummary, shownOf } from './folded-session.ts';
import { outlineOf } from './shown-requests.ts';

const report = '多云转晴，二十一度，东南风三级。'.repeat(20);
const look = tool({
  name: 'look',
  description: '查一站的天气',
  parameters: z.object({ at: z.number() }),
  run: ({ at }) => ({ at, report }),
});

const everyOne = { triggers: [everyInvocations({ interval: 1 })] };

/** Calls the tool so many times, one step after the other, and then answers; tells of usage as it is told. */
function lookingUp(rounds: number, inputTokens: (call: ModelCall) => number) {
  return (call: ModelCall, index: number): ScriptedTurn => {
    const usage = { inputTokens: inputTokens(call), outputTokens: 20 };
    return index < rounds ? { calls: [{ name: 'look', args: { at: index } }], usage } : { text: '都查到了。', usage };
  };
}

/** An agent whose model answers and writes summaries, and the calls for either. */
async function agentOf(
  answer: (call: ModelCall, index: number) => string | ScriptedTurn,
  compaction: CompactionSettings,
  summarize: () => string | ScriptedTurn = () => shortSummary,
) {
  const warnings: [string, JsonMap | undefined][] = [];
  const warn = (text: string, fields?: JsonMap) => void warnings.push([text, fields]);
  const logger = { debug: () => undefined, info: () => undefined, error: () => undefined, warn };
  const palimpsest: Palimpsest = await openQuiet({ ingest: 'never', logger, compaction });
  const [answers, summaries]: [ModelCall[], ModelCall[]] = [[], []];
  const model = new ScriptedModel((call) => {
    if (!asksForSummary(call)) return answer(call, answers.push(call) - 1);
    summaries.push(call);
    return summarize();
  });
  const options = { tools: [look], retry: false, recall: false, maxSteps: 400 } as const;
  const agent = palimpsest.agent({ name: 'assistant', model, ...options });
  return { palimpsest, agent, answers, summaries, warnings };
}

const foldsIn = async (palimpsest: Palimpsest) =>
  (await logOf(palimpsest)).filter(({ actions }) => actions.compaction !== undefined);

describe('a run', () => {
  it('D14: of thirty rounds above a threshold that cannot be met asks for one summary', async () => {
    const triggers = [threshold({ tokens: 900, retain: { events: 2 } })];
    const { palimpsest, agent, answers, summaries } = await agentOf(
      lookingUp(30, () => 1000),
      { triggers },
    );
    expect((await runToEnd(agent, { message: '查三十站' })).failure).toBeUndefined();
    await palimpsest.settled();
    expect(answers).toHaveLength(31);
    expect(summaries).toHaveLength(1);
    expectWhole(await logOf(palimpsest));
    await palimpsest.close();
  });

  it('D21: of three hundred calls is folded while it goes on, and no request outgrows the model', async () => {
    const sizeOf = ({ request }: ModelCall) => JSON.stringify(request.contents).length;
    const contextWindow = 20_000;
    const triggers = [threshold({ tokens: 10_000, retain: { events: 6 } })];
    const { palimpsest, agent, answers, summaries } = await agentOf(lookingUp(300, sizeOf), {
      triggers,
      contextWindow,
    });
    const { failure, events } = await runToEnd(agent, { message: '查三百站 🚄' });
    expect(failure).toBeUndefined();
    expect(outline(events.at(-1) ?? expect.fail())).toBe('assistant: 都查到了。');
    await palimpsest.settled();
    expect(answers).toHaveLength(301);
    expect(Math.max(...answers.map(sizeOf))).toBeLessThan(contextWindow);
    expect(summaries.length).toBeGreaterThan(5);
    for (const { request } of answers)
      expect(outlineOf(request).filter((line) => line === 'user: 查三百站 🚄')).toHaveLength(1);
    await palimpsest.close();
  });

  it('D23: is not undone by a summariser that throws after its answer, and the next one goes on', async () => {
    const failing = () => ({ failure: new TypeError('摘要坏了'), cutAfter: 0 });
    const { palimpsest, agent, answers, warnings } = await agentOf(() => '好。', everyOne, failing);
    for (const message of ['第一问', '第二问']) {
      const run = await runToEnd(agent, { message });
      expect(run.failure).toBeUndefined();
      expect(run.events.map(outline)).toEqual(['assistant: 好。']);
      await palimpsest.settled();
    }
    expect(outlineOf(answers[1]?.request ?? expect.fail())).toEqual(['user: 第一问', 'model: 好。', 'user: 第二问']);
    expect(await foldsIn(palimpsest)).toEqual([]);
    expect(JSON.stringify(warnings)).toContain('摘要坏了');
    await palimpsest.close();
  });

  it('D26: with compaction off is shown the summaries that are there, and is folded by a call alone', async () => {
    const { palimpsest, agent, summaries } = await agentOf(() => '好。', everyOne);
    await runToEnd(agent, { message: '第一问' });
    await palimpsest.settled();
    expect(summaries).toHaveLength(1);
    const model = new ScriptedModel((call) => (asksForSummary(call) ? '后来他们又谈过。' : '也好。'));
    const other = palimpsest.agent({ name: 'assistant', model, recall: false, compaction: 'off' });
    for (const message of ['第二问', '第三问']) await runToEnd(other, { message });
    await palimpsest.settled();
    expect(summaries).toHaveLength(1);
    expect(model.calls.map(({ request }) => outlineOf(request))[1]).toEqual([
      'user: [The conversation so far:]',
      `model: ${shortSummary}`,
      'user: 第二问',
      'model: 也好。',
      'user: 第三问',
    ]);
    const key = { appName: palimpsest.appName, ...place };
    expect(await palimpsest.compact(key, { model })).toMatchObject({ status: 'compacted' });
    expect(shownOf(await logOf(palimpsest)).slice(-2)).toEqual(['user: 第三问', 'model: 也好。']);
    await palimpsest.close();
  });
});

describe('what a summary stands for', () => {
  it('can be read word for word, and one event of it is shown again by a pin', async () => {
    const { palimpsest, agent } = await agentOf(() => '好。', everyOne);
    await runToEnd(agent, { message: '第一问' });
    await palimpsest.settled();
    const key = { appName: palimpsest.appName, ...place };
    const [fold] = await foldsIn(palimpsest);
    const seq = fold?.seq ?? expect.fail();
    const context = () => palimpsest.context(key, { agentName: 'assistant', provider: 'anthropic' });
    expect((await context()).explain(1)).toEqual({ outcome: 'masked', by: seq });
    expect((await palimpsest.expand(key, seq)).items).toEqual((await logOf(palimpsest)).slice(0, seq - 1));
    await palimpsest.sessions.append(key, [{ author: 'system', actions: { pin: { seqs: [1] } } }]);
    expect((await context()).explain(1)).toEqual({ outcome: 'verbatim' });
    expect(outlineOf(await context())).toEqual(['user: 第一问', `model: ${shortSummary}`]);
    await palimpsest.close();
  });
});
