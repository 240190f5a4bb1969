import { estimateRequest, type Placement, type RequestExplanation } from '../../../context/assembly/index.ts';
import {
  type BreakReason,
  type Content,
  type Event,
  type ModelRequest,
  normalizeRanges,
  type Provider,
  type RequestJournal,
  type SeqRange,
  type ToolDeclaration,
} from '../../../events/index.ts';
import { canonicalJson } from '../../../internal/index.ts';
import { type RequestPiece, requestPieces } from './request-pieces.ts';

/** One of two requests that are compared. */
export interface ComparedRequest {
  readonly request: ModelRequest & {
    readonly explanation: Pick<RequestExplanation, 'blocks'>;
    readonly events: readonly Event[];
    /** The event that answers it, if it was sent. */
    readonly answer?: Event;
    explain(seq: number): Placement;
  };
  readonly agentName: string;
  readonly provider: Provider;
  /** The newest event that it could see. */
  readonly throughSeq: number;
  /** Only of one that was sent; of others nobody knows instruction, tools and blocks. */
  readonly journal?: Pick<RequestJournal, 'blocks'> | undefined;
}

/** Whether something is the same in both requests; `unknown` where one of them was never sent. */
export type Sameness = 'same' | 'changed' | 'unknown';

/** What became of a block from the first request to the second. */
export interface BlockDifference {
  readonly kind: string;
  readonly stable: boolean;
  readonly hash: string;
  readonly in: 'both' | 'first' | 'second';
}

/** Events whose placement is another in the second request. */
export interface PlacementDifference {
  readonly seqs: readonly SeqRange[];
  readonly first: Placement;
  readonly second: Placement;
}

/** What differs between two requests. */
export interface RequestDifference {
  /** The model is given the same. */
  readonly isSame: boolean;
  readonly instruction: {
    readonly is: Sameness;
    readonly removed: readonly string[];
    readonly added: readonly string[];
  };
  /** By name. */
  readonly tools: {
    readonly is: Sameness;
    readonly removed: readonly string[];
    readonly added: readonly string[];
    readonly changed: readonly string[];
  };
  readonly blocks: readonly BlockDifference[];
  /** How much of the stable part of the first request begins the second. */
  readonly prefix: {
    readonly isWhole: boolean;
    readonly contents: number;
    readonly ofContents: number;
    readonly tokens: number;
    readonly ofTokens: number;
  };
  /** The stable content with which they part; absent if all that is stable in the first begins the second. */
  readonly parting?: { readonly first: RequestPiece; readonly second?: RequestPiece };
  /** What only the second has. Of a content that has grown, the parts that are new. */
  readonly added: readonly RequestPiece[];
  /** What only the first has. */
  readonly removed: readonly RequestPiece[];
  readonly placements: readonly PlacementDifference[];
  /** Breaks that requests of this agent declare after the older of the two, up to the newer one. */
  readonly breaks: readonly { readonly seq: number; readonly reasons: readonly BreakReason[] }[];
}

/** Compares two requests, of which either may be the older one. Pure. */
export function compareRequests(first: ComparedRequest, second: ComparedRequest): RequestDifference {
  const isKnown = first.journal !== undefined && second.journal !== undefined;
  const is = (same: boolean): Sameness => (isKnown ? (same ? 'same' : 'changed') : 'unknown');
  const [before, after] = [first.request, second.request];
  const instruction = listDifference(before.instruction, after.instruction, (text) => text);
  const isToldAlike = canonicalJson(before.instruction) === canonicalJson(after.instruction);
  const areToolsAlike = canonicalJson(before.tools) === canonicalJson(after.tools);
  const shared = sharedStart(requestPieces(before), requestPieces(after));
  const beginsAlike = !isKnown || (isToldAlike && areToolsAlike);
  return {
    isSame: beginsAlike && canonicalJson(before.contents) === canonicalJson(after.contents),
    instruction: { is: is(isToldAlike), ...(isKnown ? instruction : nothing) },
    tools: {
      is: is(areToolsAlike),
      ...(isKnown ? toolDifference(before.tools, after.tools) : { ...nothing, changed: [] }),
    },
    blocks: isKnown ? blockDifference(first, second) : [],
    prefix: prefixOf(first, { shared, isKnown, beginsAlike }),
    ...(shared.parting === undefined ? {} : { parting: shared.parting }),
    ...listDifference(shared.restOfFirst, shared.restOfSecond, pieceKey),
    placements: placementDifference(first, second),
    breaks: breaksBetween(first, second),
  };
}

