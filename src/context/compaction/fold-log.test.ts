import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longRandomLog } from '../../../test/logs/random-log.ts';
import { replayLog } from '../../../test/logs/replay-log.ts';
import {
  answers,
  asks,
  type Event,
  foldCoverage,
  isBookkeeping,
  normalizeRanges,
  openObligations,
  rangeAt,
  type SessionKey,
  textOf,
  type View,
} from '../../events/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionService } from '../../sessions/index.ts';
import { assemble } from '../assembly/index.ts';
import { checkSummary } from './check-summary.ts';
import { compactionInput } from './compaction-input.ts';
import { isSamePlace } from './fold-window.ts';
import { type FoldOptions, type FoldPlan, planFold } from './plan-fold.ts';
import { renderForSummary } from './render-for-summary.ts';
import { lostSeqs } from './sample-loss.ts';
import { isStale } from './source-hash.ts';

const view: View = { agentName: 'assistant', history: 'full', provider: 'anthropic' };

const retain = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map((events) => ({ events })),
  fc.integer({ min: 1, max: 90 }).map((tokens) => ({ tokens })),
  fc.integer({ min: 1, max: 3 }).map((invocations) => ({ invocations })),
);

const someOptions: fc.Arbitrary<FoldOptions> = fc.record(
  {
    between: fc.constant('invocations' as const),
    throughSeq: fc.integer({ min: 1, max: 60 }),
    retain,
    overlap: fc.integer({ min: 0, max: 3 }),
    most: fc.record({ tokens: fc.integer({ min: 1, max: 90 }), invocations: fc.integer({ min: 1, max: 4 }) }),
    openInvocations: fc.integer({ min: 1, max: 60 }).map((seq): ReadonlySet<string> => new Set([`i${seq}`])),
    summaryRegion: fc.constantFrom(8000, 20),
  },
  { requiredKeys: [] },
);

async function openSession(state = {}): Promise<{ service: SessionService; key: SessionKey }> {
  const service = createSessionService({ store: createInMemorySessionStore() });
  const { key } = await service.create({ appName: '应用', userId: '用户 1', state });
  return { service, key };
}

async function readLog(service: SessionService, key: SessionKey): Promise<readonly Event[]> {
  const { items } = await service.read(key, { limit: 1000 });
  return items;
}

/** What no fold may do to a log, checked against the whole log as it was. */
function expectLawful(plan: FoldPlan, before: readonly Event[], { openInvocations }: FoldOptions): void {
  const coverage = foldCoverage(before.filter(isBookkeeping));
  const live = before.filter((event) => !isBookkeeping(event) && coverage.isLive(event.seq));
  const older = normalizeRanges(plan.supersedes.flatMap(({ compaction }) => compaction.covers));
  const covered = before.filter(({ seq }) => rangeAt(plan.covers, seq) !== -1 && rangeAt(older, seq) === -1);
  expect(covered.filter((event) => !isBookkeeping(event)).map(({ seq }) => seq)).toEqual(
    plan.events.map((one) => one.seq),
  );
  const open = new Set(openObligations(live));
  for (const event of plan.events) {
    expect(isSamePlace(event, plan)).toBe(true);
    expect(coverage.coveredBy(event.seq)).toBeUndefined();
    expect(coverage.pinned.has(event.seq)).toBe(false);
    expect(openInvocations?.has(event.invocationId) ?? false).toBe(false);
    expect(Object.keys(event.actions.requestedToolConfirmations ?? {}).filter((id) => open.has(id))).toEqual([]);
  }
  for (const { seq } of plan.steppedOver) expect(rangeAt(plan.covers, seq)).toBe(-1);
}

function expectKept(before: readonly Event[], after: readonly Event[], plan: FoldPlan): void {
  const [was, is] = [assemble(before, view), assemble(after, view)];
  expect(lostSeqs(before, after, { view, folded: plan.events.map(({ seq }) => seq) })).toEqual([]);
  for (const { seq } of plan.events) expect([seq, is.placement(seq).outcome]).not.toEqual([seq, 'verbatim']);
  const isOutOfView = (seq: number) => {
    const placement = was.placement(seq);
    return placement.outcome === 'hidden' && ['rewound', 'scope'].includes(placement.why);
  };
  const seen = before.filter(({ seq }) => !isOutOfView(seq));
  const newest = seen.findLast((event) => asks(event) || answers(event));
  if (newest !== undefined && asks(newest)) expect(is.placement(newest.seq)).not.toMatchObject({ outcome: 'masked' });
}

