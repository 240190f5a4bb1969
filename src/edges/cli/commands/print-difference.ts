import { contentText, countText, oneLine, rangesText } from '../display/index.ts';
import type { Terminal } from '../terminal.ts';
import { breakText } from './break-text.ts';
import type { RequestDifference, Sameness } from './compare-requests.ts';
import type { ShownRequest } from './find-request.ts';
import { placementText } from './placement-text.ts';
import { aboutText } from './print-blocks.ts';
import { printHanging, printTitle } from './print-lines.ts';
import { pieceLabel } from './print-request.ts';
import { standingTexts } from './print-standing.ts';
import type { RequestPiece } from './request-pieces.ts';
import { excerpt, textExcerpts } from './text-excerpt.ts';

/** How a difference is printed. */
export interface DifferencePrinting {
  /** Whole texts. */
  readonly full: boolean;
  /** At most this many contents and placements of each kind; 0: all. */
  readonly limit: number;
}

const indent = '      ';
const linesShown = 3;
const widestText = 100;
const hashShown = 8;

/** Prints what changed from one request to another. */
export function printDifference(
  terminal: Terminal,
  [first, second]: readonly [ShownRequest, ShownRequest],
  difference: RequestDifference,
  printing: DifferencePrinting,
): void {
  const { paint } = terminal;
  printTitle(terminal, `From ${nameOf(first)} to ${nameOf(second)}`);
  for (const shown of [first, second]) printHanging(terminal, `${nameOf(shown)}: ${describe(shown)}`);
  if (difference.isSame) {
    printHanging(terminal, 'Nothing changed: the model is given the same.', paint.green);
    if (difference.placements.length === 0) return;
  } else printFacts(terminal, [first, second], difference);
  if (difference.instruction.is === 'changed') printInstruction(terminal, difference, printing);
  printParting(terminal, [first, second], difference, printing);
  printPieces(terminal, `Only in ${nameOf(second)}`, difference.added, printing);
  printPieces(terminal, `Only in ${nameOf(first)}`, difference.removed, printing);
  printPlacements(terminal, difference, printing);
}

function nameOf(shown: ShownRequest): string {
  return `#${shown.kind === 'sent' ? shown.request.answer.seq : shown.throughSeq}`;
}

function describe(shown: ShownRequest): string {
  const { agentName, provider, request } = shown;
  const { tokens } = request.explanation;
  const scaled = tokens.n === tokens.unscaled ? '' : ` (${tokens.unscaled.toLocaleString('en')} before scaling)`;
  const size = `${countText(request.contents.length, 'content')}, ${aboutText(tokens)}${countText(tokens.n, 'token')}${scaled}`;
  const whose = `${provider}, agent ${agentName}`;
  if (shown.kind !== 'sent') return `never sent; the log with this event as the newest. ${whose}; ${size}`;
  const { standing } = shown.request;
  const about = standing === 'verified' ? standing : `${standing} (${standingTexts[standing]})`;
  return `answers a request, ${about}. ${whose}, model ${shown.journal.model}; ${size}`;
}

function printFacts(
  terminal: Terminal,
  pair: readonly [ShownRequest, ShownRequest],
  difference: RequestDifference,
): void {
  const { prefix, instruction, tools } = difference;
  const [first, second] = pair.map(nameOf);
  const contents = countText(prefix.ofContents, 'content');
  const { n, unscaled, label } = pair[0].request.explanation.tokens;
  const about = aboutText({ label });
  const tokens = `${countText(prefix.ofTokens, 'token')}${n === unscaled ? '' : ' before scaling'}`;
  const share = prefix.isWhole
    ? `all of ${first} begins ${second}: ${contents}, ${about}${tokens}`
    : `of ${first}, ${prefix.contents} of ${contents} and ${about}${prefix.tokens.toLocaleString('en')} of ${tokens} begin ${second}`;
  const rows: [string, string][] = [
    ['stable part', share],
    ['instruction', samenessTexts[instruction.is]],
    ['tools', toolsText(tools)],
    ...blockFacts(difference),
    ['breaks', breaksText(difference)],
  ];
  for (const [name, fact] of rows) printHanging(terminal, `${name}: ${fact}`);
}

const samenessTexts: { readonly [is in Sameness]: string } = {
  same: 'the same',
  changed: 'changed',
  unknown: 'not compared, for one of the two was never sent',
};

