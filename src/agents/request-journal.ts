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
  readonly request: ModelRequest;
  /** In the order in which they were given. */
  readonly blocks: readonly Block[];
  readonly view: View;
  readonly model: string;
  readonly config: JsonMap | undefined;
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
 * session is not hashed anew at each turn.
 *
 * `prefixFingerprint` is SHA-256 over the model's name, the hashes of instruction and tools, and those of all parts but
 * the transient ones, with the role where it changes. `extensions.stableLines` tells how many lines those last ones are,
 * so that one hash shows whether a later request begins with this one.
 */
export function writeJournal(journaled: Journaled): RequestJournal {
  const { request, blocks, view, model, config = {}, events, previous } = journaled;
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
    extensions: { stableLines: stable.length },
  };
  const isKept = previous === undefined || beginsWith(previous, stable.length, fingerprintOf);
  return Object.freeze({ ...told, breaks: isKept ? [] : findBreaks(previous, told, events) });
}

/** The journal of the newest request that an agent sent to a provider's model, as the log has it. */
export function newestJournal(events: readonly Event[], view: View): RequestJournal | undefined {
  return events.findLast(({ request }) => isJournalOf(request, view))?.request;
}

/** Events may come from anywhere, and so may what they say about their requests. */
function isJournalOf(request: RequestJournal | undefined, { agentName, provider }: View): boolean {
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