const nothing = { removed: [], added: [] };

/** What only one of two lists has; what stands in one several times has to stand in the other as often. */
function listDifference<Item>(first: readonly Item[], second: readonly Item[], keyOf: (item: Item) => string) {
  return { removed: without(first, second, keyOf), added: without(second, first, keyOf) };
}

function without<Item>(items: readonly Item[], taken: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const counts = new Map<string, number>();
  for (const item of taken) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return items.filter((item) => {
    const key = keyOf(item);
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count <= 0;
  });
}

function pieceKey({ role, parts, isTransient }: RequestPiece): string {
  return canonicalJson([role, parts, isTransient]);
}

function toolDifference(first: readonly ToolDeclaration[], second: readonly ToolDeclaration[]) {
  const names = listDifference(
    first.map(({ name }) => name),
    second.map(({ name }) => name),
    (name) => name,
  );
  const known = new Map(first.map((tool) => [tool.name, canonicalJson(tool)]));
  const changed = second.filter((tool) => (known.get(tool.name) ?? canonicalJson(tool)) !== canonicalJson(tool));
  return { ...names, changed: changed.map(({ name }) => name) };
}

function blockDifference(first: ComparedRequest, second: ComparedRequest): BlockDifference[] {
  const [before, after] = [first.journal?.blocks ?? [], second.journal?.blocks ?? []];
  const keyOf = ({ kind, stable, hash }: RequestJournal['blocks'][number]) => canonicalJson([kind, stable, hash]);
  const gone = new Set(without(before, after, keyOf));
  const come = new Set(without(after, before, keyOf));
  const told = ({ kind, stable, hash }: RequestJournal['blocks'][number], where: BlockDifference['in']) => ({
    kind,
    stable,
    hash,
    in: where,
  });
  return [
    ...before.map((block) => told(block, gone.has(block) ? 'first' : 'both')),
    ...after.filter((block) => come.has(block)).map((block) => told(block, 'second')),
  ];
}

/** How far the stable parts of two requests are the same, and what comes after that. */
interface SharedStart {
  /** Stable pieces of the first, with how many of their parts begin the second. */
  readonly stable: readonly { readonly piece: RequestPiece; readonly same: number }[];
  readonly parting: RequestDifference['parting'];
  readonly restOfFirst: readonly RequestPiece[];
  readonly restOfSecond: readonly RequestPiece[];
}

/**
 * Compares part by part, with the role where it changes, as the journal's fingerprint does: a content that has grown
 * begins as before.
 */
function sharedStart(first: readonly RequestPiece[], second: readonly RequestPiece[]): SharedStart {
  const [before, after] = [stableParts(first), stableParts(second)];
  let same = 0;
  while (same < before.length && same < after.length && before[same]?.key === after[same]?.key) same++;
  const counts = partCounts(before.slice(0, same));
  const parted = before[same]?.piece;
  const secondParted = after[same]?.piece;
  return {
    stable: first
      .filter(({ isTransient, parts }) => !isTransient && parts.length > 0)
      .map((piece) => ({ piece, same: counts.get(piece) ?? 0 })),
    parting: parted && { first: parted, ...(secondParted === undefined ? {} : { second: secondParted }) },
    restOfFirst: restOf(first, counts),
    restOfSecond: restOf(second, partCounts(after.slice(0, same))),
  };
}

interface StablePart {
  readonly piece: RequestPiece;
  readonly key: string;
}

function stableParts(pieces: readonly RequestPiece[]): StablePart[] {
  return pieces.flatMap((piece) =>
    piece.isTransient ? [] : piece.parts.map((part) => ({ piece, key: canonicalJson([piece.role, part]) })),
  );
}

function partCounts(parts: readonly StablePart[]): ReadonlyMap<RequestPiece, number> {
  const counts = new Map<RequestPiece, number>();
  for (const { piece } of parts) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  return counts;
}

