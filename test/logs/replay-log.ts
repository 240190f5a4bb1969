import { isPalimpsestError } from '../../src/errors/index.ts';
import { type Event, type EventInput, foldCoverage, isBookkeeping, type SessionKey } from '../../src/events/index.ts';
import type { SessionService } from '../../src/sessions/index.ts';
import type { LoggedInput } from './log-builder.ts';

/** Stands where an append refuses what a generated log holds, so that the seqs of what follows stay as they are. */
const placeholder: EventInput = { author: 'system', actions: { sessionEnd: true } };

/**
 * Appends a generated log event by event, told of the log after each, and returns it as it is stored. Marks name only
 * what they may; of summaries, every other one runs over the bookkeeping between the events that it covers.
 */
export async function replayLog(
  service: SessionService,
  key: SessionKey,
  log: readonly LoggedInput[],
  afterEach?: (events: readonly Event[]) => Promise<void>,
): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (const input of log) {
    const { events: added } = await appendOr(service, key, fitting(input, events));
    events.push(...added);
    await afterEach?.(events);
  }
  return events;
}

async function appendOr(service: SessionService, key: SessionKey, input: EventInput) {
  try {
    return await service.append(key, [input]);
  } catch (error) {
    if (!isPalimpsestError(error)) throw error;
    return service.append(key, [placeholder]);
  }
}

function fitting({ seq: _, tokens: __, ...input }: LoggedInput, events: readonly Event[]): EventInput {
  const { actions } = input;
  const { pin, unpin, trim, compaction } = actions ?? {};
  const marks = pin ?? unpin ?? trim;
  if (marks !== undefined) {
    const coverage = foldCoverage(events);
    const isFit = (seq: number) => {
      const event = events[seq - 1];
      return event !== undefined && !isBookkeeping(event) && coverage.isLive(seq);
    };
    const fit = { ...marks, seqs: marks.seqs.filter(isFit) };
    return { ...input, actions: pin ? { pin: fit } : unpin ? { unpin: fit } : { trim: { keepChars: 0, ...fit } } };
  }
  if (compaction === undefined || events.length % 2 === 0) return input;
  return { ...input, actions: { compaction: { ...compaction, covers: overBookkeeping(compaction.covers, events) } } };
}

function overBookkeeping(covers: readonly (readonly [number, number])[], events: readonly Event[]) {
  const joined: [number, number][] = [];
  for (const [from, to] of covers) {
    const last = joined.at(-1);
    if (last !== undefined && events.slice(last[1], from - 1).every(isBookkeeping)) last[1] = to;
    else joined.push([from, to]);
  }
  return joined;
}
