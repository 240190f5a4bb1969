import { describe, expect, it } from 'vitest';
import golden from '../../../test/fixtures/golden-logs.json' with { type: 'json' };
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import type { EventActionsInput, PartInput, SeqRange, View } from '../../events/index.ts';
import { type Assembly, assemble, buildRequest, validateRequest } from './index.ts';

/** The abbreviated form of an event in the fixture. */
interface Abbreviated {
  readonly seq: number;
  readonly author: string;
  readonly inv?: string;
  readonly text?: string;
  readonly parts?: readonly PartInput[];
  readonly call?: { readonly id: string; readonly name: string };
  readonly response?: { readonly id: string; readonly name: string; readonly value?: string };
  readonly longRunning?: readonly string[];
  readonly timestamp?: string;
  readonly branch?: string;
  readonly isolationScope?: string;
  readonly state?: Readonly<Record<string, unknown>>;
  readonly stateRemoved?: readonly string[];
  readonly rewind?: EventActionsInput['rewind'];
  readonly compaction?: { readonly covers: readonly SeqRange[]; readonly supersedes?: readonly number[] };
  readonly pin?: EventActionsInput['pin'];
  readonly unpin?: EventActionsInput['unpin'];
}

type Expected = string | { readonly masked?: number; readonly merged?: number; readonly hidden?: string };

interface GoldenCase {
  readonly name: string;
  readonly view: View;
  readonly log: readonly Abbreviated[];
  readonly placements: Readonly<Record<string, Expected>>;
  readonly order: readonly number[];
}

const stored: readonly unknown[] = golden.cases;
const cases = stored as readonly GoldenCase[];

function partsOf({ text, parts = [], call, response }: Abbreviated): PartInput[] {
  const { value, ...answered } = response ?? { name: '' };
  return [
    ...(text === undefined ? [] : [{ text }]),
    ...parts,
    ...(call === undefined ? [] : [{ functionCall: call }]),
    ...(response === undefined
      ? []
      : [{ functionResponse: { ...answered, ...(value === undefined ? {} : { response: value }) } }]),
  ];
}

function expand(event: Abbreviated): LoggedInput {
  const { seq, author, inv, longRunning, timestamp, branch, isolationScope } = event;
  const { state, stateRemoved, rewind, compaction, pin, unpin } = event;
  const parts = partsOf(event);
  const summary = compaction && {
    ...compaction,
    content: { role: 'model' as const, parts: [{ text: `summary ${seq}` }] },
  };
  return definedOnly({
    seq,
    author,
    invocationId: inv,
    content: parts.length === 0 ? undefined : { parts },
    longRunningToolIds: longRunning,
    timestamp,
    branch,
    isolationScope,
    actions: definedOnly({
      stateDelta: state,
      stateRemoved,
      rewind,
      compaction: summary && { ...summary, trigger: 'test', sourceHash: '' },
      pin,
      unpin,
    }),
  });
}

type Defined<Given> = { [Key in keyof Given]: Exclude<Given[Key], undefined> };

function definedOnly<Given extends object>(given: Given): Defined<Given> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<Given>;
}

function abbreviate(assembly: Assembly, seq: number): Expected {
  const placement = assembly.placement(seq);
  switch (placement.outcome) {
    case 'masked':
      return { masked: placement.by };
    case 'merged':
      return { merged: placement.into };
    case 'hidden':
      return { hidden: placement.why };
    default:
      return placement.outcome;
  }
}

describe('golden logs', () => {
  it('are all here', () => expect(cases.length).toBeGreaterThanOrEqual(23));

  for (const { name, view, log, placements, order } of cases) {
    it(name, () => {
      const assembly = assemble(buildLog(log.map(expand)), view);
      const found = Object.fromEntries(log.map(({ seq }) => [String(seq), abbreviate(assembly, seq)]));
      expect(found).toEqual(placements);
      const standing = assembly.sources.flat().filter((seq) => assembly.placement(seq).outcome !== 'merged');
      expect(standing).toEqual(order);
      const request = buildRequest({ instruction: [], tools: [], assembly, transient: [] }, view.provider);
      expect(validateRequest(request, view.provider)).toEqual([]);
    });
  }

  it('hold for every provider and with the list in any order', () => {
    for (const { view, log } of cases) {
      const events = buildLog(log.map(expand));
      for (const provider of ['gemini', 'anthropic', 'openai'] as const) {
        const assembly = assemble(events, { ...view, provider });
        const request = buildRequest({ instruction: [], tools: [], assembly, transient: [] }, provider);
        expect(validateRequest(request, provider)).toEqual([]);
        expect(assemble([...events].reverse(), { ...view, provider }).contents).toEqual(assembly.contents);
      }
    }
  });
});
