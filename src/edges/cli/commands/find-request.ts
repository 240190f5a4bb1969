import type { ContextRequest, Palimpsest, PastRequest } from '../../../engine/index.ts';
import { isPalimpsestError, PalimpsestError } from '../../../errors/index.ts';
import type { Event, Provider, RequestJournal } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { agentOf } from './agent-of.ts';
import { newestEvents } from './newest-events.ts';

/** For whom a request is, where no journal says so. */
export interface RequestFor {
  readonly agent?: string | undefined;
  readonly provider?: Provider | undefined;
}

/** A request that is shown. */
export type ShownRequest = NextRequest | SentRequest;

/** One that nobody sent: the next one of the session, or what it would have been when an earlier event was the newest. */
export interface NextRequest {
  readonly kind: 'next' | 'earlier';
  /** The newest event that it could see. */
  readonly throughSeq: number;
  readonly agentName: string;
  readonly provider: Provider;
  readonly request: ContextRequest;
  readonly journal?: undefined;
  /** A callback put another request in the place of the one that was made; nothing of it is kept. */
  readonly isReplaced: boolean;
}

/** One that was sent and answered, rebuilt. */
export interface SentRequest {
  readonly kind: 'sent';
  readonly throughSeq: number;
  readonly agentName: string;
  readonly provider: Provider;
  readonly request: PastRequest;
  readonly journal: RequestJournal;
}

const spokenLately = 20;

/** The next request of a session. */
export async function nextRequest(palimpsest: Palimpsest, info: SessionInfo, whom: RequestFor): Promise<NextRequest> {
  const { agentName, provider } = await readWhom(palimpsest, info, whom);
  const request = await palimpsest.context(info.key, { agentName, provider });
  return { kind: 'next', throughSeq: info.version, agentName, provider, request, isReplaced: false };
}

/** What is asked for an event's request. */
export interface EventAsked {
  /** As it was typed. */
  readonly seq: string;
  /** The option that it was typed behind: `--at` or `--diff`. */
  readonly option: string;
  /** The whole option, with a seq that would do in its place. */
  readonly example: (seq: number) => string;
}

/**
 * The request that an event answers, as it was sent; of an event that answers none, the request that would have followed
 * it. Throws INVALID_ARGUMENT for what is no event of the session, and where somebody else than the journal names is
 * asked for.
 */
export async function requestAt(
  palimpsest: Palimpsest,
  info: SessionInfo,
  { asked, whom }: { readonly asked: EventAsked; readonly whom: RequestFor },
): Promise<ShownRequest> {
  const event = await readEvent(palimpsest, info, asked);
  if (event.request !== undefined) return sentRequest(palimpsest, info, { event, asked, whom });
  const { agentName, provider } = await readWhom(palimpsest, info, whom, event.seq);
  const request = await palimpsest.context(info.key, { agentName, provider, throughSeq: event.seq });
  const isReplaced = event.customMetadata?.requestReplaced === true;
  return { kind: 'earlier', throughSeq: event.seq, agentName, provider, request, isReplaced };
}

/**
 * The requests of two events. What was never sent is for the same agent and provider as the other one, so that the two
 * can be compared.
 */
export async function requestPair(
  palimpsest: Palimpsest,
  info: SessionInfo,
  { asked, whom }: { readonly asked: readonly [EventAsked, EventAsked]; readonly whom: RequestFor },
): Promise<readonly [ShownRequest, ShownRequest]> {
  const first = await requestAt(palimpsest, info, { asked: asked[0], whom });
  const second = await requestAt(palimpsest, info, { asked: asked[1], whom });
  const { agentName, provider } = first.kind === 'sent' ? first : second;
  const alike = async (shown: ShownRequest, event: EventAsked) => {
    const isAlike = shown.agentName === agentName && shown.provider === provider;
    if (isAlike || shown.kind === 'sent') return shown;
    return requestAt(palimpsest, info, { asked: event, whom: { agent: agentName, provider } });
  };
  return [await alike(first, asked[0]), await alike(second, asked[1])];
}

async function sentRequest(
  palimpsest: Palimpsest,
  { key }: SessionInfo,
  { event, asked, whom }: { readonly event: Event; readonly asked: EventAsked; readonly whom: RequestFor },
): Promise<SentRequest> {
  const request = await explained(palimpsest, key, { seq: event.seq, option: asked.option });
  const { view } = request.journal;
  for (const option of ['agent', 'provider'] as const) {
    if (whom[option] === undefined) continue;
    const own = option === 'agent' ? view.agentName : view.provider;
    const reason = `cannot be chosen for event ${event.seq}: it answers a request that was made for ${own}; leave it out`;
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: `--${option}`, reason });
  }
  const { agentName, provider } = view;
  return {
    kind: 'sent',
    throughSeq: request.journal.throughSeq,
    agentName,
    provider,
    request,
    journal: request.journal,
  };
}

async function explained(
  palimpsest: Palimpsest,
  key: SessionInfo['key'],
  { seq, option }: { readonly seq: number; readonly option: string },
): Promise<PastRequest> {
  try {
    return await palimpsest.explain(key, seq);
  } catch (error) {
    if (!isPalimpsestError(error, 'INVALID_ARGUMENT')) throw error;
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: option, reason: error.details.reason }, { cause: error });
  }
}

async function readEvent(palimpsest: Palimpsest, info: SessionInfo, asked: EventAsked): Promise<Event> {
  const { seq: typed, option, example } = asked;
  const seq = /^\d{1,15}$/.test(typed) ? Number(typed) : Number.NaN;
  if (seq >= 1 && seq <= info.version) {
    const { items } = await palimpsest.sessions.read(info.key, { fromSeq: seq, toSeq: seq, limit: 1 });
    const [event] = items;
    if (event !== undefined) return event;
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: option, reason: `names event ${seq}, which was erased` });
  }
  const reason =
    info.version === 0
      ? `needs an event, and session ${JSON.stringify(info.key.sessionId)} has none yet`
      : `must name an event by its seq, 1 to ${info.version}, such as ${example(info.version)}; ${JSON.stringify(typed)} is none`;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: option, reason });
}

async function readWhom(
  palimpsest: Palimpsest,
  info: SessionInfo,
  { agent, provider = 'gemini' }: RequestFor,
  toSeq?: number,
): Promise<{ readonly agentName: string; readonly provider: Provider }> {
  if (agent !== undefined) return { agentName: agent, provider };
  const lately = await newestEvents(palimpsest, info.key, { limit: spokenLately, toSeq });
  return { agentName: agentOf(lately), provider };
}
