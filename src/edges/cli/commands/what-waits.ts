import type { Palimpsest } from '../../../engine/index.ts';
import { type Event, functionCalls, functionResponses, type SessionKey } from '../../../events/index.ts';

/** What an event asks for before it may be folded: results of tools, or a word of a person. */
export interface Waiting {
  readonly seq: number;
  readonly for: readonly {
    readonly kind: 'result' | 'confirmation' | 'authorisation';
    /** Name of the tool, if the event tells. */
    readonly tool?: string;
  }[];
}

const kindTexts = {
  result: 'its result',
  confirmation: 'a confirmation',
  authorisation: 'an authorisation',
} as const;

/** What events that block a fold wait for. */
export async function whatWaits(
  palimpsest: Palimpsest,
  key: SessionKey,
  seqs: readonly number[],
): Promise<readonly Waiting[]> {
  return Promise.all(
    seqs.map(async (seq): Promise<Waiting> => {
      const { items } = await palimpsest.sessions.read(key, { fromSeq: seq, toSeq: seq });
      const asked = items.flatMap(asksOf);
      const answered = await Promise.all(asked.map(({ id }) => isAnswered(palimpsest, key, { id, seq })));
      const open = asked.filter((_, index) => answered[index] !== true);
      // A first word is not the last one of what takes long, so that all may seem answered.
      return { seq, for: (open.length === 0 ? asked : open).map(({ id: _, ...ask }) => ask) };
    }),
  );
}

/** The same in words: `book_room waits for a confirmation`. */
export function waitingText({ for: asks }: Waiting): string {
  return asks.map(({ kind, tool = 'something' }) => `${tool} waits for ${kindTexts[kind]}`).join('; ');
}

type Ask = Waiting['for'][number] & { readonly id: string | undefined };

function asksOf({ content, actions }: Event): readonly Ask[] {
  const { requestedToolConfirmations = {}, requestedAuthConfigs = {} } = actions;
  const calls = functionCalls(content);
  const named = (id: string, kind: Ask['kind']): Ask => {
    const tool = calls.find((call) => call.id === id)?.name;
    return { id, kind, ...(tool === undefined ? {} : { tool }) };
  };
  const persons = [
    ...Object.keys(requestedToolConfirmations).map((id) => named(id, 'confirmation')),
    ...Object.keys(requestedAuthConfigs).map((id) => named(id, 'authorisation')),
  ];
  const others = calls.filter(({ id }) => !persons.some((ask) => ask.id === id));
  return [...persons, ...others.map(({ id, name }): Ask => ({ id, kind: 'result', tool: name }))];
}

async function isAnswered(
  palimpsest: Palimpsest,
  key: SessionKey,
  { id, seq }: { readonly id: string | undefined; readonly seq: number },
): Promise<boolean> {
  if (id === undefined) return false;
  const events = await palimpsest.sessions.readCall(key, id);
  return events.some((event) => event.seq > seq && functionResponses(event.content).some((one) => one.id === id));
}
