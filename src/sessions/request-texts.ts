import { PalimpsestError } from '../errors/index.ts';
import { type Event, isPlainObject, maxEventBytes, type RequestJournal, type SessionKey } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';
import { requireHead } from './commit-loop.ts';
import type { NamedArtifacts } from './named-artifacts.ts';
import { type ArgumentProblem, sourceNames, sourcesProblem, type UserOfSources } from './quoted-sources.ts';
import type { SessionParts } from './session-parts.ts';
import type { RequestText } from './session-service.ts';
import type { ArtifactWrite, ErasedVersion } from './session-store.ts';

const folder = 'request/';
const mimeType = 'application/json';
const hashPattern = /^[0-9a-f]{64}$/;

/** A checked text on its way into the session. */
export interface ReadyText {
  /** Of the artifact that keeps it. */
  readonly name: string;
  readonly json: string;
  /** Opaque names of what it quotes. */
  readonly sources: readonly string[];
}

/** True for the name of an artifact that keeps a text: those are not for users of the artifact store. */
export function isTextName(name: string): boolean {
  return name.startsWith(folder) && hashPattern.test(name.slice(folder.length));
}

/** The names under which the texts stand that an event's journal names. Journals may be anybody's, and not whole. */
export function textNamesOf({ request }: { readonly request?: RequestJournal }): readonly string[] {
  const blocks: unknown = request?.blocks;
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: unknown) =>
    isPlainObject(block) && typeof block.hash === 'string' && hashPattern.test(block.hash) ? [folder + block.hash] : [],
  );
}

/** Texts of a user as a caller gives them. Throws INVALID_ARGUMENT. */
export function parseTexts(texts: readonly RequestText[], user: UserOfSources): readonly ReadyText[] {
  if (!Array.isArray(texts)) throw invalid('options.texts', 'must be a list of texts');
  return texts.map((text: RequestText, index) => {
    const problem = problemOf(text, `options.texts[${index}]`);
    if (problem !== undefined) throw invalid(problem.argument, problem.reason);
    return { name: folder + text.hash, json: text.json, sources: sourceNames(text.sources ?? [], user) };
  });
}

/** Why an append would refuse a text, with the name of its field; `undefined` if it can be kept. */
export function textProblem(text: RequestText): string | undefined {
  const problem = problemOf(text, 'text');
  return problem && `${problem.argument} ${problem.reason}`;
}

function problemOf(text: RequestText, path: string): ArgumentProblem | undefined {
  if (!isPlainObject(text)) return { argument: path, reason: 'must be an object with hash and json' };
  const { hash, json, sources = [] } = text;
  if (typeof json !== 'string' || !json.isWellFormed() || !isJson(json))
    return { argument: `${path}.json`, reason: 'must be JSON as text, without lone surrogates' };
  const bytes = Buffer.byteLength(json);
  if (bytes > maxEventBytes)
    return { argument: `${path}.json`, reason: `takes ${bytes} bytes, the limit is ${maxEventBytes}` };
  if (hash !== sha256(json))
    return { argument: `${path}.hash`, reason: 'must be the SHA-256 of json, in lower-case hex' };
  return sourcesProblem(sources, `${path}.sources`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Throws INVALID_ARGUMENT for a text that no journal of these events names: it could not be erased with its event. */
export function refuseUnnamed(texts: readonly ReadyText[], events: readonly Pick<Event, 'request'>[]): void {
  if (texts.length === 0) return;
  const named = new Set(events.flatMap(textNamesOf));
  const at = texts.findIndex(({ name }) => !named.has(name));
  if (at !== -1)
    throw invalid(`options.texts[${at}].hash`, 'must be named by the journal of an event appended with it');
}

/** What an append writes of its texts. */
export function textWrites(scope: SessionKey, texts: readonly ReadyText[]): readonly ArtifactWrite[] {
  return texts.map(({ name, json, sources }) => {
    const write = { scope, name, version: 0, mimeType, bytes: Buffer.from(json), contentAddressed: true } as const;
    return sources.length === 0 ? write : { ...write, sources };
  });
}

/** The text of a hash; `undefined` if the session has none. Throws SESSION_NOT_FOUND. */
export async function readText(parts: SessionParts, key: SessionKey, hash: string): Promise<string | undefined> {
  await requireHead(parts, key);
  if (typeof hash !== 'string' || !hashPattern.test(hash)) return undefined;
  const [found] = await parts.store.artifacts({ scope: key, name: folder + hash, version: 0, bytes: true });
  return found?.bytes && Buffer.from(found.bytes).toString();
}

/** The texts of a session that no event left behind names. */
export async function unnamedTexts(
  parts: SessionParts,
  key: SessionKey,
  named: NamedArtifacts,
): Promise<readonly ErasedVersion[]> {
  const kept = await parts.store.artifacts({ scope: key });
  return kept
    .filter(({ name, version }) => isTextName(name) && !named.has([name, version]))
    .map(({ name, version }) => ({ name, version }));
}

/** How many texts a session keeps. */
export async function countTexts(parts: SessionParts, key: SessionKey): Promise<number> {
  return (await parts.store.artifacts({ scope: key })).filter(({ name }) => isTextName(name)).length;
}

function invalid(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
