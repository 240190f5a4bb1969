import type { Terminal } from '../terminal.ts';
import type { ShownRequest } from './find-request.ts';
import { printBlocks } from './print-blocks.ts';
import { printHanging, printTitle } from './print-lines.ts';
import { isBare } from './print-request.ts';
import { printEarlier, printStanding } from './print-standing.ts';
import { stageSteps } from './stage-steps.ts';

/** Prints how a request stands, how it came about, and what it is made of. */
export function printOverview(terminal: Terminal, shown: ShownRequest): void {
  const { print, paint } = terminal;
  if (shown.kind === 'sent') printStanding(terminal, shown);
  if (shown.kind === 'earlier') printEarlier(terminal, shown);
  printTitle(terminal, 'From the log to the request');
  for (const [index, { left, why }] of stageSteps(shown.request, shown.throughSeq).entries()) {
    const step = index === 0 ? left : `→ ${left}`;
    printHanging(terminal, why === '' ? step : `${step}: ${why}`);
  }
  if (!isBare(shown.request)) {
    print('');
    printBlocks(terminal, shown.request.explanation);
  }
  if (shown.kind !== 'sent')
    printHanging(terminal, 'without instruction and tools: these the agent brings, the log has none', paint.dim);
  print('');
}
