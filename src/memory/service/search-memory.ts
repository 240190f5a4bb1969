import { PalimpsestError } from '../../errors/index.ts';
import { estimateTokens, toMillis } from '../../events/index.ts';
import { analyze, queryTerms } from './analyzer.ts';
import type { MemoryEntry } from './memory-entry.ts';
import { visiblePartitions } from './memory-scope.ts';
import type { MemoryStore, OwnerHead, SourceKey, StoredEntry, TurnPlace, TurnWindow } from './memory-store.ts';
import { bestScore, occurrences, PassageScores, type TermPostings, weighTerms } from './passage-scores.ts';
import { passesFilter, type SearchPlan } from './read-search.ts';

/** How many of the best passages are looked at closely, at first. */
const poolSize = 200;

/** What a turn earns from the turns around it, by distance, and from its session as a whole. */
const neighbourShare: readonly number[] = [0.4, 0.2];
const sessionShare = 0.3;
/** What the turns of the one speaker whom the query names are worth. */
const namedSpeakerFactor = 1.3;
const sessionSaturation = 0.9;

/** What a search found, before it is cut to size. */
export interface Found {
  readonly memories: readonly MemoryEntry[];
  readonly truncated: boolean;
}

const nothing: Found = { memories: [], truncated: false };

/** Searches by keywords: BM25 over passages, then what the conversation around an entry adds. */
export async function searchMemory(store: MemoryStore, plan: SearchPlan): Promise<Found> {
  const terms = queryTerms(plan.query);
  if (plan.limit === 0 || terms.length === 0) return nothing;
  const { owner, home } = plan.scope;
  const head = await store.head(owner, visiblePartitions(home, plan.projectOnly));
  if (head === undefined || head.partitions.length === 0) return nothing;
  const numbers = head.partitions.map(({ no }) => no);
  const postings = await store.postings(
    numbers,
    terms.map(({ term }) => term),
  );
  stopIfAborted(plan);
  const { passages, length } = figuresOf(head);
  const weighed = weighTerms(terms, postings, passages);
  const scores = new PassageScores(weighed, length / passages);
  for (let pool = poolSize; ; pool *= 5) {
    const best = scores.best(pool);
    const ranked = await rank(store, plan, {
      weighed,
      scores,
      pool,
      passages: best.passages.map(({ passage }) => passage),
    });
    stopIfAborted(plan);
    if (best.all || ranked.length > plan.limit) return cut(ranked, plan);
  }
}

/** An entry among the candidates. Neighbours of good turns take part by their place alone, until they are loaded. */
interface Candidate extends Pick<TurnPlace, 'place' | 'passages'> {
  readonly turn?: { readonly source: SourceKey; readonly number: number };
  readonly own: number;
  total: number;
  stored?: StoredEntry;
}

interface Pool {
  readonly weighed: readonly TermPostings[];
  readonly scores: PassageScores;
  readonly passages: readonly number[];
  readonly pool: number;
}

async function rank(store: MemoryStore, plan: SearchPlan, pool: Pool): Promise<MemoryEntry[]> {
  const { owner } = plan.scope;
  const candidates = new Map<number, Candidate>();
  for (const stored of await store.entries(owner, { by: 'passage', passages: pool.passages })) {
    candidates.set(stored.place, { ...candidateAt(stored, pool.scores, stored.turn), stored });
  }
  const turns = await store.turns(owner, windowsAround(candidates.values()));
  for (const turn of turns) {
    if (!candidates.has(turn.place)) candidates.set(turn.place, candidateAt(turn, pool.scores, turn));
  }
  const inPassage = occurrences(pool.weighed, passagesOfAll(candidates.values()));
  addContext(candidates.values(), inPassage);
  const best = [...candidates.values()]
    .filter(({ total }) => total > 0)
    .sort(better)
    .slice(0, pool.pool);
  const missing = best.filter(({ stored }) => stored === undefined).map(({ place }) => place);
  for (const stored of await store.entries(owner, { by: 'passage', passages: missing })) {
    const candidate = candidates.get(stored.place);
    if (candidate !== undefined) candidate.stored = stored;
  }
  favourNamedSpeaker(best, plan.query);
  const bound = bestScore(pool.weighed);
  return best.sort(betterThenNewer).flatMap((candidate) => {
    const { stored, total } = candidate;
    const score = Math.min(1, total / bound);
    if (stored === undefined || !passesFilter(stored.entry, plan)) return [];
    return Object.freeze({
      ...stored.entry,
      score,
      scores: Object.freeze({ keyword: score }),
      matchedTerms: matched(candidate, inPassage),
    });
  });
}

function candidateAt(
  { place, passages }: Pick<TurnPlace, 'place' | 'passages'>,
  scores: PassageScores,
  turn: Candidate['turn'],
): Candidate {
  let own = 0;
  for (let index = 0; index < passages; index++) own = Math.max(own, scores.of(place + index));
  return { place, passages, own, total: own, ...(turn && { turn }) };
}

