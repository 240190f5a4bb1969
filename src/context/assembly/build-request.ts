import { type Block, type Content, type ModelRequest, type Provider, textOf } from '../../events/index.ts';
import type { Assembly } from './assembly.ts';
import { providerRules } from './provider-rules.ts';
import type { RequestParts } from './request-parts.ts';
import { RequestRow } from './request-row.ts';

/**
 * Puts blocks and conversation together. Instruction texts first, tools by name; then, as contents, stable blocks, the
 * conversation up to the newest question, the transient blocks, and what followed the question. So the transient ones
 * keep their place for the whole invocation, and without them one request's contents begin the next one's.
 */
export function buildRequest(parts: RequestParts, provider: Provider): ModelRequest {
  const rules = providerRules[provider];
  const given = [...parts.instruction, ...(parts.examples ?? []), ...(parts.documents ?? [])];
  const stable = given.filter((block) => block.stable);
  const transient = [...given.filter((block) => !block.stable), ...parts.transient];
  const row = new RequestRow(rules);
  row.add(stable.flatMap(({ kind, content }) => (kind === 'instruction' ? [] : content)));
  const rest = addThroughQuestion(row, parts.assembly, provider);
  row.addTransient(transient.map(({ content }) => ({ ...content, role: 'user' })));
  row.addConversation(rest.contents, rest.isLaidOut);
  return Object.freeze({
    instruction: instructionOf(stable),
    tools: [...parts.tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    ...row.laid(),
  });
}

function instructionOf(stable: readonly Block[]): readonly string[] {
  return stable
    .flatMap(({ kind, content }) => (kind === 'instruction' ? textOf(content) : []))
    .filter((text) => text.trim() !== '');
}

/** Adds the conversation up to and with the newest question; what follows it, or nothing if there is no question. */
function addThroughQuestion(row: RequestRow, assembly: Assembly, provider: Provider): Conversation {
  const { contents, question } = assembly;
  const isLaidOut = assembly.provider === provider;
  const asked = question && contents[question.content];
  if (question === undefined || asked === undefined) {
    row.addConversation(contents, isLaidOut);
    return { contents: [], isLaidOut };
  }
  row.addConversation(contents.slice(0, question.content), isLaidOut);
  const rest = contents.slice(question.content + 1);
  if (question.parts >= asked.parts.length) {
    row.addConversation([asked], isLaidOut);
    return { contents: rest, isLaidOut };
  }
  row.addConversation([{ ...asked, parts: asked.parts.slice(0, question.parts) }], isLaidOut);
  return { contents: [{ ...asked, parts: asked.parts.slice(question.parts) }, ...rest], isLaidOut };
}

interface Conversation {
  readonly contents: readonly Content[];
  /** The contents keep the provider's rules among themselves. */
  readonly isLaidOut: boolean;
}
