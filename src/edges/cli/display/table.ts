import { fitWidth, padWidth, textWidth } from './text-width.ts';

/** One column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Columns that may be cut are, from the widest, until the table fits. */
  readonly mayCut?: boolean;
}

/** One cell: its text, and how it is coloured once it has its width. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const gap = '  ';
const narrowestCut = 8;

/** The lines of a table that fits into so many terminal columns; texts must be on one line. */
export function tableLines(options: {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly (string | Cell)[])[];
  readonly width: number;
  readonly paintTitle: (text: string) => string;
}): string[] {
  const { columns, rows, width, paintTitle } = options;
  const widths = fitColumns(columns, rows, width);
  const line = (cells: readonly (string | Cell)[]) =>
    columns
      .map((column, index) => {
        const cell = cells[index] ?? '';
        const { text, paint } = typeof cell === 'string' ? { text: cell, paint: undefined } : cell;
        const isLast = index === columns.length - 1;
        const fitted = fitWidth(text, widths[index] ?? 0);
        const padded =
          isLast && column.align !== 'right'
            ? fitted
            : padWidth(fitted, widths[index] ?? 0, column.align === 'right' ? 'left' : 'right');
        return paint === undefined ? padded : paint(padded);
      })
      .join(gap)
      .trimEnd();
  return [paintTitle(line(columns.map((column) => column.title))), ...rows.map(line)];
}

function fitColumns(
  columns: readonly Column[],
  rows: readonly (readonly (string | Cell)[])[],
  width: number,
): number[] {
  const widths = columns.map((column, index) =>
    rows.reduce((widest, row) => {
      const cell = row[index] ?? '';
      return Math.max(widest, textWidth(typeof cell === 'string' ? cell : cell.text));
    }, textWidth(column.title)),
  );
  let excess = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1)) - width;
  while (excess > 0) {
    const widest = widestCuttable(columns, widths);
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function widestCuttable(columns: readonly Column[], widths: readonly number[]): number | undefined {
  let widest: number | undefined;
  for (const [index, column] of columns.entries()) {
    const own = widths[index] ?? 0;
    if (column.mayCut && own > narrowestCut && own > (widest === undefined ? 0 : (widths[widest] ?? 0))) widest = index;
  }
  return widest;
}
