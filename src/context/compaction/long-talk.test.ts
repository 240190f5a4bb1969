import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { type Event, estimateTokens, foldCoverage, isBookkeeping } from '../../events/index.ts';
import { compactionInput } from './compaction-input.ts';
import { decide, type FoldFacts, freshTriggerState } from './decide.ts';
import { eventTokens, summaryTokens } from './event-tokens.ts';
import { type FoldPlan, planFold } from './plan-fold.ts';
import { readFacts } from './read-facts.ts';
import { asked, called, returned, told, windowOf } from './sample-window.ts';
import { defaultSummaryRegion } from './summaries-to-merge.ts';
import { idle, modelDriven, rentOrBuy, type Trigger, taskComplete, threshold, window } from './triggers.ts';

const overheadTokens = 500;
const prices = { readFactor: 0.1, writeFactor: 1.25, ttlSeconds: 300, summarizerFactor: 0.2, outputFactor: 5 };
const invocations = 160;

/** A talk of equal invocations of 400 tokens, folded after each of them as the triggers have it. */
class Talk {
  readonly #events: Event[] = [];
  readonly prompts: number[] = [];
  readonly fired: string[] = [];
  readonly #triggers: readonly Trigger[];
  #state = freshTriggerState;

  constructor(triggers: readonly Trigger[]) {
    this.#triggers = triggers;
    for (let number = 1; number <= invocations; number++) {
      this.#speak(number);
      this.#fold(number);
    }
  }

  #append(input: Omit<LoggedInput, 'seq'>): void {
    this.#events.push(...buildLog([{ ...input, seq: this.#events.length + 1 }]));
  }

  #promptTokens(): number {
    const coverage = foldCoverage(this.#events.filter(isBookkeeping));
    const shown = this.#events.filter((event) => !isBookkeeping(event) && coverage.coveredBy(event.seq) === undefined);
    return overheadTokens + summaryTokens(coverage.summaries) + shown.reduce((sum, one) => sum + eventTokens(one), 0);
  }

  #speak(number: number): void {
    const id = `c${number}`;
    const tokens = (n: number) => ({ tokens: { n, by: 'test' } });
    this.#append(asked(0, number, tokens(20)));
    this.#append(called(0, number, [id], tokens(20)));
    this.#append(returned(0, number, id, tokens(300)));
    const inputTokens = this.#promptTokens();
    this.prompts.push(inputTokens);
    this.#append(told(0, number, { ...tokens(60), usage: { inputTokens } }));
  }

  #fold(number: number): void {
    const live = windowOf(this.#events);
    const view = { agentName: 'assistant' };
    const facts: FoldFacts = {
      ...readFacts(live, this.#triggers, { view, now: Date.parse('2026-01-01T00:20:00Z'), overheadTokens }),
      requests: 2,
      prices,
      isTaskComplete: number % 7 === 0,
      ...(number % 9 === 0 ? { asked: {} } : {}),
    };
    const decision = decide(this.#triggers, facts, this.#state);
    this.#state = decision.state;
    if (decision.fires === undefined) return;
    const outcome = planFold(live, decision.fires.fold);
    if (outcome.status !== 'plan') return;
    this.#append(
      compactionInput(outcome.plan, summaryOf(outcome.plan), { trigger: decision.fires.trigger, model: 'm' }),
    );
    this.#state = decision.fires.stateAfter;
    this.fired.push(decision.fires.trigger);
    expect(summaryTokens(windowOf(this.#events).coverage.summaries)).toBeLessThanOrEqual(defaultSummaryRegion);
  }
}

/** As long as a good model makes it: a quarter of what it stands for, within the limit. */
function summaryOf({ tokens, mostTokens }: FoldPlan): string {
  const length = Math.min(mostTokens, Math.max(100, Math.round((tokens.folded + tokens.merged) / 4)));
  const text = '事'.repeat(length);
  expect(estimateTokens.count(text)).toBe(length);
  return text;
}

const triggers = {
  window: window({ interval: 5, overlap: 1 }),
  threshold: threshold({ tokens: 6000, retain: { tokens: 1500 } }),
  idle: idle({ seconds: 900 }),
  taskComplete: taskComplete(),
  rentOrBuy: rentOrBuy({ retain: { tokens: 1500 } }),
  modelDriven: modelDriven(),
};

describe('a talk of 160 equal invocations', () => {
  it.each([
    ...Object.entries(triggers).map(([name, trigger]): [string, readonly Trigger[]] => [name, [trigger]]),
    ['window and threshold', [triggers.window, triggers.threshold]],
  ] satisfies [string, readonly Trigger[]][])('keeps its prompt within bounds: %s', (_, some) => {
    const { prompts, fired } = new Talk(some);
    const kinds = new Set(fired);
    expect(kinds.size).toBeGreaterThan(0);
    expect(Math.max(...prompts.slice(40))).toBeLessThanOrEqual(2 * (prompts[39] ?? 0));
  });

  it('grows without a trigger, so that there is something to bound', () => {
    const { prompts, fired } = new Talk([]);
    expect(fired).toEqual([]);
    expect(prompts.at(-1)).toBeGreaterThan(3.5 * (prompts[39] ?? 0));
  });

  it('is folded by all triggers together, one at a time, within the same bounds', () => {
    const { prompts, fired } = new Talk(Object.values(triggers));
    expect(Math.max(...prompts.slice(40))).toBeLessThanOrEqual(2 * (prompts[39] ?? 0));
    expect(new Set(fired).size).toBeGreaterThan(1);
    expect(fired.length).toBeLessThanOrEqual(invocations);
  });
});
