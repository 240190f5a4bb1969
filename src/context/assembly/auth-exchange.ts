import type { Part } from '../../events/index.ts';

/** Calls by which a framework asks the user for a credential or a confirmation; no model made or awaits them. */
const authCalls: ReadonlySet<string> = new Set(['adk_request_credential', 'adk_request_confirmation']);

/** True if the part belongs to a request for a credential or a confirmation, or to its answer. */
export function isAuthExchange(part: Part): boolean {
  const name = part.functionCall?.name ?? part.functionResponse?.name;
  return name !== undefined && authCalls.has(name);
}