function toolsText({ is, added, removed, changed }: RequestDifference['tools']): string {
  if (is !== 'changed') return samenessTexts[is];
  const lists = [
    ['added', added],
    ['gone', removed],
    ['changed', changed],
  ] as const;
  const told = lists.filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${names.join(', ')}`);
  return told.length === 0 ? samenessTexts.changed : told.join('; ');
}

/** Instruction and tools have lines of their own. */
function blockFacts({ blocks }: RequestDifference): [string, string][] {
  const others = blocks.filter(({ kind }) => kind !== 'instruction' && kind !== 'tools');
  return [...new Set(others.map(({ kind }) => kind))].map((kind) => {
    const own = others.filter((block) => block.kind === kind);
    const told = (['both', 'first', 'second'] as const).flatMap((where) => {
      const hashes = own.filter((block) => block.in === where).map(({ hash }) => hash.slice(0, hashShown));
      return hashes.length === 0 ? [] : [`${whereTexts[where]} ${hashes.join(', ')}`];
    });
    return [kind, told.join('; ')];
  });
}

const whereTexts = { both: 'the same', first: 'gone', second: 'new' } as const;

function breaksText({ breaks }: RequestDifference): string {
  if (breaks.length === 0) return 'none declared between them';
  return breaks.map(({ seq, reasons }) => `at #${seq} ${reasons.map(breakText).join(', ')}`).join('; ');
}

function printInstruction(terminal: Terminal, { instruction }: RequestDifference, printing: DifferencePrinting): void {
  terminal.print('');
  printTitle(terminal, 'Instruction');
  printTexts(terminal, [instruction.removed.join('\n'), instruction.added.join('\n')], printing);
}

function printParting(
  terminal: Terminal,
  pair: readonly [ShownRequest, ShownRequest],
  { parting }: RequestDifference,
  printing: DifferencePrinting,
): void {
  if (parting === undefined) return;
  const { paint } = terminal;
  const [first, second] = pair.map(nameOf);
  terminal.print('');
  printTitle(terminal, 'The first content that differs', `content ${parting.first.content + 1} of ${first}`);
  if (parting.second === undefined) printHanging(terminal, `${second} ends before it`);
  else if (parting.second.role !== parting.first.role)
    printHanging(terminal, `${parting.first.role} in ${first}, ${parting.second.role} in ${second}`);
  else terminal.print(`  ${pieceLabel(parting.first, paint)}`);
  const texts = [contentText(parting.first), contentText(parting.second)] as const;
  // What differs may be no words: a signature, or the id of a call.
  const pieces = [JSON.stringify(parting.first.parts), JSON.stringify(parting.second?.parts ?? [])] as const;
  printTexts(terminal, texts[0] === texts[1] ? pieces : texts, printing);
}

/** One under the other, from shortly before the place where they part. */
function printTexts(
  { print, paint, width }: Terminal,
  texts: readonly [string, string],
  { full }: DifferencePrinting,
): void {
  const size = { width: Math.min(width - indent.length, full ? widestText : width), lines: full ? 0 : linesShown };
  const [before, after] = textExcerpts(...texts, size);
  for (const [index, line] of before.entries())
    if (line !== '') print(paint.red(`    ${index === 0 ? '−' : ' '} ${line}`));
  for (const [index, line] of after.entries())
    if (line !== '') print(paint.green(`    ${index === 0 ? '+' : ' '} ${line}`));
}

function printPieces(
  terminal: Terminal,
  title: string,
  pieces: readonly RequestPiece[],
  { full, limit }: DifferencePrinting,
): void {
  const { print, paint, width } = terminal;
  if (pieces.length === 0) return;
  const shown = limit === 0 ? pieces : pieces.slice(0, limit);
  print('');
  printTitle(terminal, title, countText(pieces.length, 'content'));
  for (const piece of shown) {
    print(`  ${pieceLabel(piece, paint, true)}`);
    const size = { width: Math.min(width - indent.length, full ? widestText : width), lines: full ? 0 : 1 };
    for (const line of excerpt(oneLine(contentText(piece)), 0, size)) print(`${indent}${line}`);
  }
  if (shown.length < pieces.length) print(paint.dim(`  … ${countText(pieces.length - shown.length, 'more content')}`));
}

function printPlacements(terminal: Terminal, { placements }: RequestDifference, { limit }: DifferencePrinting): void {
  if (placements.length === 0) return;
  const { print, paint } = terminal;
  const shown = limit === 0 ? placements : placements.slice(0, limit);
  print('');
  printTitle(terminal, 'Events placed otherwise');
  for (const { seqs, first, second } of shown)
    printHanging(terminal, `#${rangesText(seqs)}  ${placementText(first)} → ${placementText(second)}`);
  if (shown.length < placements.length)
    print(paint.dim(`  … ${countText(placements.length - shown.length, 'more change')}`));
}