describe('a fold of any log', () => {
  it('is accepted by an append, parts no pair, and takes nothing that has to stay', { timeout: 120_000 }, async () => {
    let folds = 0;
    await fc.assert(
      fc.asyncProperty(longRandomLog, fc.array(someOptions, { minLength: 3, maxLength: 3 }), async (log, all) => {
        const { service, key } = await openSession();
        await replayLog(service, key, log);
        for (const options of all) {
          const outcome = planFold(await service.readLive(key, view), options);
          const before = await readLog(service, key);
          if (outcome.status !== 'plan') continue;
          const { plan } = outcome;
          expectLawful(plan, before, options);
          expect(isStale(plan, await service.readLive(key, view), options)).toBe(false);
          expect(renderForSummary(plan).text).not.toBe('');
          await service.append(key, [compactionInput(plan, '他们谈过一些事。', { trigger: 'test', model: 'm' })]);
          expectKept(before, await readLog(service, key), plan);
          expect(isStale(plan, await service.readLive(key, view), options)).toBe(true);
          folds++;
        }
      }),
      { numRuns: 150 },
    );
    expect(folds).toBeGreaterThan(60);
  });
});

describe('a plan', () => {
  async function planned() {
    const { service, key } = await openSession({ 语言: '中文' });
    await service.append(key, [
      { author: 'user', content: '东京的天气怎么样？', invocationId: 'i1' },
      { author: 'assistant', content: { parts: [{ functionCall: { id: 'c1', name: '天气', args: {} } }] } },
      { author: 'assistant', content: { parts: [{ functionResponse: { id: 'c1', name: '天气', response: '晴 ☀️' } }] } },
      { author: 'assistant', content: '晴天，26 度。' },
    ]);
    const outcome = planFold(await service.readLive(key, view));
    if (outcome.status !== 'plan') return expect.fail('there is no plan');
    const stale = async (openInvocations?: ReadonlySet<string>) =>
      isStale(outcome.plan, await service.readLive(key, view), openInvocations && { openInvocations });
    return { service, key, plan: outcome.plan, stale };
  }

  it('stays good while the conversation goes on', async () => {
    const { service, key, plan, stale } = await planned();
    await service.append(key, [{ author: 'user', content: '那大阪呢？' }]);
    expect(await stale()).toBe(false);
    expect(await stale(new Set(['i1']))).toBe(true);
    const check = checkSummary(
      { content: { role: 'model', parts: [{ text: '用户问东京天气：晴。' }] }, finishReason: 'stop' },
      plan,
    );
    expect(check).toMatchObject({ status: 'accepted' });
    const input = compactionInput(plan, '用户问东京天气：晴。', {
      trigger: 'idle',
      model: 'gemini',
      usage: { inputTokens: 9 },
    });
    const { events } = await service.append(key, [input]);
    expect(events[0]?.actions.compaction).toMatchObject({
      covers: [[1, 5]],
      trigger: 'idle',
      summarizer: { model: 'gemini', usage: { inputTokens: 9 } },
    });
    expect(events[0]?.actions.compaction?.sourceHash).toMatch(/^[0-9a-f]{64}$/);
    expect(textOf(events[0]?.actions.compaction?.content)).toBe('用户问东京天气：晴。');
  });

  it('is stale once an event is pinned, answered anew, rewound or covered', async () => {
    const pinned = await planned();
    await pinned.service.append(pinned.key, [{ author: 'system', actions: { pin: { seqs: [3] } } }]);
    expect(await pinned.stale()).toBe(true);
    const answered = await planned();
    const again = { parts: [{ functionResponse: { id: 'c1', name: '天气', response: '雨' } }] };
    await answered.service.append(answered.key, [{ author: 'assistant', content: again }]);
    expect(await answered.stale()).toBe(true);
    const rewound = await planned();
    await rewound.service.rewind(rewound.key, { beforeInvocationId: 'i1' });
    expect(await rewound.stale()).toBe(true);
  });
});
