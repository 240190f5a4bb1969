import assert from 'node:assert/strict';
import { type Assembly, assemble, type HiddenWhy } from '../../../src/context/assembly/index.ts';
import { type Event, isBookkeeping, type Part, type View } from '../../../src/events/index.ts';
import type { ContextProperty } from '../context-case.ts';
import { type Mark, type MarkKind, marksOf, type Standing, standingIn } from '../marks.ts';
import { isAboutTheLog, speakerIn } from '../speech.ts';
import { type StandingOracle, standingOracleOf } from '../standing-oracle.ts';

/**
 * Every event that a view sees is verbatim, narrated or covered by exactly one visible summary, or its placement says why
 * not; and what the placement says is true of the contents, in which nothing stands twice.
 */
export const placementsAreTrue: ContextProperty = ({ story: { events }, view }) => {
  const assembly = assemble(events, view);
  const standing = standingIn(assembly.contents);
  for (const [mark, places] of standing) assert.equal(places.length, 1, `${mark} stands ${places.length} times`);
  const facts: Facts = { view, assembly, events, standing, oracle: standingOracleOf(events, view) };
  for (const event of events) {
    try {
      checkWhere(event, facts);
      checkWhy(event, facts);
    } catch (error) {
      assert.fail(`event ${event.seq}, ${JSON.stringify(assembly.placement(event.seq))}: ${error}`);
    }
  }
};

interface Facts {
  readonly view: View;
  readonly assembly: Assembly;
  readonly events: readonly Event[];
  readonly standing: ReadonlyMap<string, readonly Standing[]>;
  readonly oracle: StandingOracle;
}

/** What of an event has to stand if the event does; other things may be left out of it. */
const alwaysShown: readonly MarkKind[] = ['text', 'media', 'code'];

/** Whether the contents hold of an event what its placement says. */
function checkWhere(event: Event, facts: Facts): void {
  const { assembly, standing } = facts;
  const { outcome } = assembly.placement(event.seq);
  const stands = ({ mark }: Mark) => standing.has(mark);
  const marks = marksOf(event);
  const isSource = assembly.sources.some((seqs) => seqs.includes(event.seq));
  if (outcome === 'hidden' || outcome === 'masked') {
    assert.deepEqual(marks.filter(stands), [], 'something of it stands');
    assert.ok(!isSource, 'it is a source');
    return;
  }
  const silent = marks.filter((mark) => isNeverShown(mark, event, facts));
  assert.deepEqual(silent.filter(stands), [], 'what no model is to see stands');
  const missing = marks.filter((mark) => alwaysShown.includes(mark.kind) && !stands(mark));
  assert.deepEqual(missing, [], 'what it says is missing');
  const isReplaced = outcome === 'merged' && !isSource;
  assert.ok(isReplaced || isSource, 'it is no source');
  assert.ok(isReplaced || outcome === 'trimmed' || marks.length === 0 || marks.some(stands), 'nothing of it stands');
  checkHow(event, { marks, isReplaced }, facts);
}

function isNeverShown({ kind }: Mark, { author }: Event, { view }: Facts): boolean {
  return kind === 'silent' || (kind === 'thought' && author !== view.agentName);
}

/** Whether what stands of an event stands as its placement says. */
function checkHow(
  event: Event,
  { marks, isReplaced }: { readonly marks: readonly Mark[]; readonly isReplaced: boolean },
  facts: Facts,
): void {
  const placement = facts.assembly.placement(event.seq);
  switch (placement.outcome) {
    case 'merged':
      if (isReplaced) checkReplaced(event, placement.into, facts);
      else checkJoined(event, placement.into, facts);
      break;
    case 'narrated':
      for (const mark of marks) checkTold(mark, facts);
      break;
    case 'verbatim':
      checkVerbatim(marks, event, facts);
      break;
    case 'trimmed':
      checkTrimmed(event, facts);
  }
}

function checkTrimmed({ seq }: Event, { assembly }: Facts): void {
  assert.match(JSON.stringify(assembly.contents), new RegExp(`\\[cut: \\d+ characters; expand_history ${seq}\\]`));
}

/** Of a piece of a transcript, or a response that a newer one replaced. */
function checkReplaced(event: Event, into: number, { events, standing, assembly }: Facts): void {
  const newer = events.find(({ seq }) => seq === into);
  assert.ok(newer !== undefined && newer.seq > event.seq, 'what replaced it is not newer');
  const idsOf = ({ content }: Event) => content?.parts.flatMap(({ functionResponse }) => functionResponse ?? []) ?? [];
  const names = new Set(idsOf(newer).map(({ id, name }) => id ?? name));
  assert.ok(
    idsOf(event).some(({ id, name }) => names.has(id ?? name)),
    'what replaced it answers something else',
  );
  const isShown = marksOf(newer).some(({ mark }) => standing.has(mark));
  assert.ok(isShown || assembly.placement(into).outcome === 'trimmed', 'what replaced it does not stand');
}

