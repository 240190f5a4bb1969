import { type Event, foldCoverage, isBookkeeping, normalizeRanges, rangeAt, type View } from '../../events/index.ts';
import { type Assembly, assemble } from '../assembly/index.ts';
import { tellEvent } from './tell-event.ts';

/** For tests: seqs of events that a fold of others has cost their place in the request, or their call. */
export function lostSeqs(
  before: readonly Event[],
  after: readonly Event[],
  { view, folded }: { readonly view: View; readonly folded: readonly number[] },
): readonly number[] {
  const [was, is] = [assemble(before, view), assemble(after, view)];
  const inForce = foldCoverage(before.filter(isBookkeeping)).summaries;
  // A covered call that came back for a response goes with it.
  const covered = normalizeRanges(inForce.flatMap(({ compaction }) => compaction.covers));
  const isLost = (event: Event): boolean => {
    const { seq } = event;
    if (!isOrphan(was, seq) && isOrphan(is, seq)) return true;
    // A blank piece of speech is told only together with its neighbours.
    const isToStay = tellEvent(event).length > 0 && !folded.includes(seq) && rangeAt(covered, seq) === -1;
    return isToStay && isShown(was, seq) && !isShown(is, seq);
  };
  return before.filter(isLost).map(({ seq }) => seq);
}

function isOrphan({ placement }: Assembly, seq: number): boolean {
  const told = placement(seq);
  return told.outcome === 'hidden' && told.why.startsWith('orphan');
}

function isShown({ placement }: Assembly, seq: number): boolean {
  return ['verbatim', 'narrated', 'merged', 'trimmed'].includes(placement(seq).outcome);
}
