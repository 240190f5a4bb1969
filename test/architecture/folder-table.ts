import { type FolderRule, importTable } from './import-table.ts';

/** The lines between which ARCHITECTURE.md holds the table. */
export const tableMarks = {
  start: '<!-- folders: written by `npm run folder-table` from test/architecture/import-table.ts -->',
  end: '<!-- /folders -->',
} as const;

/** The import table as Markdown, for ARCHITECTURE.md. */
export function folderTable(): string {
  const rows = importTable.map((row) => `| \`${row.folder}\` | ${purposeOf(row)} | ${reachOf(row)} |`);
  return ['| folder of `src/` | what it is for | may import |', '|---|---|---|', ...rows].join('\n');
}

/** The text of ARCHITECTURE.md with the table put between its marks. */
export function withFolderTable(markdown: string): string {
  const [before, rest] = markdown.split(tableMarks.start);
  const after = rest?.split(tableMarks.end)[1];
  return after === undefined ? markdown : `${before}${tableMarks.start}\n${folderTable()}\n${tableMarks.end}${after}`;
}

function purposeOf(row: FolderRule): string {
  return `${row.later ? '*not yet:* ' : ''}${row.purpose}${row.pure ? ' (pure)' : ''}`;
}

function reachOf(row: FolderRule): string {
  const parts = [
    row.mayImport.includes('*') ? 'everything' : row.mayImport.join(' ') || '—',
    row.mayNameTypesOf && `types of ${row.mayNameTypesOf.join(' ')}`,
    row.mayLoad && `late: ${row.mayLoad.join(' ')}`,
    row.packages && `packages: ${row.packages.join(' ')}`,
    row.latePackages && `late packages: ${row.latePackages.join(' ')}`,
  ];
  return parts.filter((part) => part !== undefined).join('; ');
}