function checkJoined(event: Event, into: number, { assembly }: Facts): void {
  const standsTogether = assembly.sources.some((seqs) => seqs.includes(into) && seqs.includes(event.seq));
  assert.ok(standsTogether, `it does not stand with ${into}`);
}

function checkTold({ mark, kind }: Mark, { standing }: Facts): void {
  const [found] = standing.get(mark) ?? [];
  if (found === undefined) return;
  assert.equal(found.role, 'user', 'it is not told on the side of the user');
  if (kind !== 'media') assert.ok(found.part.text?.startsWith('['), `it is told as ${JSON.stringify(found.part)}`);
}

/** At least something stands as it was said; what another agent says beside a result of the own one is told. */
function checkVerbatim(marks: readonly Mark[], event: Event, { standing, view, oracle }: Facts): void {
  if (event.content === undefined) return;
  const isTold = ({ part, kind }: Mark) =>
    kind !== 'media' && speakerIn(oracle.calls.responseOf(part)?.call?.event ?? event, view) === 'other';
  const shown = marks.filter(({ mark }) => standing.has(mark));
  assert.ok(shown.length === 0 || !shown.every(isTold), 'all of it is told');
  for (const { mark, kind, part } of shown.filter((mark) => !isTold(mark))) {
    const [found] = standing.get(mark) ?? [];
    assert.deepEqual(found && payloadOf(found.part), payloadOf(part), 'it is not as it was said');
    const isOwn: boolean = event.author === view.agentName && (event.content.role === 'model' || kind === 'call');
    if (kind !== 'media') assert.equal(found?.role, isOwn && kind !== 'response' ? 'model' : 'user');
  }
}

/** A part without ids and names of tools, which providers restrict. */
function payloadOf({ functionCall, functionResponse, ...part }: Part): unknown {
  if (functionCall !== undefined) return { ...part, args: functionCall.args };
  return functionResponse === undefined ? part : { ...part, response: functionResponse.response };
}

/** Whether there is a reason for the placement of an event in the log and the view. */
function checkWhy(event: Event, facts: Facts): void {
  const { assembly, oracle } = facts;
  const placement = assembly.placement(event.seq);
  const why = oracle.log.whyHidden(event);
  const told = placement.outcome === 'hidden' ? placement.why : undefined;
  if (why !== undefined || told === 'rewound' || told === 'branch' || told === 'scope') {
    const isOtherReason = told === 'bookkeeping' && isAboutTheLog(event);
    assert.ok(told === why || isOtherReason, `the log hides it for: ${why}`);
  } else if (placement.outcome === 'masked') checkMasked(event, placement, facts);
  else if (placement.outcome === 'summary') assert.ok(event.actions.compaction, 'it is no summary');
  else if (told !== undefined) assert.ok(isTrue(told, event, facts), 'the reason is not true');
  else {
    assert.ok(!isBookkeeping(event), 'bookkeeping stands');
    assert.ok(oracle.has(event.seq), 'a summary or the history takes it away');
  }
}

function checkMasked({ seq, actions }: Event, { by }: { readonly by: number }, { assembly, oracle }: Facts): void {
  assert.deepEqual(assembly.placement(by), { outcome: 'summary' });
  assert.ok(seq < by, 'what masks it is older');
  // A summary is masked by the newer one that took its place.
  if (actions.compaction !== undefined) return;
  const named = oracle.log.summariesOf(seq).map((summary) => summary.seq);
  assert.deepEqual(named, [by]);
  assert.equal(oracle.maskedBy(seq), by, 'it is kept, or comes back for a result');
}

function isTrue(why: HiddenWhy, event: Event, { oracle }: Facts): boolean {
  const kinds = new Set(marksOf(event).map(({ kind }) => kind));
  const says = alwaysShown.some((kind) => kinds.has(kind));
  const parts = event.content?.parts ?? [];
  switch (why) {
    case 'bookkeeping':
      return isAboutTheLog(event);
    case 'window':
      return oracle.isCutOff(event.seq);
    case 'empty':
      return !says && !kinds.has('call') && !kinds.has('response');
    case 'auth':
      return !says && kinds.has('silent');
    case 'orphanCall':
      return !says && kinds.has('call') && !parts.some((part) => isAnswered(part, oracle));
    case 'orphanResponse':
      return !says && kinds.has('response') && !parts.some((part) => oracle.calls.responseOf(part)?.call);
    default:
      return false;
  }
}

/** True for a call that stands: it has a result, or takes so long that it stands without one. */
function isAnswered(part: Part, { calls, answerTo }: StandingOracle): boolean {
  const call = calls.callOf(part);
  return call !== undefined && (call.isLong || answerTo(call) !== undefined);
}
