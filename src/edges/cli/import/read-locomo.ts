import { z } from 'zod';
import type { EventInput, Instant } from '../../../events/index.ts';
import { spokenTime } from './foreign-time.ts';
import { type ImportPlace, joinPath, parseForeign } from './import-error.ts';
import { type ImportSource, placeOf } from './import-source.ts';
import { type ForeignSession, type ImportReader, present, type ReaderOptions, readEach } from './read-session.ts';

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
  img_url: z.array(z.string()).optional(),
});

const sampleSchema = z.object({
  sample_id: z.string(),
  conversation: z.looseObject({ speaker_a: z.string(), speaker_b: z.string() }),
});

type Turn = z.infer<typeof turnSchema>;
type Sample = z.infer<typeof sampleSchema>;

/**
 * Reads LoCoMo (Maharana et al. 2024): each conversation is a user, each of its sessions a session. The first speaker
 * is the user, the other the agent; questions, summaries and image search queries are not part of what was said.
 */
export function readLocomo(source: ImportSource, options: ReaderOptions): ReturnType<ImportReader> {
  return readEach(source, (record) => {
    const place = placeOf(source, record);
    const sample = parseForeign(sampleSchema, record.value, place);
    return sessionNumbers(sample).map((number) => () => readSession(sample, `session_${number}`, place, options));
  });
}

function readSession(sample: Sample, name: string, place: ImportPlace, options: ReaderOptions): ForeignSession {
  const { conversation, sample_id: sampleId } = sample;
  const field = joinPath(place.field, ['conversation', name]);
  const turns = parseForeign(z.array(turnSchema), conversation[name], { ...place, field });
  const spoken = conversation[`${name}_date_time`];
  const timestamp = typeof spoken === 'string' ? spokenTime(spoken) : undefined;
  return {
    userId: options.userId ?? sampleId,
    sessionId: `${sampleId}/${name}`,
    name: `${sampleId}/${name}`,
    place: { ...place, field },
    metadata: present({
      speakers: [conversation.speaker_a, conversation.speaker_b],
      dateTime: timestamp === undefined ? spoken : undefined,
    }),
    events: turns.map((turn, index) => ({
      input: toEvent(turn, sample, timestamp),
      place: { ...place, field: joinPath(field, [index]) },
    })),
  };
}

/** The document may list them in any order. */
function sessionNumbers(sample: Sample): number[] {
  const numbers = Object.keys(sample.conversation).map((key) => Number(/^session_(\d+)$/.exec(key)?.[1] ?? Number.NaN));
  return numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
}

function toEvent(turn: Turn, sample: Sample, timestamp: Instant | undefined): EventInput {
  const image = turn.blip_caption ? `[image: ${turn.blip_caption}]` : '';
  return {
    id: `${sample.sample_id}/${turn.dia_id}`,
    author: turn.speaker === sample.conversation.speaker_a ? 'user' : turn.speaker,
    content: [turn.text, image].filter((piece) => piece !== '').join(' '),
    ...(timestamp === undefined ? {} : { timestamp }),
    customMetadata: present({ speaker: turn.speaker, imageCaption: turn.blip_caption, imageUrls: turn.img_url }),
  };
}
