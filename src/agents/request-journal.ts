import type { RequestTokens } from '../context/assembly/index.ts';
import {
  type Block,
  type Event,
  isPlainObject,
  type JsonMap,
  type ModelRequest,
  type RequestJournal,
  type View,
} from '../events/index.ts';
import { contentHash, hashLines, jsonHash, stablePartHashes } from './content-hashes.ts';
import { findBreaks } from './find-breaks.ts';

/** Version of the rules by which a request is made of a log. Grows when the same log gives another request. */
const rules = 1;

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
  /** The log that the request was made from. */
  readonly events: readonly Event[];
  /** Of the request before this one, of the same session, agent and provider. */
  readonly previous: RequestJournal | undefined;
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
export function writeJournal(journaled: Journaled): RequestJournal {
  const { request, blocks, view, model, config = {}, tokens, events, previous } = journaled;
  const instruction = jsonHash(request.instruction);
  const tools = jsonHash(request.tools);
  const stable = stablePartHashes(request);
  const fingerprintOf = (count: number) => hashLines([model, instruction, tools, ...stable.slice(0, count)]);
  const told = {
    throughSeq: events.at(-1)?.seq ?? 0,
    view,
    model,
    configHash: jsonHash(config),
    blocks: [
      ...blocks.filter(isInstruction).map(blockEntry),
      { hash: tools, kind: 'tools', stable: true },
      ...blocks.filter((block) => !isInstruction(block)).map(blockEntry),
    ],
    requestHash: hashLines([instruction, tools, ...request.contents.map(contentHash)]),
    rules,
    prefixFingerprint: fingerprintOf(stable.length),
    extensions: { stableLines: stable.length, tokens: journaledTokens(tokens) },
  };
  const isKept = previous === undefined || beginsWith(previous, stable.length, fingerprintOf);
  return Object.freeze({ ...told, breaks: isKept ? [] : findBreaks(previous, told, events) });
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

function beginsWith(
  { extensions, prefixFingerprint }: RequestJournal,
  length: number,
  fingerprintOf: (count: number) => string,
): boolean {
  const count = extensions?.stableLines;
  return typeof count === 'number' && count <= length && fingerprintOf(count) === prefixFingerprint;
}

function isInstruction({ kind, stable }: Block): boolean {
  return kind === 'instruction' && stable;
}

function blockEntry({ kind, stable, content, source }: Block): RequestJournal['blocks'][number] {
  return { hash: jsonHash(content), kind, stable, ...(kind === 'memory' && source ? { source } : {}) };
}
