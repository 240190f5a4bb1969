import type { Content, ModelRequest, Part } from '../../../events/index.ts';

const declaredName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;

const payloads = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
] as const;

/**
 * What the Gemini API would refuse: a first content of the model, empty contents and parts, a call that does not come
 * right after the user's side, calls and responses that do not stand side by side in equal number and order.
 */
export function validateGemini({ contents, tools, instruction }: ModelRequest): string[] {
  const problems: string[] = [];
  if (contents.length === 0) problems.push('contents: there are none');
  if (contents[0]?.role === 'model') problems.push('contents[0]: the model speaks first');
  contents.forEach((content, index) => {
    const at = `contents[${index}]`;
    if (content.parts.length === 0) problems.push(`${at}: has no parts`);
    problems.push(...content.parts.flatMap((part, number) => checkPart(part, content, `${at}.parts[${number}]`)));
    problems.push(...checkTurn(contents, index, at));
  });
  for (const { name } of tools)
    if (!declaredName.test(name)) problems.push(`tools: ${JSON.stringify(name)} is no name`);
  if (new Set(tools.map(({ name }) => name)).size < tools.length) problems.push('tools: a name stands twice');
  if (instruction.some((text) => text === '')) problems.push('instruction: has an empty part');
  return problems;
}

function checkPart(part: Part, { role }: Content, at: string): string[] {
  const problems: string[] = [];
  const set = payloads.filter((name) => part[name] !== undefined);
  if (set.length > 1) problems.push(`${at}: has ${set.join(' and ')}`);
  if (set.length === 0 && part.thoughtSignature === undefined) problems.push(`${at}: has no data`);
  if (part.text === '' && part.thoughtSignature === undefined) problems.push(`${at}: has an empty text`);
  if (part.inlineData?.data === '') problems.push(`${at}: has no bytes`);
  if (part.functionCall && role !== 'model') problems.push(`${at}: a call outside the model's turn`);
  if (part.functionResponse && role !== 'user') problems.push(`${at}: a response outside the user's side`);
  const name = part.functionCall?.name ?? part.functionResponse?.name;
  if (name !== undefined && !declaredName.test(name)) problems.push(`${at}: ${JSON.stringify(name)} is no name`);
  const response = part.functionResponse?.response;
  if (part.functionResponse && (typeof response !== 'object' || response === null || Array.isArray(response)))
    problems.push(`${at}: the response is no object`);
  return problems;
}

/** Calls follow the user's side; their responses, and nothing else, follow them, by number, order, name and id. */
function checkTurn(contents: readonly Content[], index: number, at: string): string[] {
  const calls = contents[index]?.parts.flatMap((part) => part.functionCall ?? []) ?? [];
  const here = contents[index]?.parts.filter((part) => part.functionResponse) ?? [];
  const before = contents[index - 1];
  const problems: string[] = [];
  if (here.length > 0 && !before?.parts.some((part) => part.functionCall))
    problems.push(`${at}: responses without calls before them`);
  if (calls.length === 0) return problems;
  if (before?.role === 'model') problems.push(`${at}: calls right after another turn of the model`);
  const answers = contents[index + 1]?.parts ?? [];
  if (answers.length !== calls.length || answers.some((part) => part.functionResponse === undefined))
    return [...problems, `${at}: ${calls.length} calls are followed by other than as many responses`];
  calls.forEach((call, number) => {
    const answer = answers[number]?.functionResponse;
    if (answer?.name !== call.name) problems.push(`${at}: ${call.name} is answered by ${answer?.name}`);
    if (call.id !== undefined && answer?.id !== call.id)
      problems.push(`${at}: ${call.id} is answered by ${answer?.id}`);
  });
  return problems;
}
