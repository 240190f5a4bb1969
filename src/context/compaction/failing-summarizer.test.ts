import { describe, expect, it } from 'vitest';
import { compactorOf, openSession } from '../../../test/context/open-compaction.ts';
import { isPalimpsestError } from '../../errors/index.ts';
import { isBookkeeping, type View } from '../../events/index.ts';
import type { LanguageModel, ModelPiece } from '../../models/index.ts';
import type { Script } from '../../testing/index.ts';
import { assemble } from '../assembly/index.ts';
import { sampleSummary, talk } from './sample-talk.ts';

const agent = { agentName: 'assistant' };
const view: View = { ...agent, history: 'full', provider: 'anthropic' };

/** The summariser that takes no trouble. */
const _sample: Script = () => sampleSummary;

function modelOf(call: LanguageModel['call']): LanguageModel {
  return { name: '慢', vendor: 'test', provider: 'openai', call };
}

describe('a summariser that fails', () => {
  const text = (content: string) => ({ text: content });
  const long = '去东京的火车在九点开，也可以坐十点半的那一班，都靠窗。';

  it.each<[string, Script, string]>([
    ['a call', () => ({ text: sampleSummary, calls: [{ name: '转账', id: 'c' }] }), 'notProse'],
    ['nothing', () => text(''), 'empty'],
    ['another script', () => text('They talked about some trains and about when these leave.'), 'otherScript'],
    ['an echo', () => text(long), 'echo'],
    ['a broken-off answer', () => ({ text: sampleSummary, cutAfter: 1 }), ''],
    ['an error', () => ({ failure: new TypeError('连接断了'), cutAfter: 0 }), ''],
    ['thoughts', () => ({ thought: '想一想' }), 'onlyThoughts'],
  ])('folds nothing: %s', async (_, script, why) => {
    const opened = await openSession();
    const { service, key } = opened;
    await talk(service, key, 1, 3, { content: long });
    const before = await opened.log();
    const { compactor } = compactorOf(opened, script);
    const outcome = await compactor.afterInvocation(key, agent);
    if (outcome.status !== 'failed') return expect.fail(outcome.status);
    expect(isPalimpsestError(outcome.error, 'MODEL_FAILED')).toBe(true);
    expect(outcome.refusal?.why ?? '').toBe(why);
    expect(await opened.log()).toEqual(before);
    expect(opened.warnings).toHaveLength(1);
  });

  it('is waited for only so long', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    await talk(service, key, 1, 3);
    let signal: AbortSignal | undefined;
    const hanging = modelOf(async function* (call) {
      signal = call.signal;
      yield* await new Promise<readonly ModelPiece[]>(() => undefined);
    });
    const { compactor } = compactorOf(opened, hanging, { waitMs: { background: 5 } });
    const failed = {
      status: 'failed',
      error: { code: 'MODEL_FAILED', details: { model: '慢', reason: expect.stringContaining(' 5 ms') } },
    };
    expect(await compactor.compact(key)).toMatchObject(failed);
    expect(signal?.aborted).toBe(true);
  });

  it('may send 10 MB at once, or never come to an end', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    await talk(service, key, 1, 3);
    const before = await opened.log();
    const huge = modelOf(async function* () {
      yield { type: 'text', text: '记录很多事情'.repeat(1_700_000) };
      yield { type: 'finish', finishReason: 'stop' };
    });
    expect(await compactorOf(opened, huge).compactor.compact(key)).toMatchObject({ refusal: { why: 'tooLong' } });
    const endless = modelOf(async function* () {
      for (;;) yield { type: 'text', text: '说'.repeat(999) };
    });
    expect(await compactorOf(opened, endless).compactor.compact(key)).toMatchObject({
      error: { details: { reason: 'its summary has no end' } },
    });
    expect(await opened.log()).toEqual(before);
  });

  it('costs one call a step of 1, 2, 4 … 64 invocations, and a success clears that', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    let isWell = false;
    const { compactor, calls } = compactorOf(opened, () => (isWell ? sampleSummary : ''));
    await talk(service, key, 1, 4);
    const asked: number[] = [];
    for (let number = 0; number <= 200; number++) {
      const before = calls.length;
      await compactor.afterInvocation(key, agent);
      if (calls.length > before) asked.push(number);
    }
    expect(asked).toEqual([0, 2, 5, 10, 19, 36, 69, 134, 199]);
    expect(assemble(await opened.log(), view).counts).toEqual(
      assemble(
        (await opened.log()).filter((event) => !isBookkeeping(event)),
        view,
      ).counts,
    );
    isWell = true;
    opened.clock.advance(64 * 60_000);
    expect(await compactor.afterInvocation(key, agent)).toMatchObject({ status: 'compacted' });
    isWell = false;
    await talk(service, key, 5, 8);
    const again = calls.length;
    for (let times = 0; times < 3; times++) await compactor.afterInvocation(key, agent);
    expect(calls.length - again).toBe(2);
  });

  it('is asked again when so many minutes are over, if that is sooner', async () => {
    const opened = await openSession();
    const { service, key, clock } = opened;
    await talk(service, key, 1, 4);
    const { compactor, calls } = compactorOf(opened, () => '');
    await compactor.afterInvocation(key, agent);
    expect(await compactor.afterInvocation(key, agent)).toEqual({ status: 'nothingToDo', why: 'backingOff' });
    await compactor.afterInvocation(key, agent);
    expect(calls).toHaveLength(2);
    clock.advance(2 * 60_000);
    await compactor.afterInvocation(key, agent);
    expect(calls).toHaveLength(3);
    expect(await compactor.compact(key)).toMatchObject({ status: 'failed' });
    expect(calls).toHaveLength(4);
  });
});
