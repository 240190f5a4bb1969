import { countedText, type Event, estimateTokens, type View } from '../../src/events/index.ts';
import type { CallOracle } from './call-oracle.ts';

/** Which of the spoken events, in order of place, a view's history takes in. */
export function insideOf(
  spoken: readonly Event[],
  history: View['history'],
  calls: CallOracle,
): (event: Event) => boolean {
  const indexOf = (event: Event) => spoken.indexOf(event);
  if (history === 'full') return () => true;
  const said = spoken.filter(({ actions }) => actions.compaction === undefined);
  if (history === 'invocation') {
    const newest = said.at(-1)?.invocationId;
    const start = spoken.findIndex((event) => said.includes(event) && event.invocationId === newest);
    return (event) => (said.includes(event) ? event.invocationId === newest : indexOf(event) >= start);
  }
  const { invocations, tokens } = history.window;
  const start = Math.max(
    invocations === undefined ? 0 : startOfInvocations(spoken, said, invocations),
    tokens === undefined ? 0 : startOfTokens(spoken, tokens, calls),
  );
  return (event) => indexOf(event) >= start;
}

function startOfInvocations(spoken: readonly Event[], said: readonly Event[], limit: number): number {
  const invocations = [...new Set(said.map(({ invocationId }) => invocationId))];
  const dropped = droppedOf(invocations.length, limit);
  if (dropped === 0) return 0;
  const first = said.find(({ invocationId }) => invocationId === invocations[dropped]);
  return first === undefined ? spoken.length : spoken.indexOf(first);
}

/** The first place, within a block, that parts no call from its result; else where the block begins. The newest event stays. */
function startOfTokens(spoken: readonly Event[], limit: number, calls: CallOracle): number {
  const before = spoken.map((_, index) => sum(spoken.slice(0, index)));
  const dropped = droppedOf(sum(spoken), limit);
  if (dropped === 0) return 0;
  const target = before.findIndex((tokens, index) => tokens >= dropped || index === spoken.length - 1);
  const isWithin = (index: number) => index === target || (before[index] ?? 0) < dropped + blockOf(limit);
  const partsPair = (index: number) =>
    spoken
      .slice(index)
      .flatMap(({ content }) => content?.parts ?? [])
      .some((part) => {
        const call = calls.responseOf(part)?.call?.event;
        return call !== undefined && spoken.slice(0, index).includes(call);
      });
  const safe = spoken.findIndex((_, index) => index >= target && isWithin(index) && !partsPair(index));
  return safe === -1 ? target : safe;
}

/** A window moves by a quarter of its size at a time. */
function blockOf(limit: number): number {
  return Math.max(1, Math.floor(limit / 4));
}

function droppedOf(total: number, limit: number): number {
  return Math.max(0, Math.floor((total - limit) / blockOf(limit)) * blockOf(limit));
}

/** Each image is taken for as much as a tile of Gemini's. */
const tokensOfMedium = 258;

function sum(events: readonly Event[]): number {
  return events.reduce((total, { actions: { compaction }, content, tokens }) => {
    const { parts } = compaction?.content ?? content ?? { parts: [] };
    const isMedium = ({ inlineData, fileData }: (typeof parts)[number]) => (inlineData ?? fileData) !== undefined;
    const counted = parts.reduce((count, part) => count + estimateTokens.count(countedText(part)), 0);
    const words = compaction === undefined ? (tokens?.n ?? 0) : counted;
    return total + words + parts.filter(isMedium).length * tokensOfMedium;
  }, 0);
}
