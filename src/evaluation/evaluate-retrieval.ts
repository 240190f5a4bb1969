import { type MemoryEntry, openPalimpsest, type Palimpsest } from '../index.ts';
import type { EvaluationCorpus, EvaluationQuestion, EvaluationSession, EvaluationSet } from './evaluation-set.ts';
import { meanScores, percentile, type RankingScores, scoreRanking } from './metrics.ts';

/** What a set came to, over all questions or those of a category. */
export interface RetrievalScores {
  readonly questions: number;
  /** Of documents; absent where the gold names sessions. */
  readonly documents?: RankingScores;
  /** Of sessions, each ranked by its best document. */
  readonly sessions: RankingScores;
}

/** What came of one question. */
export interface AnsweredQuestion extends Pick<EvaluationQuestion, 'id' | 'text' | 'category' | 'gold'> {
  readonly corpus: string;
  /** Ids of the first ten documents that were found. */
  readonly found: readonly string[];
  readonly tookMs: number;
}

/** A report on a set. */
export interface RetrievalReport extends RetrievalScores {
  readonly set: string;
  readonly sha256: readonly string[];
  readonly license: string;
  readonly leftOut: EvaluationSet['leftOut'];
  readonly byCategory: Readonly<Record<string, RetrievalScores>>;
  readonly searchMs: { readonly p50: number; readonly p95: number; readonly p99: number };
  readonly answered: readonly AnsweredQuestion[];
}

/** How a set is evaluated. */
export interface EvaluationOptions {
  /** Told after each corpus. */
  readonly onProgress?: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
}

/** As many as a search gives: sessions are ranked by them. */
const mostFound = 100;
const batch = 500;

interface Measured {
  readonly question: EvaluationQuestion;
  readonly answered: AnsweredQuestion;
  readonly documents?: RankingScores;
  readonly sessions: RankingScores;
}

/**
 * Has a memory in this process learn each corpus of a set and asks its questions: turns are appended to sessions and
 * learnt from their logs, memories are added. Throws ABORTED.
 */
export async function evaluateRetrieval(set: EvaluationSet, options: EvaluationOptions = {}): Promise<RetrievalReport> {
  const measured: Measured[] = [];
  for (const [index, corpus] of set.corpora.entries()) {
    await using palimpsest = await openPalimpsest({ appName: 'evaluation', sweepSeconds: 0, telemetry: 'off' });
    const ids = await learn(palimpsest, set, corpus);
    for (const question of corpus.questions) {
      options.signal?.throwIfAborted();
      measured.push(await ask(palimpsest, set, { corpus, question, ids }));
    }
    options.onProgress?.(index + 1, set.corpora.length);
  }
  const categories = [...new Set(measured.map(({ question }) => question.category))].sort();
  const times = measured.map(({ answered }) => answered.tookMs);
  return {
    ...{ set: set.name, sha256: set.sha256, license: set.license, leftOut: set.leftOut },
    ...scoresOf(measured),
    byCategory: Object.fromEntries(
      categories.map((name) => [name, scoresOf(measured.filter(({ question }) => question.category === name))]),
    ),
    searchMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95), p99: percentile(times, 0.99) },
    answered: measured.map(({ answered }) => answered),
  };
}

function scoresOf(measured: readonly Measured[]): RetrievalScores {
  const documents = measured.flatMap((one) => one.documents ?? []);
  return {
    questions: measured.length,
    ...(documents.length === 0 ? {} : { documents: meanScores(documents) }),
    sessions: meanScores(measured.map(({ sessions }) => sessions)),
  };
}

/** Which document an entry stands for. */
type DocumentIds = (entry: MemoryEntry) => string;

async function learn(palimpsest: Palimpsest, set: EvaluationSet, corpus: EvaluationCorpus): Promise<DocumentIds> {
  if (set.documentsAre === 'memories') return remember(palimpsest, corpus);
  const user = palimpsest.user(corpus.name);
  const ids = new Map<string, string>();
  for (const { id, documents } of corpus.sessions) {
    const session = await user.session(id);
    const inputs = documents.map(({ speaker, text, timestamp }) => ({
      ...{ author: speaker, content: text },
      ...(timestamp === undefined ? {} : { timestamp }),
    }));
    for (let start = 0; start < inputs.length; start += batch) {
      const { events } = await session.append(inputs.slice(start, start + batch));
      for (const [index, { seq }] of events.entries()) ids.set(`${id} ${seq}`, documents[start + index]?.id ?? '');
    }
    // What waits for an answer is learnt when a session is over.
    await session.end();
  }
  await palimpsest.settled();
  return ({ provenance: [source] }) =>
    source?.kind === 'event' ? (ids.get(`${source.sessionId} ${source.seq}`) ?? '') : '';
}

async function remember(palimpsest: Palimpsest, { name, sessions }: EvaluationCorpus): Promise<DocumentIds> {
  const memories = sessions.flatMap(({ documents }) =>
    documents.map(({ id, text, timestamp }) => ({ id, text, ...(timestamp === undefined ? {} : { timestamp }) })),
  );
  await palimpsest.memory.add({ appName: palimpsest.appName, userId: name }, memories);
  return ({ id }) => id;
}

async function ask(
  palimpsest: Palimpsest,
  { goldIs }: EvaluationSet,
  {
    corpus,
    question,
    ids,
  }: { readonly corpus: EvaluationCorpus; readonly question: EvaluationQuestion; readonly ids: DocumentIds },
): Promise<Measured> {
  const sessionOf = sessionsOfDocuments(corpus.sessions);
  const scope = { appName: palimpsest.appName, userId: corpus.name };
  const began = performance.now();
  const { memories } = await palimpsest.memory.search({ scope, query: question.text, limit: mostFound });
  const tookMs = performance.now() - began;
  const found = memories.map(ids);
  const sessions = [...new Set(found.map((id) => sessionOf.get(id) ?? id))];
  const gold = new Set(goldIs === 'session' ? question.gold : question.gold.map((id) => sessionOf.get(id) ?? id));
  const { id, text, category } = question;
  return {
    question,
    answered: { id, text, category, gold: question.gold, corpus: corpus.name, found: found.slice(0, 10), tookMs },
    ...(goldIs === 'document' ? { documents: scoreRanking(found, new Set(question.gold)) } : {}),
    sessions: scoreRanking(sessions, gold),
  };
}

const known = new WeakMap<readonly EvaluationSession[], ReadonlyMap<string, string>>();

function sessionsOfDocuments(sessions: readonly EvaluationSession[]): ReadonlyMap<string, string> {
  const before = known.get(sessions);
  if (before !== undefined) return before;
  const made = new Map(sessions.flatMap(({ id, documents }) => documents.map((one) => [one.id, id] as const)));
  known.set(sessions, made);
  return made;
}
