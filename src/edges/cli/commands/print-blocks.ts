import type { BlockExplanation, RequestExplanation, RequestTokens } from '../../../context/assembly/index.ts';
import { countText, tableLines } from '../display/index.ts';
import type { Paint, Terminal } from '../terminal.ts';
import { printHanging, printTitle } from './print-lines.ts';

/** Columns beside the bars. */
const besideBars = 48;
const bars = { widest: 24, narrowest: 6 };
/** More neighbours of one kind than these are told in one line. */
const rowsOfAKind = 3;

/** Prints the tokens of a request, a bar a block, and who counted them. */
export function printBlocks(
  terminal: Terminal,
  { tokens, blocks, stableTokens, transientTokens }: RequestExplanation,
): void {
  const { paint, width } = terminal;
  printTitle(terminal, 'Its tokens', sizeText(tokens));
  const marks = tokens.unscaled - blocks.reduce((sum, block) => sum + block.tokens, 0);
  const rows = [...blockRows(blocks), ...(marks > 0 ? [{ name: 'marks', tokens: marks, is: 'around messages' }] : [])];
  const columns = Math.min(bars.widest, width - besideBars);
  const hasBars = columns >= bars.narrowest;
  const [, ...lines] = tableLines({
    width: width - 2,
    paintTitle: String,
    columns: [
      { title: '' },
      ...(hasBars ? [{ title: ' '.repeat(columns) }] : []),
      { title: '', align: 'right' },
      { title: '', align: 'right' },
      { title: '', mayCut: true },
    ],
    rows: rows.map((row) => {
      const colour = colourOf(row, paint);
      const share = tokens.unscaled === 0 ? 0 : row.tokens / tokens.unscaled;
      const bar = '█'.repeat(row.tokens === 0 ? 0 : Math.max(1, Math.round(columns * share)));
      return [
        row.name,
        ...(hasBars ? [{ text: bar, paint: colour }] : []),
        row.tokens.toLocaleString('en'),
        `${Math.round(100 * share)} %`,
        { text: row.is, paint: colour },
      ];
    }),
  });
  for (const line of lines) terminal.print(`  ${line}`);
  const transient = `${transientTokens.toLocaleString('en')} for this request only`;
  printHanging(terminal, `${countText(stableTokens, 'stable token')}, ${transient}`, paint.dim);
}

/** How many tokens, how sure that is, and what has counted them. */
export function sizeText(tokens: RequestTokens): string {
  return `${aboutText(tokens)}${tokens.n.toLocaleString('en')}, ${countedBy(tokens)}`;
}

/** What stands before a number of tokens that is no count of its provider's tokenizer. */
export function aboutText({ label }: Pick<RequestTokens, 'label'>): string {
  return label === 'counted' ? '' : 'about ';
}

function countedBy({ by, label, n, unscaled }: RequestTokens): string {
  const scaled = n === unscaled ? '' : `, scaled from ${unscaled.toLocaleString('en')} by what the provider counted`;
  if (label === 'counted') return `counted by ${by}`;
  if (by === 'estimate') return `estimated${scaled}`;
  return `estimated with ${by === 'mixed' ? 'several counters' : by}${scaled}`;
}

interface BlockRow {
  readonly name: string;
  readonly tokens: number;
  readonly is: string;
}

function colourOf({ is }: BlockRow, paint: Paint): (text: string) => string {
  if (is === 'stable') return paint.green;
  return is === 'transient' ? paint.yellow : paint.dim;
}

/** A row a block; a long run of one kind is one row. */
function blockRows(blocks: readonly BlockExplanation[]): BlockRow[] {
  const runs: BlockExplanation[][] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    if (run?.[0]?.kind === block.kind && run[0].stable === block.stable && block.kind !== 'conversation')
      run.push(block);
    else runs.push([block]);
  }
  const conversation = blocks.find(({ kind }) => kind === 'conversation');
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined) return [];
    const is = first.stable ? 'stable' : 'transient';
    const name = first.kind === 'conversation' && first !== conversation ? 'since asked' : first.kind;
    if (run.length <= rowsOfAKind) return run.map(({ tokens }) => ({ name, tokens, is }));
    return [{ name: `${name} ×${run.length}`, tokens: run.reduce((sum, block) => sum + block.tokens, 0), is }];
  });
}
