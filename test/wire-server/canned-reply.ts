import { argumentsObject, type Reply, type Turn } from './reply-script.ts';
import type { RecordedRequest } from './start-wire-server.ts';
import { isObject, type JsonObject, objectsIn, textIn } from './wire.ts';

/** What can be typed to see how a client takes it. Clients have commands of their own that begin with a slash. */
const commands: Readonly<Record<string, Reply>> = {
  '!429': { status: 429, retryAfter: 1 },
  '!500': { status: 500 },
  '!400': { status: 400, message: 'a canned refusal' },
  '!hang': { hang: true },
  '!empty': {},
  '!slow': { text: [...'[canned] This answer comes one character at a time.'], dripMs: 80 },
  '!cut': { text: ['[canned] This answer ', 'is cut off before'], cutAfter: 2 },
  '!broken': { text: ['[canned] A broken chunk ', 'follows.'], malformedAfter: 1 },
  '!think': { thought: '[canned] thinking', thoughtSignature: 'c2lnbmVk', text: '[canned] Thought about it.' },
};
const greetings = [
  'I am no model, only a script.',
  '我不是模型，只是一段脚本。',
  `I also know ${Object.keys(commands).join(' ')} and !call tool {"its":"arguments"}.`,
];

/**
 * A reply for trying clients by hand: canned text that says it is canned, the fault that a message such as `!429` names,
 * or the tool call that `!call name {json}` asks for.
 */
export function cannedReply(request: RecordedRequest): Reply {
  const { text, count } = lastWords(request);
  if (text === undefined) return { text: '[canned] The tool has answered. That is all.' };
  const [, name, rawArguments = '{}'] = /^!call (\S+)\s*(.*)$/s.exec(text) ?? [];
  if (name !== undefined) return toolCall(name, rawArguments);
  const words = `[canned] You said: “${text}”. ${greetings[count % greetings.length]}`;
  return commands[text] ?? { text: words.split(/(?<=\s)/) };
}

function toolCall(name: string, rawArguments: string): Turn {
  const call = { name, rawArguments: rawArguments === '' ? '{}' : rawArguments };
  return argumentsObject(call) === undefined
    ? { text: '[canned] Those are no arguments: they must be a JSON object.' }
    : { calls: [call] };
}

/** What palimpsest puts beside the user's words. */
const recalled = /<recalled_memories>.*<\/recalled_memories>/gs;

/** What the user said last, undefined if a tool's result is newer; and how many messages of the user came before. */
function lastWords({ body }: RecordedRequest): { text: string | undefined; count: number } {
  const messages = objectsIn(body.messages ?? body.contents).filter(({ role }) => role === 'user' || role === 'tool');
  const parts = messages
    .map(({ role, content, parts: list }) => (role === 'tool' ? [{ type: 'tool_result' }] : partsOf(content ?? list)))
    .map((list) => list.map(withoutRecalled).filter(({ text }) => text !== ''))
    .filter((list) => list.length > 0);
  const last = parts.at(-1) ?? [];
  const isResult = last.some((part) => part.type === 'tool_result' || part.functionResponse !== undefined);
  const text = textIn(last.findLast((part) => textIn(part.text) !== '')?.text);
  return { text: isResult ? undefined : text, count: parts.length - 1 };
}

function withoutRecalled(part: JsonObject): JsonObject {
  return typeof part.text === 'string' ? { ...part, text: part.text.replace(recalled, '').trim() } : part;
}

function partsOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content.filter(isObject) : [];
}
