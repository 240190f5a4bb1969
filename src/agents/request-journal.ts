import { type RequestTokens, SettledFold } from '../context/assembly/index.ts';
import {
  type Block,
  type Event,
  isPlainObject,
  type JsonMap,
  type ModelRequest,
  type RequestJournal,
  type View,
} from '../events/index.ts';
import { canonicalJson, sha256 } from '../internal/index.ts';
import type { RequestText } from '../sessions/index.ts';
import { jsonHash } from './content-hashes.ts';
import { type BreakingLog, findBreaks } from './find-breaks.ts';
import { blockText } from './interned-blocks.ts';
import { hashRequest, type RequestLines } from './request-hashes.ts';

/** Version of the rules by which a request is made of a log. Grows when the same log gives another request. */
export const assemblyRules = 1;

/** What a journal tells of. */
export interface Journaled {
  /** As the log gives it: media that the session keeps as artifacts are references. */
  readonly request: ModelRequest;
  /** In the order in which they were given. */
  readonly blocks: readonly Block[];
  readonly view: View;
  readonly model: string;
  readonly config: JsonMap | undefined;
  readonly tokens: RequestTokens;
  /** Of the log that the request was made from, what was at hand. */
  readonly events: readonly Event[];
  /** Seq of the newest event of that log. */
  readonly throughSeq: number;
  /** Reads its bookkeeping from a seq on: asked for where the request does not begin with the one before. */
  readonly readBookkeeping: (fromSeq: number) => Promise<readonly Event[]>;
  /** Of the request before this one, of the same session, agent and provider. */
  readonly previous: RequestJournal | undefined;
  /** Knows how that one began. */
  readonly hashes: SettledFold<RequestLines>;
}

/** The journal of a request, and the texts that it names by hash. */
export interface WrittenJournal {
  readonly journal: RequestJournal;
  readonly texts: readonly RequestText[];
}

/**
 * The journal of a request. A block's hash is SHA-256 of the canonical JSON of its content; the tools stand among the
 * blocks, with the hash of their list.
 *
 * `requestHash` is SHA-256 over the hashes of the instruction, of the tools and of each content, one a line. A content's
 * hash is made of its role and its parts' hashes; what stands in a log is hashed once in a process, so that a long
 * session is not hashed anew at each turn. Media that the session keeps as artifacts are hashed as the references that
 * the log has, before their bytes are put in: the reference of moved data holds the hash of the bytes, megabytes are not
 * hashed at each step, and whoever rebuilds the request from the log later gets the same hash, bytes there or not.
 *
 * `prefixFingerprint` is SHA-256 over the model's name, the hashes of instruction and tools, and those of all parts but
 * the transient ones, with the role where it changes. `extensions.stableLines` tells how many lines those last ones are,
 * so that one hash shows whether a later request begins with this one. `extensions.tokens` is how many tokens the request
 * was taken to have, and `unscaled` what of that was counted here, to be held against what the provider counts.
 */
export async function writeJournal(journaled: Journaled): Promise<WrittenJournal> {
  const { request, blocks, view, model, config = {}, tokens, throughSeq, previous } = journaled;
  const hashes = hashRequest(request, { model, linesAsked: stableLinesOf(previous) }, journaled.hashes);
  const tools = canonicalJson(request.tools);
  const named: readonly NamedText[] = [
    ...blocks.filter(isInstruction).map(namedBlock),
    { kind: 'tools', stable: true, hash: sha256(tools), json: tools },
    ...blocks.filter((block) => !isInstruction(block)).map(namedBlock),
  ];
  const told = {
    throughSeq,
    view,
    model,
    configHash: jsonHash(config),
    blocks: named.map(({ json: _, ...entry }) => entry),
    requestHash: hashes.request,
    rules: assemblyRules,
    prefixFingerprint: hashes.prefix,
    extensions: { stableLines: hashes.stableLines, tokens: journaledTokens(tokens) },
  };
  const isKept = previous === undefined || hashes.prefixAsked === previous.prefixFingerprint;
  const breaks = isKept ? [] : findBreaks(previous, told, await sinceOf(previous, journaled));
  const texts = named.map(({ hash, json, source }) => ({ hash, json, ...(source ? { sources: source } : {}) }));
  return { journal: Object.freeze({ ...told, breaks }), texts };
}

async function sinceOf({ throughSeq }: RequestJournal, { events, readBookkeeping }: Journaled): Promise<BreakingLog> {
  const fromSeq = Number.isSafeInteger(throughSeq) ? Math.max(1, throughSeq + 1) : 1;
  return { events, bookkeeping: await readBookkeeping(fromSeq) };
}

/** The hash that stands in the journal of a request. */
export function requestHashOf(request: ModelRequest): string {
  return hashRequest(request, { model: '' }, new SettledFold<RequestLines>()).request;
}

/** The hashes of the texts that a journal names. It may be anybody's, and not whole. */
export function namedHashes(journal: RequestJournal | undefined): readonly string[] {
  if (!Array.isArray(journal?.blocks)) return [];
  return journal.blocks.flatMap((block: unknown) =>
    isPlainObject(block) && typeof block.hash === 'string' ? [block.hash] : [],
  );
}

/** The journal of the newest request that an agent sent to a provider's model, as the log has it. */
export function newestJournal(events: readonly Event[], view: View): RequestJournal | undefined {
  return events.findLast(({ request }) => isJournalOf(request, view))?.request;
}

function journaledTokens({ n, by, label, unscaled }: RequestTokens): JsonMap {
  return { n, by, label, unscaled };
}

/** True for a journal of an agent's request. Events may come from anywhere, and so may what they say of theirs. */
export function isJournalOf(request: RequestJournal | undefined, { agentName, provider }: View): boolean {
  if (request === undefined || !isPlainObject(request.view)) return false;
  const isWhole = Array.isArray(request.blocks) && typeof request.prefixFingerprint === 'string';
  return isWhole && request.view.agentName === agentName && request.view.provider === provider;
}

function stableLinesOf(journal: RequestJournal | undefined): number | undefined {
  const count = journal?.extensions?.stableLines;
  return typeof count === 'number' ? count : undefined;
}

function isInstruction({ kind, stable }: Block): boolean {
  return kind === 'instruction' && stable;
}

type NamedText = RequestJournal['blocks'][number] & Pick<RequestText, 'json'>;

function namedBlock({ kind, stable, content, source }: Block): NamedText {
  return { kind, stable, ...(source ? { source } : {}), ...blockText(content) };
}
