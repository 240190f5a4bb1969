import { join } from 'node:path';
import { z } from 'zod';
import type {
  EvaluationCorpus,
  EvaluationQuestion,
  EvaluationSession,
  EvaluationSet,
  LeftOut,
} from './evaluation-set.ts';
import { jsonLinesOf, readSetFile, type SetFile, shaped } from './set-file.ts';
import { spokenInstant } from './spoken-instant.ts';

const user = z.union([z.string(), z.number()]).transform(String);

const memoryLine = z.record(
  z.string(),
  z.object({
    time: z.string().optional(),
    scene: z.string().optional(),
    emotion: z.string().optional(),
    event: z.string(),
    'user-id': user.optional(),
    id: user.optional(),
  }),
);

const dialogueLine = z.object({
  dialogue: z.array(z.string()),
  'test-turn': z.union([z.number(), z.array(z.number())]),
  'relevant-id': z.array(user).optional(),
  'user-id': user.optional(),
});

/** The English memories name no user. */
const everybody = 'everybody';

/**
 * Reads MADial-Bench (He et al. 2025) in one language from its folder: memories of each user, and talks in which one of
 * them should come to mind; what was said before that turn is the question.
 */
export async function readMadial(folder: string, language: 'zh' | 'en'): Promise<EvaluationSet> {
  const memories = await readSetFile(join(folder, `MADial-Bench-${language}-memory.json`));
  const talks = await readSetFile(join(folder, `MADial-Bench-${language}-dialogue.json`));
  const sessions = sessionsByUser(memories);
  const { questions, leftOut } = questionsByUser(talks, sessions);
  const corpora = [...sessions].flatMap(([name, own]): EvaluationCorpus | [] => {
    const asked = questions.get(name) ?? [];
    return asked.length === 0 ? [] : { name, sessions: own, questions: asked };
  });
  return {
    ...{ name: `madial-${language}`, sha256: [memories.sha256, talks.sha256], license: 'MIT' },
    ...{ goldIs: 'document', documentsAre: 'memories', corpora, leftOut },
  };
}

function sessionsByUser(file: SetFile): Map<string, EvaluationSession[]> {
  const sessions = new Map<string, EvaluationSession[]>();
  for (const { line, value } of jsonLinesOf(file)) {
    for (const [key, memory] of Object.entries(shaped(memoryLine, value, { ...file, line }))) {
      const { 'user-id': userId = everybody, id = key, event, scene = '', emotion = '', time } = memory;
      const timestamp = spokenInstant(time);
      const text = [event, scene, emotion].filter((part) => part !== '').join(' ');
      const document = { id, speaker: 'user', text, ...(timestamp === undefined ? {} : { timestamp }) };
      sessions.set(userId, [...(sessions.get(userId) ?? []), { id, documents: [document] }]);
    }
  }
  return sessions;
}

function questionsByUser(file: SetFile, sessions: ReadonlyMap<string, readonly EvaluationSession[]>) {
  const questions = new Map<string, EvaluationQuestion[]>();
  const leftOut: LeftOut[] = [];
  for (const { line, value } of jsonLinesOf(file)) {
    const talk = shaped(dialogueLine, value, { ...file, line });
    const own = talk['user-id'] ?? everybody;
    const userId = sessions.has(own) ? own : everybody;
    const ids = new Set(sessions.get(userId)?.map(({ id }) => id));
    const turn = Math.min(...[talk['test-turn']].flat());
    const text = talk.dialogue.slice(1, turn).map(said).join(' ').trim();
    const gold = (talk['relevant-id'] ?? []).filter((id) => ids.has(id));
    const id = `talk ${line}`;
    if (gold.length === 0) leftOut.push({ id, why: 'no memory of its user is relevant' });
    else if (text === '') leftOut.push({ id, why: 'nothing was said before the turn' });
    else questions.set(userId, [...(questions.get(userId) ?? []), { id, text, category: 'recall', gold }]);
  }
  return { questions, leftOut };
}

/** Without the speaker's mark and quotation marks. */
function said(line: string): string {
  return line.replace(/^<[^>]*>:\s*/, '').replace(/["“”\n]/g, ' ');
}
