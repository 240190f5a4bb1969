import { z } from 'zod';
import type { EvaluationQuestion, EvaluationSession, EvaluationSet, LeftOut } from './evaluation-set.ts';
import { jsonOf, readSetFile, shaped } from './set-file.ts';
import { spokenInstant } from './spoken-instant.ts';

const turn = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});

const samples = z.array(
  z.object({
    sample_id: z.string(),
    conversation: z.looseObject({}),
    qa: z.array(
      z.object({ question: z.string(), category: z.number().int(), evidence: z.array(z.string()).optional() }),
    ),
  }),
);

type Sample = z.infer<typeof samples>[number];

const categories: readonly string[] = ['', 'multi-hop', 'temporal', 'open-domain', 'single-hop', 'adversarial'];

/** Reads LoCoMo (Maharana et al. 2024): each conversation is a user's memory. Its search words of images are not read. */
export async function readLocomo(path: string): Promise<EvaluationSet> {
  const file = await readSetFile(path);
  const leftOut: LeftOut[] = [];
  const corpora = shaped(samples, jsonOf(file), file).map((sample) => {
    const sessions = sessionsOf(sample, path);
    const ids = new Set(sessions.flatMap(({ documents }) => documents.map(({ id }) => id)));
    const questions = sample.qa.flatMap((asked, index): EvaluationQuestion | [] => {
      const id = `${sample.sample_id}/${index + 1}`;
      const gold = evidenceOf(asked.evidence ?? []).filter((one) => ids.has(one));
      if (gold.length > 0)
        return {
          id,
          text: asked.question,
          category: `${asked.category} ${categories[asked.category] ?? ''}`.trim(),
          gold,
        };
      leftOut.push({
        id,
        why: asked.evidence?.length ? `evidence ${asked.evidence.join(', ')} names no turn` : 'no evidence',
      });
      return [];
    });
    return { name: sample.sample_id, sessions, questions };
  });
  const license = 'CC BY-NC 4.0: to evaluate with, not to train or tune on';
  return {
    name: 'locomo',
    sha256: [file.sha256],
    license,
    goldIs: 'document',
    documentsAre: 'turns',
    corpora,
    leftOut,
  };
}

function sessionsOf({ conversation }: Sample, path: string): EvaluationSession[] {
  const numbers = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.slice(1).map(Number) ?? [])
    .sort((a, b) => a - b);
  return numbers.flatMap((number) => {
    const turns = shaped(z.array(turn), conversation[`session_${number}`], { path });
    const timestamp = spokenInstant(conversation[`session_${number}_date_time`]);
    const documents = turns.map(({ dia_id: id, speaker, text, blip_caption: caption }) => ({
      ...{ id, speaker },
      text: caption === undefined ? text : `${text} [shared image: ${caption}]`,
      ...(timestamp === undefined ? {} : { timestamp }),
    }));
    return documents.length === 0 ? [] : [{ id: `D${number}`, documents }];
  });
}

/** Some name several turns in one, with zeros in front, or with a colon too many. */
function evidenceOf(given: readonly string[]): readonly string[] {
  const ids = given
    .flatMap((one) => one.split(/[;,\s]+/))
    .flatMap((one) => {
      const [, session, number] = /^D:?(\d+):0*(\d+)$/.exec(one.trim()) ?? [];
      return session === undefined ? [] : `D${session}:${number}`;
    });
  return [...new Set(ids)];
}