/** The turns near enough to a candidate to give to it or to take from it, as few windows as hold them. */
function windowsAround(candidates: Iterable<Candidate>): TurnWindow[] {
  const reach = neighbourShare.length;
  const windows: { source: SourceKey; from: number; to: number }[] = [];
  for (const turns of bySource(candidates).values()) {
    let last: (typeof windows)[number] | undefined;
    for (const number of [...turns.keys()].sort((a, b) => a - b)) {
      const source = turns.get(number)?.turn?.source;
      if (source === undefined) continue;
      if (last !== undefined && number - reach <= last.to + 1) {
        last.to = number + reach;
      } else {
        last = { source, from: number - reach, to: number + reach };
        windows.push(last);
      }
    }
  }
  return windows;
}

function addContext(candidates: Iterable<Candidate>, inPassage: ReturnType<typeof occurrences>): void {
  for (const turns of bySource(candidates).values()) {
    const session = sessionScore(turns.values(), inPassage);
    for (const [number, candidate] of turns) {
      for (const [index, share] of neighbourShare.entries()) {
        const before = turns.get(number - index - 1)?.own ?? 0;
        const after = turns.get(number + index + 1)?.own ?? 0;
        candidate.total += share * (before + after);
      }
      if (candidate.total > 0) candidate.total += sessionShare * session;
    }
  }
}

/** The turns among the candidates, by source and number. */
function bySource(candidates: Iterable<Candidate>): ReadonlyMap<string, ReadonlyMap<number, Candidate>> {
  const groups = new Map<string, Map<number, Candidate>>();
  for (const candidate of candidates) {
    if (candidate.turn === undefined) continue;
    const name = `${candidate.turn.source.incarnation} ${candidate.turn.source.sessionId}`;
    const group = groups.get(name) ?? new Map<number, Candidate>();
    groups.set(name, group.set(candidate.turn.number, candidate));
  }
  return groups;
}

/** BM25 of a session's candidates taken together as one text, length left out of account. */
function sessionScore(turns: Iterable<Candidate>, inPassage: ReturnType<typeof occurrences>): number {
  const times = new Map<TermPostings, number>();
  for (const passage of passagesOfAll(turns)) {
    for (const [term, count] of inPassage.get(passage) ?? []) times.set(term, (times.get(term) ?? 0) + count);
  }
  let score = 0;
  for (const [{ weight }, count] of times)
    score += (weight * count * (sessionSaturation + 1)) / (count + sessionSaturation);
  return score;
}

function favourNamedSpeaker(candidates: readonly Candidate[], query: string): void {
  const asked = new Set(analyze(query).map(({ surface }) => surface));
  const authors = new Set(
    candidates.flatMap(({ stored }) => (stored?.entry.kind === 'turn' ? stored.entry.author : [])),
  );
  authors.delete('user');
  const named = [...authors].filter((author) => {
    const words = analyze(author);
    return words.length > 0 && words.every(({ surface }) => asked.has(surface));
  });
  if (named.length !== 1) return;
  for (const candidate of candidates) {
    const entry = candidate.stored?.entry;
    if (entry?.kind === 'turn' && entry.author === named[0]) candidate.total *= namedSpeakerFactor;
  }
}

function matched(candidate: Candidate, inPassage: ReturnType<typeof occurrences>): readonly string[] {
  const surfaces = new Set<string>();
  for (const passage of passagesOfAll([candidate])) {
    for (const { term } of inPassage.get(passage)?.keys() ?? []) if (term.role === 'find') surfaces.add(term.surface);
  }
  return Object.freeze([...surfaces]);
}

function cut(ranked: readonly MemoryEntry[], plan: SearchPlan): Found {
  const memories: MemoryEntry[] = [];
  let tokens = 0;
  let left = false;
  for (const memory of ranked) {
    if ((memory.score ?? 0) < plan.minScore) break;
    if (memories.length === plan.limit) {
      left ||= plan.capped;
      break;
    }
    const cost = plan.tokenBudget === undefined ? 0 : estimateTokens.count(memory.text);
    if (tokens + cost > (plan.tokenBudget ?? 0)) {
      left = true;
      continue;
    }
    tokens += cost;
    memories.push(memory);
  }
  return { memories: Object.freeze(memories), truncated: left };
}

function figuresOf(head: OwnerHead): { readonly passages: number; readonly length: number } {
  let passages = 0;
  let length = 0;
  for (const partition of head.partitions) {
    passages += partition.passages;
    length += partition.length;
  }
  return { passages, length: Math.max(length, 1) };
}

function* passagesOfAll(candidates: Iterable<Pick<Candidate, 'place' | 'passages'>>): Iterable<number> {
  for (const { place, passages } of candidates) for (let index = 0; index < passages; index++) yield place + index;
}

function better(a: Candidate, b: Candidate): number {
  return b.total - a.total || b.place - a.place;
}

function betterThenNewer(a: Candidate, b: Candidate): number {
  if (a.total !== b.total) return b.total - a.total;
  return timeOf(b) - timeOf(a) || b.place - a.place;
}

function timeOf({ stored }: Candidate): number {
  return stored === undefined ? 0 : toMillis(stored.entry.timestamp);
}

function stopIfAborted({ signal }: SearchPlan): void {
  if (signal?.aborted) throw new PalimpsestError('ABORTED', { what: 'The search' }, { cause: signal.reason });
}
