import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { randomLog } from '../../../test/logs/random-log.ts';
import {
  type Block,
  closes,
  type Event,
  isBookkeeping,
  opens,
  type Provider,
  text,
  textOf,
  type View,
} from '../../events/index.ts';
import { type Assembly, assemble, buildRequest, validateRequest } from './index.ts';

const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];

const randomView: fc.Arbitrary<Omit<View, 'provider'>> = fc.record(
  {
    agentName: fc.constantFrom('assistant', 'researcher'),
    history: fc.oneof(
      { weight: 2, arbitrary: fc.constant('full' as const) },
      fc.constant('invocation' as const),
      fc.record({
        window: fc.record(
          { invocations: fc.integer({ min: 0, max: 4 }), tokens: fc.integer({ min: 0, max: 200 }) },
          { requiredKeys: [] },
        ),
      }),
    ),
    branch: fc.constantFrom('root', 'root.assistant'),
    isolationScope: fc.constant('sealed'),
  },
  { requiredKeys: ['agentName', 'history'] },
);

/** Mostly the whole session. */
const someView = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ agentName: 'assistant', history: 'full' } as const) },
  { weight: 3, arbitrary: randomView },
);

const block = (kind: Block['kind'], value: string, stable: boolean): Block => ({ kind, stable, content: text(value) });

/** What the provider would say of the bare conversation, and of one with blocks around it. */
function problemsOf(assembly: Assembly, provider: Provider): readonly string[] {
  const bare = { instruction: [], tools: [], assembly, transient: [] };
  const dressed = { ...bare, documents: [block('document', 'd', true)], transient: [block('memory', 'm', false)] };
  const requests = assembly.contents.length === 0 ? [dressed] : [bare, dressed];
  return requests.flatMap((parts) => validateRequest(buildRequest(parts, provider), provider));
}

/** All text that stands in an assembly, thoughts and results included. */
function allText({ contents }: Assembly): string {
  return JSON.stringify(contents);
}

