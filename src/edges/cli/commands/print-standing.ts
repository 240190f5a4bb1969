import type { RequestTokens } from '../../../context/assembly/index.ts';
import type { PastRequest } from '../../../engine/index.ts';
import { countText, oneLine } from '../display/index.ts';
import type { Paint, Terminal } from '../terminal.ts';
import { breakText } from './break-text.ts';
import type { NextRequest, SentRequest } from './find-request.ts';
import { sizeText } from './print-blocks.ts';
import { printHanging, printTitle } from './print-lines.ts';

const hashShown = 16;

/** How it stands with a request that was rebuilt, in a few words. */
export const standingTexts: { readonly [standing in PastRequest['standing']]: string } = {
  verified: 'equals the request that was sent',
  erased: 'texts or events of it are gone; the texts stand as [erased]',
  notReproducible: 'other rules made it than this version has, so what was sent may have looked otherwise',
  differs: 'it is not the request that was sent, and nothing tells why',
};

const colours = {
  verified: 'green',
  erased: 'yellow',
  notReproducible: 'yellow',
  differs: 'red',
} as const satisfies Readonly<Record<PastRequest['standing'], keyof Paint>>;

/** Prints of a request that was sent whether this is it, who was given it, what the provider counted, and its breaks. */
export function printStanding(terminal: Terminal, { request, journal, throughSeq }: SentRequest): void {
  const { paint } = terminal;
  const { answer, standing, explanation } = request;
  const hash = `hash ${oneLine(journal.requestHash).slice(0, hashShown)}…`;
  printTitle(terminal, `The request that #${answer.seq} answers, rebuilt`);
  printHanging(terminal, `${standing}: ${standingTexts[standing]} (${hash})`, paint[colours[standing]]);
  printHanging(terminal, `model ${oneLine(journal.model)}, which saw the log through #${throughSeq}`);
  const usage = usageText(request, explanation.tokens);
  if (usage !== undefined) printHanging(terminal, usage);
  const breaks = journal.breaks.map(breakText).join(', ');
  printHanging(
    terminal,
    breaks === ''
      ? 'no break declared: it begins as the request before it, if there is one'
      : `begins otherwise than the request before it: ${breaks}`,
  );
  terminal.print('');
}

function usageText({ answer: { usage } }: PastRequest, tokens: RequestTokens): string | undefined {
  if (usage?.inputTokens === undefined) return undefined;
  const cached = [
    usage.cacheReadTokens ? `${usage.cacheReadTokens.toLocaleString('en')} read from its cache` : '',
    usage.cacheWriteTokens ? `${usage.cacheWriteTokens.toLocaleString('en')} written to it` : '',
  ].filter((text) => text !== '');
  const about = cached.length === 0 ? '' : ` (${cached.join(', ')})`;
  const written =
    usage.outputTokens === undefined ? '' : `, and ${usage.outputTokens.toLocaleString('en')} of the answer`;
  return `the provider counted ${countText(usage.inputTokens, 'token')} of it${about}${written}; we count ${sizeText(tokens)}`;
}

/** Prints of a request that was never sent that it was not, and what it is. */
export function printEarlier(terminal: Terminal, { throughSeq, isReplaced }: NextRequest): void {
  printTitle(terminal, `What a request behind #${throughSeq} would have been`);
  const why = isReplaced
    ? `A callback replaced the request that #${throughSeq} answers, and nothing of it is kept`
    : `#${throughSeq} answers no request that was kept`;
  printHanging(
    terminal,
    `${why}. So this was never sent: it is the log as it stood with #${throughSeq} as its newest event.`,
  );
  terminal.print('');
}
