import { z } from 'zod';
import type { EvaluationCorpus, EvaluationSession, EvaluationSet } from './evaluation-set.ts';
import { jsonOf, readSetFile, type SetFile, shaped } from './set-file.ts';
import { spokenInstant } from './spoken-instant.ts';

const message = z.object({ role: z.string(), content: z.string() });

const official = z.array(
  z.object({
    question_id: z.string(),
    question_type: z.string(),
    question: z.string(),
    answer_session_ids: z.array(z.string()),
    haystack_session_ids: z.array(z.string()),
    haystack_dates: z.array(z.string()).optional(),
    haystack_sessions: z.array(z.array(message)),
  }),
);

const sampled = z.object({
  sessions: z.record(z.string(), z.object({ time: z.string().optional(), turns: z.array(z.unknown()) })),
  haystacks: z.array(z.array(z.string())),
  questions: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      question: z.string(),
      haystack: z.number().int(),
      gold: z.array(z.string()),
    }),
  ),
});

const turn = z.union([
  message,
  z.object({ role: z.string(), text: z.string() }).transform(({ role, text }) => ({ role, content: text })),
  z.tuple([z.string(), z.string()]).transform(([role, content]) => ({ role, content })),
]);

/** Reads LongMemEval (Wu et al. 2024): its own format, or haystacks that share their sessions. */
export async function readLongMemoryEval(path: string): Promise<EvaluationSet> {
  const file = await readSetFile(path);
  const value = jsonOf(file);
  const corpora = Array.isArray(value) ? officialCorpora(value, file) : sampledCorpora(value, file);
  // Questions that cannot be answered name no session.
  const leftOut = corpora.flatMap(({ questions }) =>
    questions
      .filter(({ gold }) => gold.length === 0)
      .map(({ id }) => ({ id, why: 'names no session: to abstain is right' })),
  );
  const asked = corpora.map((corpus) => ({
    ...corpus,
    questions: corpus.questions.filter(({ gold }) => gold.length > 0),
  }));
  return {
    ...{ name: 'lme', sha256: [file.sha256], license: 'MIT', goldIs: 'session', documentsAre: 'turns' },
    corpora: asked,
    leftOut,
  };
}

function officialCorpora(value: unknown, file: SetFile): readonly EvaluationCorpus[] {
  return shaped(official, value, file).map((one) => ({
    name: one.question_id,
    sessions: one.haystack_session_ids.map((id, index) =>
      sessionOf(id, one.haystack_sessions[index] ?? [], one.haystack_dates?.[index]),
    ),
    questions: [{ id: one.question_id, text: one.question, category: one.question_type, gold: one.answer_session_ids }],
  }));
}

function sampledCorpora(value: unknown, file: SetFile): readonly EvaluationCorpus[] {
  const { sessions, haystacks, questions } = shaped(sampled, value, file);
  const turns = z.array(turn);
  return haystacks.map((ids, index) => ({
    name: `haystack ${index}`,
    sessions: ids.map((id) => sessionOf(id, shaped(turns, sessions[id]?.turns, file), sessions[id]?.time)),
    questions: questions
      .filter(({ haystack }) => haystack === index)
      .map(({ id, type, question, gold }) => ({ id, text: question, category: type, gold })),
  }));
}

function sessionOf(id: string, turns: readonly z.infer<typeof message>[], time: string | undefined): EvaluationSession {
  const timestamp = spokenInstant(time);
  const documents = turns.map(({ role, content }, index) => ({
    ...{ id: `${id}#${index + 1}`, speaker: role, text: content },
    ...(timestamp === undefined ? {} : { timestamp }),
  }));
  return { id, documents: documents.filter(({ text }) => text.trim() !== '') };
}
