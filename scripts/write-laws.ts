import { mkdirSync, writeFileSync } from 'node:fs';
import { lawsPage } from '../test/laws/laws-page.ts';

const folder = new URL('../docs/reference/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('laws.md', folder), lawsPage());
console.log('docs/reference/laws.md');
