import assert from 'node:assert/strict';
import { assemble } from '../../../src/context/assembly/index.ts';
import {
  type Block,
  type Event,
  isBookkeeping,
  type ModelRequest,
  text,
  type View,
} from '../../../src/events/index.ts';
import { type ContextProperty, requestFor, type Surroundings } from '../context-case.ts';
import { oracleOf } from '../log-oracle.ts';

/**
 * A request begins with the stable blocks of the one before it, part by part and byte by byte, if nothing lies between
 * them that declares a break.
 */
export const prefixIsStable: ContextProperty = ({ story: { events }, view: anyView, surroundings, pick }) => {
  const view: View = { ...anyView, history: 'full' };
  const length = lengthToAsk(events, view, pick);
  const before = events.slice(0, length);
  const later = atAnotherTime(surroundings);
  const first = stableLines(requestFor(before, view, surroundings));
  for (let end = length; end <= events.length; end++) {
    const added = events[end - 1];
    if (end > length && added !== undefined && breaks(added, before, view)) return;
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

/** True for what a journal declares as a break: a rewind, a summary, marks, a late response, a branch that joins. */
function breaks({ actions, content }: Event, before: readonly Event[], view: View): boolean {
  if (actions.compaction ?? actions.rewind ?? actions.pin ?? actions.unpin ?? actions.trim) return true;
  if (actions.endOfAgent === true && view.branch !== undefined) return true;
  const called = before.flatMap(
    (event) => event.content?.parts.flatMap(({ functionCall }) => functionCall ?? []) ?? [],
  );
  const answers = content?.parts.flatMap(({ functionResponse }) => functionResponse ?? []) ?? [];
  return answers.some(({ id, name }) =>
    called.some((call) => (id === undefined ? call.name === name : call.id === id)),
  );
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
