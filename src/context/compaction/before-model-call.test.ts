import { describe, expect, it } from 'vitest';
import { compactorOf, openSession, type SessionToFold } from '../../../test/context/open-compaction.ts';
import type { View } from '../../events/index.ts';
import type { Script } from '../../testing/index.ts';
import { assemble } from '../assembly/index.ts';
import type { CompactorOptions } from './compactor.ts';
import { sampleSummary, talk } from './sample-talk.ts';
import { called, returned } from './sample-window.ts';

const agent = { agentName: 'assistant' };
const view: View = { ...agent, history: 'full', provider: 'anthropic' };

/** The summariser that takes no trouble. */
const sample: Script = () => sampleSummary;

/** A promise that a test keeps when it likes. */
function gate(): { readonly promise: Promise<string>; readonly open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<string>((resolve) => {
    open = () => resolve(sampleSummary);
  });
  return { promise, open };
}

describe('before a model call', () => {
  const small = { contextWindow: 1000, triggers: [], waitMs: { beforeRequest: 60_000 } };

  /** A log that counts how often it is asked for what. */
  function counted({ service }: SessionToFold) {
    const asked: string[] = [];
    const note = <T>(name: string, result: T): T => {
      asked.push(name);
      return result;
    };
    const log: CompactorOptions['log'] = {
      readLive: (key, by) => note('readLive', service.readLive(key, by)),
      read: (key, options) => note('read', service.read(key, options)),
      append: (key, events) => note('append', service.append(key, events)),
    };
    return { log, asked };
  }

  it('does nothing below the ceiling, and reads nothing if the size is told', async () => {
    const opened = await openSession();
    const { key, service } = opened;
    await talk(service, key, 1, 3);
    const { log, asked } = counted(opened);
    const { compactor, calls } = compactorOf(opened, sample, { ...small, log });
    const notDue = { status: 'nothingToDo', why: 'notDue' };
    expect(await compactor.beforeModelCall(key, { ...agent, promptTokens: 899 })).toEqual(notDue);
    expect(asked).toEqual([]);
    expect(await compactor.beforeModelCall(key, agent)).toEqual(notDue);
    expect([asked, calls.length]).toEqual([['readLive'], 0]);
  });

  it('folds the run under way at the ceiling, but not its question and not what is open', async () => {
    const opened = await openSession();
    const { key, service } = opened;
    await service.append(key, [{ author: 'user', content: '查一百次', invocationId: 'i1' }]);
    for (let number = 1; number <= 40; number++) {
      const { seq: _, ...call } = called(0, 1, [`c${number}`]);
      const { seq: __, ...result } = returned(0, 1, `c${number}`);
      await service.append(key, [call, result]);
    }
    const { seq: _, ...open } = called(0, 1, ['c41']);
    await service.append(key, [open]);
    const { compactor, calls } = compactorOf(opened, sample, small);
    const outcome = await compactor.beforeModelCall(key, { ...agent, promptTokens: 900 });
    expect(outcome).toMatchObject({ status: 'compacted', event: { actions: { compaction: { trigger: 'ceiling' } } } });
    const { placement } = assemble(await opened.log(), view);
    expect([1, 2, 3, 82].map((seq) => placement(seq).outcome)).toEqual(['verbatim', 'masked', 'masked', 'hidden']);
    // All that may be folded is.
    const again = await compactor.beforeModelCall(key, { ...agent, promptTokens: 900 });
    expect([again, calls.length]).toEqual([{ status: 'nothingToDo', why: 'retained' }, 1]);
  });

  it('does not fold again and again where instruction and tools alone fill the context', async () => {
    const opened = await openSession();
    const { key, service } = opened;
    const { compactor, calls } = compactorOf(opened, sample, small);
    for (let number = 1; number <= 60; number++) {
      await talk(service, key, number);
      const promptTokens = 5000 + number;
      await compactor.beforeModelCall(key, { ...agent, promptTokens });
    }
    expect(calls).toHaveLength(1);
    // Much more has come: it is worth another one.
    const grown = await compactor.beforeModelCall(key, { ...agent, promptTokens: 5500 });
    expect(grown).toMatchObject({ status: 'compacted' });
  });

  it('folds once for eight agents at a time', async () => {
    const opened = await openSession();
    const { key, service } = opened;
    await talk(service, key, 1, 14, { content: '很长的回答，关于火车。'.repeat(5) });
    const { compactor, calls } = compactorOf(opened, sample, small);
    const names = Array.from({ length: 8 }, (_, at) => `agent ${at}`);
    const outcomes = await Promise.all(
      names.map((agentName) => compactor.beforeModelCall(key, { agentName, promptTokens: 1000 })),
    );
    expect(outcomes.filter(({ status }) => status === 'compacted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => 'why' in outcome && outcome.why === 'notDue')).toHaveLength(7);
    expect(calls).toHaveLength(1);
  });

  it('waits only so long, for a summary and for its turn', async () => {
    const opened = await openSession();
    const { key, service } = opened;
    await talk(service, key, 1, 30);
    const { promise, open } = gate();
    const more = { ...small, waitMs: { beforeRequest: 5 } };
    const { compactor, calls } = compactorOf(opened, () => promise, more);
    const late = { status: 'failed', error: { code: 'MODEL_FAILED', details: { model: 'scripted' } } };
    const background = compactor.compact(key);
    expect(await compactor.beforeModelCall(key, { ...agent, promptTokens: 900 })).toMatchObject(late);
    expect(calls).toHaveLength(1);
    open();
    expect(await background).toMatchObject({ status: 'compacted' });
    const hanging = compactorOf(opened, () => new Promise(() => undefined), more);
    await talk(service, key, 31, 60);
    expect(await hanging.compactor.beforeModelCall(key, { ...agent, promptTokens: 900 })).toMatchObject(late);
    expect(await hanging.compactor.beforeModelCall(key, { ...agent, promptTokens: 900 })).toEqual({
      status: 'nothingToDo',
      why: 'backingOff',
    });
  });

  it('is stopped by its caller, which is no failure of the summariser', async () => {
    const opened = await openSession();
    const { key, service } = opened;
    await talk(service, key, 1, 30);
    const controller = new AbortController();
    const script: Script = () => {
      controller.abort();
      return sampleSummary;
    };
    const { compactor } = compactorOf(opened, script, small);
    const request = { ...agent, promptTokens: 900, signal: controller.signal };
    expect(await compactor.beforeModelCall(key, request)).toMatchObject({
      status: 'failed',
      error: { code: 'ABORTED' },
    });
    const again = await compactor.beforeModelCall(key, { ...agent, promptTokens: 900 });
    expect(again).toMatchObject({ status: 'compacted' });
    expect(opened.warnings).toHaveLength(1);
  });
});
