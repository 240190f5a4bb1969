import { type Coverage, type Event, foldCoverage, isBookkeeping, type View } from '../../events/index.ts';
import type { Assembly, Placement } from './assembly.ts';
import { CallLedger } from './call-ledger.ts';
import { findKept } from './find-kept.ts';
import { findQuestion } from './find-question.ts';
import { hideInvisible } from './hide-invisible.ts';
import { hideRewound } from './hide-rewound.ts';
import { hideUnspoken } from './hide-unspoken.ts';
import { joinTranscripts } from './join-transcripts.ts';
import { layOutContents, withOpening } from './lay-out-contents.ts';
import { limitWindow } from './limit-window.ts';
import { maskCompacted } from './mask-compacted.ts';
import { narrateForeign } from './narrate-foreign.ts';
import { holdsSeq, orderBySeq } from './order-by-seq.ts';
import { pairResponses } from './pair-responses.ts';
import { PlacementTable, verbatim } from './placement-table.ts';
import { providerRules } from './provider-rules.ts';
import { recoverCalls } from './recover-calls.ts';
import type { StageFacts } from './stage-facts.ts';

/**
 * Builds the conversation that one agent is given from a session's events: all of them, or the uncovered ones with the
 * bookkeeping. Pure and total: the same events give the same contents, and no history makes it throw. Takes time in
 * the number of events; parts and whole contents are shared with them.
 */
export function assemble(events: Iterable<Event>, view: View): Assembly {
  const log = orderBySeq(events);
  const { length } = log;
  const coverage = foldCoverage(log.filter(isBookkeeping));
  const placements = new PlacementTable();

  const live = hideRewound(log, coverage, placements);
  const visible = hideInvisible(live, view, placements);
  const links = new CallLedger();
  for (const event of visible) links.add(event);
  const kept = findKept(coverage, links, findQuestion(visible));
  const facts: StageFacts = {
    view,
    rules: providerRules[view.provider],
    coverage,
    links,
    kept,
    placements,
    isSetAside: (seq) => placements.isSetAside(seq),
  };

  const unmasked = maskCompacted(visible, facts);
  const spoken = hideUnspoken(unmasked, facts);
  const inWindow = limitWindow(spoken, facts);
  const recovered = placements.hasSetAside ? recoverCalls(inWindow, facts) : inWindow;
  placements.recover(recovered);
  const turns = joinTranscripts(recovered, facts);
  const narrated = narrateForeign(turns, facts);
  const paired = pairResponses(narrated, facts);
  const laidOut = withOpening(layOutContents(paired, findQuestion(recovered), facts));

  return Object.freeze({
    ...laidOut,
    provider: view.provider,
    placement: (seq: number) => placements.told(seq) ?? placementOfOthers(seq, { log, length, coverage, placements }),
    counts: Object.freeze({
      events: length,
      live: live.length,
      visible: visible.length,
      unmasked: unmasked.length,
      spoken: spoken.length,
      inWindow: inWindow.length,
      recovered: recovered.length,
      turns: turns.length,
      narrated: narrated.length,
      paired: paired.length,
      contents: laidOut.contents.length,
    }),
  });
}

interface Known {
  readonly log: readonly Event[];
  /** How long the log was: whoever owns the list may have added to it since. */
  readonly length: number;
  readonly coverage: Coverage;
  readonly placements: PlacementTable;
}

/** The placement of an event about which no stage had anything to say, or that was not among the events. */
function placementOfOthers(seq: number, { log, length, coverage, placements }: Known): Placement {
  if (holdsSeq(log, length, seq)) return verbatim;
  if (!coverage.isLive(seq)) return rewound;
  const by = coverage.coveredBy(seq);
  return (by === undefined ? undefined : placements.behind(by)) ?? nothing;
}

const rewound: Placement = Object.freeze({ outcome: 'hidden', why: 'rewound' });
const nothing: Placement = Object.freeze({ outcome: 'hidden', why: 'empty' });
