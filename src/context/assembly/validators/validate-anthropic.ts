import type { Content, ModelRequest, Part } from '../../../events/index.ts';

const wellFormedId = /^[a-zA-Z0-9_-]+$/;
const wellFormedName = /^[a-zA-Z0-9_-]{1,128}$/;

/**
 * What the Anthropic Messages API would refuse: roles that do not alternate from user on, blank texts, tool uses that
 * the very next message does not answer first thing, results without a use, ids that are missing, unfit or used twice,
 * unsigned thinking, and thinking at the end of a message.
 */
export function validateAnthropic({ contents, tools, instruction }: ModelRequest): string[] {
  const problems: string[] = [];
  if (contents.length === 0) problems.push('messages: at least one message is required');
  if (contents[0]?.role === 'model') problems.push('messages[0]: must have the role user');
  const ids = new Set<string>();
  contents.forEach((content, index) => {
    const at = `messages[${index}]`;
    if (contents[index - 1]?.role === content.role) problems.push(`${at}: roles must alternate`);
    if (content.parts.length === 0) problems.push(`${at}: has no content`);
    problems.push(...content.parts.flatMap((part, number) => checkBlock(part, content, `${at}.content[${number}]`)));
    const last = content.parts.at(-1);
    if (last?.thought && last.text !== undefined) problems.push(`${at}: ends with thinking`);
    problems.push(...checkIds(content, ids, at), ...checkUses(content, contents[index + 1], at));
    problems.push(...checkResults(content, contents[index - 1], at));
  });
  if (tools.some(({ name }) => !wellFormedName.test(name))) problems.push('tools: a name is not well-formed');
  if (new Set(tools.map(({ name }) => name)).size < tools.length) problems.push('tools: names must be unique');
  if (instruction.some((text) => text.trim() === '')) problems.push('system: has a blank text');
  return problems;
}

function checkBlock(part: Part, { role }: Content, at: string): string[] {
  const problems: string[] = [];
  const { inlineData, fileData, functionCall, functionResponse, executableCode, codeExecutionResult } = part;
  const other = inlineData ?? fileData ?? functionCall ?? functionResponse ?? executableCode ?? codeExecutionResult;
  const isSealed = part.thought === true && part.thoughtSignature !== undefined;
  if (part.text === undefined ? other === undefined : part.text.trim() === '' && !isSealed)
    problems.push(`${at}: text must not be blank`);
  if (inlineData?.data === '') problems.push(`${at}: has no bytes`);
  if (part.thought && part.text !== undefined && !part.thoughtSignature) problems.push(`${at}: thinking is not signed`);
  if (part.thought && role === 'user') problems.push(`${at}: thinking in a message of the user`);
  if (functionCall && role === 'user') problems.push(`${at}: tool_use in a message of the user`);
  if (functionResponse && role === 'model') problems.push(`${at}: tool_result in a message of the assistant`);
  if (functionCall && !wellFormedName.test(functionCall.name)) problems.push(`${at}: tool name`);
  return problems;
}

function checkIds(content: Content, seen: Set<string>, at: string): string[] {
  const problems: string[] = [];
  for (const { functionCall } of content.parts) {
    if (functionCall === undefined) continue;
    const { id = '' } = functionCall;
    if (!wellFormedId.test(id)) problems.push(`${at}: tool_use id ${JSON.stringify(id)} is not well-formed`);
    if (seen.has(id)) problems.push(`${at}: tool_use ids must be unique, ${id} is not`);
    seen.add(id);
  }
  return problems;
}

function checkUses(content: Content, next: Content | undefined, at: string): string[] {
  const results = new Set(next?.parts.map((part) => part.functionResponse?.id));
  return content.parts.flatMap(({ functionCall }) =>
    functionCall === undefined || results.has(functionCall.id)
      ? []
      : `${at}: tool_use ${functionCall.id} has no tool_result in the next message`,
  );
}

function checkResults(content: Content, before: Content | undefined, at: string): string[] {
  const problems: string[] = [];
  const uses = new Set(before?.parts.map((part) => part.functionCall?.id));
  let isPastResults = false;
  for (const { functionResponse } of content.parts) {
    if (functionResponse === undefined) {
      isPastResults = true;
      continue;
    }
    if (isPastResults) problems.push(`${at}: a tool_result stands behind other content`);
    if (functionResponse.id === undefined || !uses.delete(functionResponse.id))
      problems.push(`${at}: tool_result ${functionResponse.id} has no tool_use in the message before, or a second one`);
  }
  return problems;
}
