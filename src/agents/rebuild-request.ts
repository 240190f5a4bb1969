import { type Assembly, assemble, buildRequest } from '../context/assembly/index.ts';
import { isPalimpsestError } from '../errors/index.ts';
import {
  type Block,
  type Content,
  type Event,
  freezeParsed,
  isPlainObject,
  type ModelRequest,
  prepareEvent,
  type RequestJournal,
  type ToolDeclaration,
  text,
} from '../events/index.ts';
import { sha256 } from '../internal/index.ts';
import { closeRequest } from './close-request.ts';
import { assemblyRules, requestHashOf } from './request-journal.ts';

/** What stands in the place of a text that is gone. */
const erased = '[erased]';

/** A request with an erased list of tools has this one, so that it is not taken for a request without any. */
const erasedTools: readonly ToolDeclaration[] = Object.freeze([Object.freeze({ name: erased, description: '' })]);

/** What a request is rebuilt from. */
export interface RequestRemains {
  /** A whole one. */
  readonly journal: RequestJournal;
  /** All events of the log through the journal's `throughSeq`, in order, as far as they still stand. */
  readonly events: readonly Event[];
  /** The JSON of a text, by its hash; `undefined` if it is gone. */
  readonly readText: (hash: string) => Promise<string | undefined>;
}

/** A request that was sent, and what it was made of. */
export interface RebuiltRequest {
  /** As the log gives it: media that the session keeps as artifacts are references. */
  readonly request: ModelRequest;
  /** In the order in which they were given. */
  readonly blocks: readonly Block[];
  readonly assembly: Assembly;
  /** `verified`: it has the journal's hash. Else why it may not: other rules, texts or events that are gone, or neither. */
  readonly standing: 'verified' | 'erased' | 'notReproducible' | 'differs';
}

/**
 * Rebuilds a request by the rules of this version: the log as it stood then, seen as the journal's view says, with the
 * blocks and tools that the journal names. A text that is gone, or is not the one that its hash says, stands as
 * `[erased]`: a block as one content of the user's side, the tools as one declaration of that name.
 */
export async function rebuildRequest({ journal, events, readText }: RequestRemains): Promise<RebuiltRequest> {
  const { view } = journal;
  const texts = new Texts(readText);
  const blocks: Block[] = [];
  let tools: readonly ToolDeclaration[] = [];
  for (const { hash, kind, stable, source } of journal.blocks) {
    if (kind === 'tools') tools = (await texts.read(hash, isToolList)) ?? erasedTools;
    else {
      const content = (await texts.read(hash, isContent)) ?? text(erased);
      blocks.push({ kind: kind as Block['kind'], stable, content, ...(source ? { source } : {}) });
    }
  }
  const assembly = assemble(events, view);
  const parts = { instruction: blocks.filter(({ stable }) => stable), tools, assembly };
  const transient = blocks.filter(({ stable }) => !stable);
  const request = closeRequest(buildRequest({ ...parts, transient }, view.provider));
  const hasGaps = events.length < journal.throughSeq;
  return { request, blocks, assembly, standing: standingOf(request, journal, texts.areMissing || hasGaps) };
}

function standingOf(
  request: ModelRequest,
  { requestHash, rules }: RequestJournal,
  isErased: boolean,
): RebuiltRequest['standing'] {
  if (rules !== assemblyRules) return 'notReproducible';
  if (requestHashOf(request) === requestHash) return 'verified';
  return isErased ? 'erased' : 'differs';
}

/** Texts read back, each checked against its hash. */
class Texts {
  readonly #read: RequestRemains['readText'];
  /** True once a text was gone, or not what it should be. */
  areMissing = false;

  constructor(read: RequestRemains['readText']) {
    this.#read = read;
  }

  async read<T>(hash: string, isWanted: (value: unknown) => value is T): Promise<T | undefined> {
    const json = await this.#read(hash);
    const value = json === undefined || sha256(json) !== hash ? undefined : parsed(json);
    if (isWanted(value)) return value;
    this.areMissing = true;
    return undefined;
  }
}

function parsed(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    freezeParsed(value);
    return value;
  } catch {
    // Whoever imported it may have given it any text.
    return undefined;
  }
}

function isContent(value: unknown): value is Content {
  try {
    // Checked as the content of any event is; only that a role may not be left out.
    const { draft } = prepareEvent({ author: 'user', content: value as Content }, 'text');
    return isPlainObject(value) && value.role === draft.content?.role;
  } catch (error) {
    if (isPalimpsestError(error)) return false;
    throw error;
  }
}

function isToolList(value: unknown): value is readonly ToolDeclaration[] {
  return Array.isArray(value) && value.every(isTool);
}

function isTool(value: unknown): value is ToolDeclaration {
  if (!isPlainObject(value)) return false;
  const { name, description, parameters } = value;
  const isNamed = typeof name === 'string' && typeof description === 'string';
  return isNamed && (parameters === undefined || isPlainObject(parameters));
}