/** The pieces without the parts that are shared, so many of each. */
function restOf(pieces: readonly RequestPiece[], shared: ReadonlyMap<RequestPiece, number>): RequestPiece[] {
  return pieces.flatMap((piece) => {
    const count = shared.get(piece) ?? 0;
    if (count === 0) return [piece];
    return count === piece.parts.length ? [] : [{ ...piece, parts: piece.parts.slice(count) }];
  });
}

/** Instruction and tools stand before all contents: where they are others, nothing begins as before. */
function prefixOf(
  first: ComparedRequest,
  {
    shared,
    isKnown,
    beginsAlike,
  }: { readonly shared: SharedStart; readonly isKnown: boolean; readonly beginsAlike: boolean },
): RequestDifference['prefix'] {
  const { instruction, tools, explanation } = first.request;
  const counted = explanation.blocks.filter(({ kind, stable }) => stable && (isKnown || !isHead(kind)));
  const ofTokens = counted.reduce((sum, { tokens }) => sum + tokens, 0);
  const whole = shared.stable.filter(({ piece, same }) => beginsAlike && same === piece.parts.length);
  const contentsOf = (stable: SharedStart['stable']) => new Set(stable.map(({ piece }) => piece.content));
  const isCut = shared.stable.find((one) => !whole.includes(one));
  const [contents, ofContents] = [contentsOf(whole), contentsOf(shared.stable).size];
  if (isCut !== undefined) contents.delete(isCut.piece.content);
  const isWhole = beginsAlike && isCut === undefined;
  const head = isKnown ? { instruction, tools } : { instruction: [], tools: [] };
  const tokensOf = (some: readonly Content[]) => textTokens(first, { ...head, contents: some });
  const all = tokensOf(shared.stable.map(({ piece }) => piece));
  const begun = shared.stable.map(({ piece: { role, parts }, same }) => ({ role, parts: parts.slice(0, same) }));
  const share = beginsAlike && all > 0 ? tokensOf(begun) / all : 0;
  const tokens = isWhole ? ofTokens : Math.round(ofTokens * share);
  return { isWhole, contents: contents.size, ofContents, tokens, ofTokens };
}

function isHead(kind: string): boolean {
  return kind === 'instruction' || kind === 'tools';
}

function textTokens({ request, provider }: ComparedRequest, of: Omit<ModelRequest, 'transient'>): number {
  const { unscaled, parts } = estimateRequest({ ...of, transient: [] }, { provider, events: request.events });
  return unscaled - (parts.framing ?? 0);
}

function placementDifference(first: ComparedRequest, second: ComparedRequest): PlacementDifference[] {
  const found = new Map<string, { seqs: SeqRange[]; first: Placement; second: Placement }>();
  const through = Math.min(first.throughSeq, second.throughSeq);
  for (let seq = 1; seq <= through; seq++) {
    const [before, after] = [first.request.explain(seq), second.request.explain(seq)];
    const [was, is] = [canonicalJson(before), canonicalJson(after)];
    if (was === is) continue;
    const change = found.get(was + is) ?? { seqs: [], first: before, second: after };
    change.seqs.push([seq, seq]);
    found.set(was + is, change);
  }
  return [...found.values()].map((change) => ({ ...change, seqs: normalizeRanges(change.seqs) }));
}

function breaksBetween(first: ComparedRequest, second: ComparedRequest): RequestDifference['breaks'] {
  const [older, newer] = positionOf(first) <= positionOf(second) ? [first, second] : [second, first];
  const { events, answer } = newer.request;
  const pool = answer === undefined ? events : [...events, answer];
  return pool.flatMap(({ seq, request: journal }) => {
    if (seq <= positionOf(older) || seq > positionOf(newer) || journal === undefined) return [];
    // Journals come from anywhere, and only that of a request that was asked for has been looked at.
    const { view, breaks }: { readonly view?: RequestJournal['view']; readonly breaks?: unknown } = journal;
    if (view?.agentName !== newer.agentName || view.provider !== newer.provider) return [];
    return Array.isArray(breaks) && breaks.length > 0 ? [{ seq, reasons: breaks }] : [];
  });
}

/** Where a request stands in the log: with its answer, else behind the newest event that it could see. */
function positionOf({ request, throughSeq }: ComparedRequest): number {
  return request.answer?.seq ?? throughSeq;
}