describe('assemble', () => {
  it('never throws, is the same twice, and is what every provider accepts', () => {
    fc.assert(
      fc.property(randomLog, someView, (inputs, view) => {
        const log = buildLog(inputs);
        const before = JSON.stringify(log);
        for (const provider of providers) {
          const assembly = assemble(log, { ...view, provider });
          expect(problemsOf(assembly, provider)).toEqual([]);
          expect(assembly.sources).toHaveLength(assembly.contents.length);
          expect(assemble(log.values(), { ...view, provider }).contents).toEqual(assembly.contents);
        }
        expect(JSON.stringify(log)).toBe(before);
      }),
      { numRuns: 300 },
    );
  });

  it('reads no timestamp', () => {
    fc.assert(
      fc.property(randomLog, someView, fc.boolean(), (inputs, view, isSame) => {
        const day = (seq: number) =>
          `2026-01-${String(isSame ? 1 : 60 - seq)
            .padStart(2, '0')
            .slice(-2)}`;
        const moved = inputs.map(
          (input): LoggedInput => ({ ...input, timestamp: `${day(30 + (input.seq % 30))}T00:00:00Z` }),
        );
        const whole = { ...view, provider: 'gemini' as const };
        const [first, second] = [assemble(buildLog(inputs), whole), assemble(buildLog(moved), whole)];
        expect(second.contents).toEqual(first.contents);
        for (const { seq } of inputs) expect(second.placement(seq)).toEqual(first.placement(seq));
      }),
      { numRuns: 100 },
    );
  });

  it('says of every event what became of it, and it is true', () => {
    fc.assert(
      fc.property(randomLog, someView, fc.constantFrom(...providers), (inputs, view, provider) => {
        const log = buildLog(inputs);
        const assembly = assemble(log, { ...view, provider });
        const standing = allText(assembly);
        for (const event of log) checkPlacement(event, assembly, standing, view.history === 'full');
      }),
      { numRuns: 300 },
    );
  });

  it('needs no covered event but the calls that a live response answers', () => {
    fc.assert(
      fc.property(randomLog, (inputs) => {
        const log = buildLog(inputs.map(withIds));
        const view: View = { agentName: 'assistant', history: 'full', provider: 'anthropic' };
        const whole = assemble(log, view);
        const isMasked = ({ seq }: Event) => whole.placement(seq).outcome === 'masked';
        const answered = new Set(log.flatMap((event) => (isMasked(event) ? [] : closes(event))));
        const isRead = (event: Event) =>
          isBookkeeping(event) ||
          !isMasked(event) ||
          (event.author !== 'user' && opens(event).some((id) => answered.has(id)));
        const read = log.filter(isRead);
        const part = assemble(read, view);
        expect(part.contents).toEqual(whole.contents);
        expect(part.question).toEqual(whole.question);
        for (const { seq } of log) expect(part.placement(seq)).toEqual(whole.placement(seq));
      }),
      { numRuns: 200 },
    );
  });

  it('is the same without the overflows of a log, which stand in no request', () => {
    fc.assert(
      fc.property(randomLog, someView, fc.constantFrom(...providers), (inputs, view, provider) => {
        const overflow = { why: 'tooLong', agentName: '助手', tokens: 9001, limit: 6750, leftOut: 3 } as const;
        const log = buildLog([...inputs, { seq: inputs.length + 1, author: 'system', actions: { overflow } }]);
        const others = log.filter(({ actions }) => actions.overflow === undefined);
        const [all, rest] = [log, others].map((events) => assemble(events, { ...view, provider }));
        expect(all?.contents).toEqual(rest?.contents);
        expect(all?.sources).toEqual(rest?.sources);
        expect(all?.question).toEqual(rest?.question);
        for (const { seq } of others) expect(all?.placement(seq)).toEqual(rest?.placement(seq));
        for (const { seq, actions } of log) {
          if (actions.overflow === undefined) continue;
          const why = expect.stringMatching(/^(bookkeeping|rewound)$/);
          expect(all?.placement(seq)).toEqual({ outcome: 'hidden', why });
        }
        expect(all?.placement(inputs.length + 1)).toEqual({ outcome: 'hidden', why: 'bookkeeping' });
      }),
      { numRuns: 200 },
    );
  });

  it('throws on nothing an append would refuse either', () => {
    const seq = fc.integer({ min: -3, max: 20 });
    const range = fc.tuple(seq, seq);
    const nonsense = fc.record(
      {
        compaction: fc.record({
          covers: fc.array(range, { maxLength: 3 }),
          content: fc.record({
            role: fc.constantFrom('user' as const, 'model' as const),
            parts: fc.array(fc.record({ text: fc.constantFrom('', 's') }), { maxLength: 2 }),
          }),
          trigger: fc.constant('x'),
          sourceHash: fc.constant(''),
          supersedes: fc.array(seq, { maxLength: 2 }),
        }),
        rewind: fc.record({ beforeInvocationId: fc.constant('?'), fromSeq: seq }),
        pin: fc.record({ seqs: fc.array(seq) }),
        unpin: fc.record({ seqs: fc.array(seq) }),
        trim: fc.record({ seqs: fc.array(seq), keepChars: seq }),
        overflow: fc.record({ why: fc.constant('blocked' as const), by: fc.array(seq), leftOut: seq }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(randomLog, fc.array(fc.tuple(nonsense, seq), { maxLength: 6 }), someView, (inputs, extras, view) => {
        const base = buildLog([{ seq: 1, author: 'user', content: 'base' }]);
        const mad = extras.flatMap(([actions, at]) =>
          base.map((event): Event => ({ ...event, seq: at, author: 'system', origin: 'system', actions })),
        );
        const log = [...buildLog(inputs), ...mad];
        for (const provider of providers) {
          const assembly = assemble(log, { ...view, provider });
          expect(problemsOf(assembly, provider)).toEqual([]);
          for (const at of [-1, 0, 1.5, Number.NaN, 7, 1e9])
            expect(assembly.placement(at).outcome).toBeTypeOf('string');
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** The same event with an id on every call and response that has none. */
function withIds(input: LoggedInput): LoggedInput {
  if (typeof input.content !== 'object') return input;
  const parts = input.content.parts.map((part) => ({
    ...part,
    ...(part.functionCall === undefined ? {} : { functionCall: { id: 'c0', ...part.functionCall } }),
    ...(part.functionResponse === undefined ? {} : { functionResponse: { id: 'c0', ...part.functionResponse } }),
  }));
  return { ...input, content: { ...input.content, parts } };
}

function checkPlacement(event: Event, assembly: Assembly, standing: string, isFull: boolean): void {
  const { seq } = event;
  const placement = assembly.placement(seq);
  const [words, result] = [`<t${seq}>`, `<r${seq}>`];
  const hasText = textOf(event.content).includes(words) || event.outputTranscription !== undefined;
  const isSource = assembly.sources.flat().includes(seq);
  switch (placement.outcome) {
    case 'verbatim':
      expect(isSource, `${seq} is a source`).toBe(true);
      if (hasText) expect(standing).toContain(words);
      break;
    case 'narrated':
      if (hasText) expect(standing).toMatch(new RegExp(`\\[${event.author}\\] said: [^"]*${words}`));
      expect(isSource).toBe(true);
      break;
    case 'summary':
      expect(standing).toContain(`<s${seq}>`);
      break;
    case 'masked':
      expect(assembly.placement(placement.by).outcome).toBe('summary');
      expect(standing).not.toContain(words);
      expect(standing).not.toContain(result);
      break;
    case 'merged':
      expect(assembly.placement(placement.into).outcome).not.toBe('hidden');
      if (hasText) expect(standing).toContain(words);
      break;
    case 'trimmed':
      expect(standing).toMatch(new RegExp(`\\[cut: \\d+ characters; expand_history ${seq}\\]`));
      expect(standing).not.toContain(`${result}长`);
      break;
    case 'hidden':
      expect(standing).not.toContain(words);
      expect(standing).not.toContain(result);
      expect(isSource).toBe(false);
      if (isFull) expect(placement.why).not.toBe('window');
  }
}
