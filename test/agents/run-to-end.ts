import {
  type Agent,
  type Event,
  openPalimpsest,
  type Palimpsest,
  type PartialEvent,
  type RunInput,
} from '../../src/index.ts';

/** What a run yielded, and what ended it if it failed. */
export interface WholeRun {
  readonly events: readonly Event[];
  readonly pieces: readonly PartialEvent[];
  readonly failure?: unknown;
}

/** Whose session the tests of runs speak in. */
export const place = { userId: 'u1', sessionId: 's1' } as const;

/** Reads a run to its end. A failure is a value, so that what came before it can be looked at. */
export async function runToEnd(
  agent: Agent,
  input: Omit<RunInput, 'userId' | 'sessionId'> & Partial<RunInput>,
): Promise<WholeRun> {
  const events: Event[] = [];
  const pieces: PartialEvent[] = [];
  try {
    for await (const event of agent.run({ ...place, ...input })) {
      if (event.partial === true) pieces.push(event);
      else events.push(event);
    }
    return { events, pieces };
  } catch (failure) {
    return { events, pieces, failure };
  }
}

/** An open Palimpsest in memory that does nothing by itself. */
export function openQuiet(options: Parameters<typeof openPalimpsest>[0] = {}): Promise<Palimpsest> {
  return openPalimpsest({ appName: 'test', sweepSeconds: 0, ...options });
}

/** All events of the tests' session as the log has them. */
export async function logOf(palimpsest: Palimpsest, sessionId: string = place.sessionId): Promise<readonly Event[]> {
  const page = await palimpsest.sessions.read(
    { appName: palimpsest.appName, userId: place.userId, sessionId },
    { limit: 1000 },
  );
  return page.items;
}

/** An event in one line: its author and the kinds and texts of its parts. */
export function outline(event: Event): string {
  const parts = event.content?.parts.map((part) => {
    if (part.functionCall) return `call ${part.functionCall.name}`;
    if (part.functionResponse) return `answer ${part.functionResponse.name}`;
    return part.thought ? `(${part.text})` : (part.text ?? 'other');
  });
  const said = parts === undefined ? '-' : parts.join(' + ');
  return `${event.author}: ${said}${event.errorCode === undefined ? '' : ` !${event.errorCode}`}`;
}
