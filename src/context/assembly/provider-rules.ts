import type { Part, Provider, Role } from '../../events/index.ts';

/** What one provider demands of contents. */
export interface ProviderRules {
  /** Neighbours of one role become one content. */
  readonly alternates: boolean;
  /** Blocks around the conversation may not stand as contents of their own beside one of the same role. */
  readonly mergesBlocks: boolean;
  /** Calls are paired by id, which must look like this; `undefined`: by position. */
  readonly callId: RegExp | undefined;
  readonly toolName: RegExp;
  /** A tool's result must be an object. */
  readonly objectResponses: boolean;
  /** Takes its own thoughts back unsigned, and a signature alone. */
  readonly looseThoughts: boolean;
  /** A content of the model's side may end with a thought. */
  readonly thoughtsMayEnd: boolean;
}

/** The rules of each provider. */
export const providerRules: Readonly<Record<Provider, ProviderRules>> = {
  gemini: {
    alternates: false,
    mergesBlocks: false,
    callId: undefined,
    toolName: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/,
    objectResponses: true,
    looseThoughts: true,
    thoughtsMayEnd: true,
  },
  anthropic: {
    alternates: true,
    mergesBlocks: true,
    callId: /^[A-Za-z0-9_-]{1,64}$/,
    toolName: /^[A-Za-z0-9_-]{1,64}$/,
    objectResponses: false,
    looseThoughts: false,
    thoughtsMayEnd: false,
  },
  openai: {
    alternates: true,
    mergesBlocks: false,
    callId: /^[A-Za-z0-9_-]{1,40}$/,
    toolName: /^[A-Za-z0-9_-]{1,64}$/,
    objectResponses: false,
    looseThoughts: false,
    thoughtsMayEnd: true,
  },
};

/** True if the part may stand on that side: it has a payload, thoughts are the model's and signed where they must be. */
export function mayStand(part: Part, side: Role, rules: ProviderRules): boolean {
  const isSigned = part.thoughtSignature !== undefined;
  // A thought may be sealed: its signature is all there is of it, and the provider wants it back.
  if (isBlank(part)) return isSigned && side === 'model' && (rules.looseThoughts || isThought(part));
  return !isThought(part) || (side === 'model' && (isSigned || rules.looseThoughts));
}

/** True if the part makes its event a part of the conversation: it may stand and is more than an unsigned thought. */
export function speaks(part: Part, side: Role, rules: ProviderRules): boolean {
  if (part.thoughtSignature !== undefined && rules.looseThoughts && side === 'model') return true;
  return !isBlank(part) && !isThought(part);
}

/** True for text that the model thought; a call that comes with a thought is still a call. */
export function isThought(part: Part): boolean {
  return part.thought === true && part.text !== undefined;
}

/** True for a text that says nothing, and for a part without any payload. */
function isBlank(part: Part): boolean {
  if (part.text !== undefined) return part.text.trim() === '';
  if (part.inlineData !== undefined) return part.inlineData.data === '';
  return (
    part.functionCall === undefined &&
    part.functionResponse === undefined &&
    part.fileData === undefined &&
    part.executableCode === undefined &&
    part.codeExecutionResult === undefined
  );
}
