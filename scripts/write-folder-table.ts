import { readFileSync, writeFileSync } from 'node:fs';
import { withFolderTable } from '../test/architecture/folder-table.ts';

const file = new URL('../ARCHITECTURE.md', import.meta.url);
writeFileSync(file, withFolderTable(readFileSync(file, 'utf8')));
