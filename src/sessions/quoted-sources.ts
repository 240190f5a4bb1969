import { PalimpsestError } from '../errors/index.ts';
import { type Instant, isPlainObject, type ProvenanceRef, parseId, parseInstant } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';
import type { SessionParts } from './session-parts.ts';
import type { QuotesToErase } from './session-service.ts';

/** Whose texts quote. */
export interface UserOfSources {
  readonly appName: string;
  readonly userId: string;
}

/** What is wrong with an argument, and with which. */
export interface ArgumentProblem {
  readonly argument: string;
  readonly reason: string;
}

/** The name of a life of a session as a source. JSON, since ids may hold anything. */
export function sourceOfLife(incarnation: string): string {
  return JSON.stringify(['life', incarnation]);
}

function sourceOfDirect(id: string): string {
  return JSON.stringify(['direct', id]);
}

/**
 * The name of one statement, which is not that of another user's or of a later one under its id. A hash: it may be
 * remembered when nothing else of a user is.
 */
function sourceOfStatement({ appName, userId }: UserOfSources, id: string, at: Instant): string {
  return JSON.stringify(['statement', sha256(JSON.stringify([appName, userId, id, at]))]);
}

/** What is wrong with a list of what is quoted, with the path of what is no reference. */
export function sourcesProblem(refs: readonly ProvenanceRef[], path: string): ArgumentProblem | undefined {
  if (!Array.isArray(refs)) return { argument: path, reason: 'must be a list of references' };
  const wrong = refs.findIndex((ref: unknown) => !isNameable(ref));
  if (wrong === -1) return undefined;
  const reason = 'must name an event with its incarnation, or what was given directly by its id and its time';
  return { argument: `${path}[${wrong}]`, reason };
}

function isNameable(ref: unknown): boolean {
  if (!isPlainObject(ref)) return false;
  const { kind, incarnation, id, at } = ref;
  if (kind === 'event') return typeof incarnation === 'string';
  return kind === 'direct' && typeof id === 'string' && typeof at === 'string';
}

/** The names of what a text of a user quotes, each once. */
export function sourceNames(refs: readonly ProvenanceRef[], user: UserOfSources): readonly string[] {
  const names = refs.flatMap((ref) =>
    ref.kind === 'event'
      ? [sourceOfLife(ref.incarnation)]
      : [sourceOfDirect(ref.id), sourceOfStatement(user, ref.id, ref.at)],
  );
  return [...new Set(names)];
}

/** Removes a user's texts that quote one of the sources, and returns how many. Throws INVALID_ID or INVALID_ARGUMENT. */
export async function eraseQuotes(parts: SessionParts, quotes: QuotesToErase): Promise<number> {
  const user = { appName: parseId(quotes?.appName, 'appName'), userId: parseId(quotes.userId, 'userId') };
  const { quoting, gone } = parseSources(quotes.sources, user);
  if (quoting.length === 0) return 0;
  const removed = await parts.store.remove({ what: 'quotes', ...user, quoting, gone });
  return removed === 'moved' ? 0 : removed.quotes;
}

function parseSources(
  sources: QuotesToErase['sources'],
  user: UserOfSources,
): { readonly quoting: readonly string[]; readonly gone: readonly string[] } {
  if (!Array.isArray(sources)) throw invalid('sources', 'must be a list of sources');
  const quoting = new Set<string>();
  const gone = new Set<string>();
  for (const [index, source] of sources.entries()) {
    const { incarnation, directId, at } = isPlainObject(source) ? source : {};
    if (typeof incarnation === 'string' && directId === undefined) quoting.add(sourceOfLife(incarnation));
    else if (typeof directId === 'string' && incarnation === undefined) {
      quoting.add(sourceOfDirect(directId));
      if (at !== undefined) gone.add(sourceOfStatement(user, directId, parseInstant(at, `sources[${index}].at`)));
    } else throw invalid(`sources[${index}]`, 'must have an incarnation or a directId');
  }
  return { quoting: [...quoting], gone: [...gone] };
}

function invalid(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
