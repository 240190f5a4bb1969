import { PalimpsestError } from '../errors/index.ts';
import { isPlainObject, type ProvenanceRef, parseId } from '../events/index.ts';
import type { SessionParts } from './session-parts.ts';
import type { QuotesToErase } from './session-service.ts';

/** The name of a life of a session as a source. JSON, since ids may hold anything. */
export function sourceOfLife(incarnation: string): string {
  return JSON.stringify(['life', incarnation]);
}

function sourceOfDirect(id: string): string {
  return JSON.stringify(['direct', id]);
}

/** The names of what is quoted, each once. Throws INVALID_ARGUMENT, with the path of what is no reference. */
export function sourcesOf(refs: readonly ProvenanceRef[], path: string): readonly string[] {
  if (!Array.isArray(refs)) throw invalid(path, 'must be a list of references');
  return [...new Set(refs.map((ref: ProvenanceRef, index) => sourceOf(ref, `${path}[${index}]`)))];
}

function sourceOf(ref: ProvenanceRef, path: string): string {
  if (isPlainObject(ref)) {
    const { kind, incarnation, id }: Record<string, unknown> = ref;
    if (kind === 'event' && typeof incarnation === 'string') return sourceOfLife(incarnation);
    if (kind === 'direct' && typeof id === 'string') return sourceOfDirect(id);
  }
  throw invalid(path, 'must name an event with its incarnation, or what was given directly by its id');
}

/** Removes a user's texts that quote one of the sources, and returns how many. Throws INVALID_ID or INVALID_ARGUMENT. */
export async function eraseQuotes(parts: SessionParts, quotes: QuotesToErase): Promise<number> {
  const appName = parseId(quotes?.appName, 'appName');
  const userId = parseId(quotes.userId, 'userId');
  const quoting = parseSources(quotes.sources);
  if (quoting.length === 0) return 0;
  const removed = await parts.store.remove({ what: 'quotes', appName, userId, quoting });
  return removed === 'moved' ? 0 : removed.quotes;
}

function parseSources(sources: QuotesToErase['sources']): readonly string[] {
  if (!Array.isArray(sources)) throw invalid('sources', 'must be a list of sources');
  return sources.map((source: unknown, index) => {
    const { incarnation, directId } = isPlainObject(source) ? source : {};
    if (typeof incarnation === 'string' && directId === undefined) return sourceOfLife(incarnation);
    if (typeof directId === 'string' && incarnation === undefined) return sourceOfDirect(directId);
    throw invalid(`sources[${index}]`, 'must have an incarnation or a directId');
  });
}

function invalid(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
