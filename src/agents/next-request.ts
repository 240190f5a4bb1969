import { estimateRequest } from '../context/assembly/index.ts';
import type { AgentRequest } from '../context/compaction/index.ts';
import type { SessionKey, View } from '../events/index.ts';
import type { RequestInput } from './invocation-driver.ts';
import { nameOf } from './recent-map.ts';
import { buildSeen } from './request-maker.ts';
import { RequestMedia } from './request-media.ts';
import type { SharedParts } from './shared-parts.ts';

/** What a request was made of, besides the log. */
export interface SentInput {
  readonly input: RequestInput;
  readonly view: View;
}

/** Under which the input of an agent's last request is remembered. */
export function nameOfSender({ appName, userId, sessionId }: SessionKey, agentName: string): string {
  return nameOf(appName, userId, sessionId, agentName);
}

/**
 * The request that an agent would send if the user said nothing more: its last one, which the provider has cached, with
 * what has come since and without what was for that one only. `undefined` where this process has sent none.
 */
export async function nextRequest(
  { sessions, logs, sent, caching, countTokens: counter }: SharedParts,
  key: SessionKey,
  agentName: string,
): Promise<Pick<AgentRequest, 'request' | 'cache'> | undefined> {
  const last = sent.get(nameOfSender(key, agentName));
  const session = last && (await sessions.open(key));
  if (last === undefined || session === undefined) return undefined;
  const { input, view } = last;
  const { held, seen } = await logs.take(session).readView(sessions, view);
  const { request, blocks } = buildSeen(seen, { ...input, transient: [] }, view);
  const { provider } = view;
  const tokens = estimateRequest(request, { provider, counter, events: held.events, blocks });
  const cache = caching?.marksFor({ request, input, tokens, seen, session: key, agentName });
  const filled = await new RequestMedia(sessions.artifacts, key).fill(request, held.events);
  return { request: filled, ...(cache && { cache }) };
}
