import type { Content, ModelRequest } from '../../../events/index.ts';

const wellFormedName = /^[a-zA-Z0-9_-]{1,64}$/;
const longestCallId = 40;

/** One message of the chat wire. */
type Message =
  | { readonly role: 'user'; readonly texts: readonly string[] }
  | {
      readonly role: 'assistant';
      readonly texts: readonly string[];
      readonly calls: readonly { id?: string; name: string }[];
    }
  | { readonly role: 'tool'; readonly callId: string | undefined };

/**
 * What an OpenAI-shaped chat endpoint would refuse: tool calls that the tool messages right behind do not answer one by
 * one, tool messages without a call, ids that are missing, too long or used twice in a message, unfit names, messages
 * without content. That the user speaks first is asked by the chat templates of servers of this shape.
 */
export function validateOpenAi({ contents, tools, instruction }: ModelRequest): string[] {
  const problems: string[] = [];
  const messages = contents.flatMap((content, index) => toMessages(content, `contents[${index}]`, problems));
  if (messages.length === 0) problems.push('messages: there are none');
  if (messages[0] !== undefined && messages[0].role !== 'user') problems.push('messages[0]: is not of the user');
  let open = new Set<string>();
  messages.forEach((message, index) => {
    const at = `messages[${index}]`;
    if (message.role === 'tool') {
      if (message.callId === undefined || !open.delete(message.callId))
        problems.push(`${at}: tool message for ${message.callId}, which no call right before it asks for`);
      return;
    }
    if (open.size > 0) problems.push(`${at}: comes before the calls ${[...open].join(', ')} are answered`);
    open = message.role === 'assistant' ? checkCalls(message.calls, at, problems) : new Set();
    if (message.texts.some((text) => text === '')) problems.push(`${at}: has an empty text`);
  });
  if (open.size > 0) problems.push(`messages: the calls ${[...open].join(', ')} are not answered`);
  if (tools.some(({ name }) => !wellFormedName.test(name))) problems.push('tools: a name is unfit');
  if (new Set(tools.map(({ name }) => name)).size < tools.length) problems.push('tools: a name stands twice');
  if (instruction.some((text) => text === '')) problems.push('system: has an empty text');
  return problems;
}

/** A content of the user's side goes out as its tool results, each a message, and then the rest of it. */
function toMessages({ role, parts }: Content, at: string, problems: string[]): Message[] {
  const texts = parts.flatMap((part) => (part.text === undefined || part.thought ? [] : part.text));
  const calls = parts.flatMap((part) => part.functionCall ?? []);
  const results = parts.flatMap((part) => part.functionResponse ?? []);
  const others = parts.filter(
    (part) => part.inlineData ?? part.fileData ?? part.executableCode ?? part.codeExecutionResult,
  );
  if (parts.length === 0) problems.push(`${at}: has no content`);
  if (parts.some((part) => part.thought && part.text !== undefined && part.thoughtSignature === undefined))
    problems.push(`${at}: has reasoning that is not signed`);
  if (role === 'model') {
    if (results.length > 0) problems.push(`${at}: a tool result of the assistant`);
    if (texts.length + calls.length + others.length === 0) problems.push(`${at}: has neither content nor calls`);
    return [{ role: 'assistant', texts, calls }];
  }
  if (calls.length > 0) problems.push(`${at}: a call of the user`);
  if (results.length > 0 && parts.findLastIndex((part) => part.functionResponse) >= results.length)
    problems.push(`${at}: a tool result stands behind other content`);
  const tools = results.map(({ id }): Message => ({ role: 'tool', callId: id }));
  return texts.length + others.length === 0 ? tools : [...tools, { role: 'user', texts }];
}

function checkCalls(calls: readonly { id?: string; name: string }[], at: string, problems: string[]): Set<string> {
  const ids = new Set<string>();
  for (const { id, name } of calls) {
    if (id === undefined || id === '' || id.length > longestCallId || ids.has(id))
      problems.push(`${at}: call id ${JSON.stringify(id)} is missing, too long or used twice`);
    if (!wellFormedName.test(name)) problems.push(`${at}: ${JSON.stringify(name)} is no name`);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}
