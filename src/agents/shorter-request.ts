import type { RequestTokens } from '../context/assembly/index.ts';
import type { View } from '../events/index.ts';
import type { MadeRequest } from './request-maker.ts';

/** A window keeps up to a quarter more than its limit. */
const blockShare = 0.8;

/** What is refused at this size is tried again at that share of it: how far the count was off is not known. */
const shareOfRefused = 0.75;
const shareOfMaximum = 0.9;

/** No model takes less: a shorter request was refused for something else, such as the bytes of an image. */
const leastGuess = 1000;

/** How many tokens to send after so many were refused by a provider that said, or did not, how many it takes. */
export function shorterThan(refused = Number.POSITIVE_INFINITY, maximum = Number.POSITIVE_INFINITY): number {
  const guess = Math.max(leastGuess, shareOfRefused * refused);
  return Math.floor(Math.min(guess, shareOfMaximum * maximum));
}

/** The view with a window of the log so small that its request, of so many tokens by now, stays below the limit. */
export function shortened(view: View, { n, unscaled, parts }: RequestTokens, limit: number): View {
  const scale = unscaled === 0 ? 1 : n / unscaled;
  const others = unscaled - (parts.conversation ?? 0);
  const tokens = Math.max(1, Math.floor(blockShare * (limit / scale - others)));
  const { history } = view;
  if (history === 'full') return { ...view, history: { window: { tokens } } };
  const window = history === 'invocation' ? { invocations: 1 } : history.window;
  return { ...view, history: { window: { ...window, tokens: Math.min(tokens, window.tokens ?? tokens) } } };
}

/** How many events of the log a window leaves out of a request. */
export function hiddenByWindow({ held, assembly }: Pick<MadeRequest, 'held' | 'assembly'>): number {
  const isOut = (seq: number) => {
    const placement = assembly.placement(seq);
    return placement.outcome === 'hidden' && placement.why === 'window';
  };
  return held.events.filter(({ seq }) => isOut(seq)).length;
}
