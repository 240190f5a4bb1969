import { z } from 'zod';
import type { EvaluationDocument, EvaluationQuestion, EvaluationSet } from './evaluation-set.ts';
import { jsonLinesOf, readSetFile, shaped } from './set-file.ts';

const line = z.union([
  z.object({
    session: z.string(),
    id: z.string(),
    text: z.string(),
    speaker: z.string().default('user'),
    timestamp: z.iso.datetime({ offset: true }).optional(),
    user: z.string().default('user'),
  }),
  z.object({
    question: z.string(),
    gold: z.array(z.string()).min(1),
    category: z.string().default('all'),
    user: z.string().default('user'),
  }),
]);

interface OwnCorpus {
  readonly sessions: Map<string, EvaluationDocument[]>;
  readonly questions: EvaluationQuestion[];
}

/**
 * Reads a set of one's own: JSON, a line each, of what was said (`{ session, id, text, speaker?, timestamp?, user? }`) and what
 * is asked (`{ question, gold, category?, user? }`), gold being ids of what was said. Throws INVALID_IMPORT naming the line.
 */
export async function readOwnSet(path: string): Promise<EvaluationSet> {
  const file = await readSetFile(path);
  const corpora = new Map<string, OwnCorpus>();
  for (const { line: number, value } of jsonLinesOf(file)) {
    const read = shaped(line, value, { path, line: number });
    const corpus: OwnCorpus = corpora.get(read.user) ?? { sessions: new Map(), questions: [] };
    corpora.set(read.user, corpus);
    if ('question' in read) {
      const { question: text, gold, category } = read;
      corpus.questions.push({ id: `line ${number}`, text, gold, category });
      continue;
    }
    const { session, id, text, speaker, timestamp } = read;
    const documents = corpus.sessions.get(session) ?? [];
    corpus.sessions.set(session, documents);
    documents.push({ id, text, speaker, ...(timestamp === undefined ? {} : { timestamp }) });
  }
  const leftOut = [...corpora].flatMap(([name, { sessions, questions }]) => {
    const ids = new Set([...sessions.values()].flatMap((documents) => documents.map(({ id }) => id)));
    return questions
      .filter(({ gold }) => !gold.every((id) => ids.has(id)))
      .map(({ id }) => ({ id, why: `names what was not said by or to ${name}` }));
  });
  const out = new Set(leftOut.map(({ id }) => id));
  return {
    ...{ name: path, sha256: [file.sha256], license: 'your own', goldIs: 'document', documentsAre: 'turns', leftOut },
    corpora: [...corpora].map(([name, { sessions, questions }]) => ({
      name,
      sessions: [...sessions].map(([id, documents]) => ({ id, documents })),
      questions: questions.filter(({ id }) => !out.has(id)),
    })),
  };
}
