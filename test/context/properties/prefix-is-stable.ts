import assert from 'node:assert/strict';
import { assemble } from '../../../src/context/assembly/index.ts';
import {
  type Block,
  type Event,
  isBookkeeping,
  type ModelRequest,
  type Part,
  text,
  type View,
} from '../../../src/events/index.ts';
import { type ContextProperty, requestFor, type Surroundings } from '../context-case.ts';
import { itemsOf } from '../expected-items.ts';
import { oracleOf } from '../log-oracle.ts';
import { speakerIn } from '../speech.ts';
import { type StandingOracle, standingOracleOf } from '../standing-oracle.ts';

/**
 * A request begins with the stable blocks of the one before it, part by part and byte by byte, if nothing lies between
 * them that declares a break.
 */
export const prefixIsStable: ContextProperty = ({ story: { events }, view: anyView, surroundings, pick }) => {
  const view: View = { ...anyView, history: 'full' };
  const length = lengthToAsk(events, view, pick);
  const before = standingOracleOf(events.slice(0, length), view);
  const later = atAnotherTime(surroundings);
  const first = stableLines(requestFor(events.slice(0, length), view, surroundings));
  for (let end = length; end <= events.length; end++) {
    const added = events[end - 1];
    if (end > length && added !== undefined && breaks(added, events, { before, length, view })) return;
    const second = stableLines(requestFor(events.slice(0, end), view, later));
    assert.deepEqual(second.slice(0, first.length), first, `${length} events, then ${end}`);
  }
};

/** The same, but for what is there for one invocation only. */
function atAnotherTime({ instruction, examples = [], documents = [], transient, tools }: Surroundings): Surroundings {
  const renewed = (block: Block): Block => (block.stable ? block : { ...block, content: text(`later ${block.kind}`) });
  return {
    instruction: instruction.map(renewed),
    examples: examples.map(renewed),
    documents: documents.map(renewed),
    transient: [{ kind: 'memory', stable: false, content: text('想起来的') }, ...transient.slice(1)],
    tools: [...tools].reverse(),
  };
}

/** The longest start of the log, up to some place, after which a model may be asked. */
function lengthToAsk(events: readonly Event[], view: View, pick: number): number {
  for (let length = pick % (events.length + 1); length > 0; length--)
    if (mayBeAsked(events.slice(0, length), view)) return length;
  return 0;
}

/** Speech that goes on is one text, and a summary does not stand for the question that is being answered. */
function mayBeAsked(events: readonly Event[], view: View): boolean {
  const assembly = assemble(events, view);
  const isShown = ({ seq }: Event) => !['hidden', 'masked'].includes(assembly.placement(seq).outcome);
  const last = events.findLast((event) => !isBookkeeping(event) && isShown(event));
  const said = last?.content === undefined ? (last?.inputTranscription ?? last?.outputTranscription) : undefined;
  if (said !== undefined && said.finished !== true) return false;
  const oracle = oracleOf(events, view);
  return oracle.liveQuestion === undefined || oracle.summariesOf(oracle.liveQuestion).length === 0;
}

interface Asked {
  readonly view: View;
  /** How many events there were, and what stood of them. */
  readonly length: number;
  readonly before: StandingOracle;
}

/** True for what a journal declares as a break: a rewind, a summary, marks, a late response, a branch that joins. */
function breaks({ seq, actions, content }: Event, events: readonly Event[], asked: Asked): boolean {
  if (actions.compaction ?? actions.rewind ?? actions.pin ?? actions.unpin ?? actions.trim) return true;
  if (actions.endOfAgent === true && asked.view.branch !== undefined) return true;
  const responses = content?.parts.filter(({ functionResponse }) => functionResponse !== undefined) ?? [];
  if (responses.length === 0) return false;
  const { calls } = standingOracleOf(events.slice(0, seq), asked.view);
  return responses.some((response) => isLate(calls.responseOf(response)?.call?.event, asked));
}

/** True if a request had shown, or had gone on behind, what becomes of an event's calls when they are answered. */
function isLate(caller: Event | undefined, { before, length, view }: Asked): boolean {
  if (caller === undefined || caller.seq > length || speakerIn(caller, view) !== 'self') return false;
  if (before.standing.at(-1) !== caller) return true;
  const isCall = ({ functionCall }: Part) => functionCall !== undefined;
  const parts = caller.content?.parts ?? [];
  const goesOnBehind = parts.slice(parts.findIndex(isCall)).some((part) => !isCall(part));
  return goesOnBehind || itemsOf(caller, before, view).some(({ kind }) => kind === 'call');
}

/** Instruction, tools and each part with its role, in order, without what is there for one invocation only. */
function stableLines({ instruction, tools, contents, transient, transientParts }: ModelRequest): readonly string[] {
  const parts = contents.flatMap(({ role, parts }, content) =>
    parts.flatMap((part, index) => {
      const isWithin = transientParts?.content === content && index >= transientParts.from && index < transientParts.to;
      return isWithin || transient.includes(content) ? [] : JSON.stringify({ role, part });
    }),
  );
  return [JSON.stringify(instruction), JSON.stringify(tools), ...parts];
}
