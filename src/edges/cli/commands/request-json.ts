import type { ShownRequest } from './find-request.ts';

/** A request that is shown, as JSON: what the model is given, for whom, what it is made of, and how it stands. */
export function requestJson(shown: ShownRequest) {
  const { kind, agentName, provider, throughSeq, request } = shown;
  const { instruction, tools, contents, transient, transientParts, explanation } = request;
  const told = {
    kind,
    agentName,
    provider,
    throughSeq,
    instruction,
    tools,
    contents,
    transient,
    transientParts,
    explanation,
  };
  if (shown.kind !== 'sent') return { ...told, memories: shown.request.memories };
  const { standing, answer } = shown.request;
  return { ...told, standing, answerSeq: answer.seq, usage: answer.usage, journal: shown.journal };
}
