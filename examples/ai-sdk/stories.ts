import type { RecordedRequest, Reply } from '../../test/wire-server/index.ts';

/** What a user says on two days, in one language. */
export interface Story {
  readonly language: 'en' | 'zh';
  readonly firstDay: readonly string[];
  /** Asked on the second day, in another chat. */
  readonly question: string;
  /** The answer of an agent that remembers. */
  readonly answer: string;
}

/** The same story twice. */
export const stories: readonly Story[] = [
  {
    language: 'en',
    firstDay: ['From now on, tell me every temperature in Fahrenheit.', 'How warm is it in Paris?'],
    question: 'In which unit did I want every temperature?',
    answer: 'In Fahrenheit.',
  },
  {
    language: 'zh',
    firstDay: ['以后告诉我气温时，温度一律用华氏度。', '巴黎现在多少度？'],
    question: '我说过温度要用什么单位吗？',
    answer: '您要用华氏度。',
  },
];

/** Stands in for a model: it calls the tool when asked for weather, and knows nothing but what its request says. */
export function answerLikeAModel({ body }: RecordedRequest): Reply {
  const messages = messagesOf(body);
  const question = messages.findLast(({ role, text }) => role === 'user' && !text.startsWith('<'))?.text ?? '';
  const shown = messages.map(({ text }) => text).join('\n');
  const isChinese = /\p{Script=Han}/u.test(question);
  if (messages.at(-1)?.role === 'tool') return { text: isChinese ? '巴黎 69.8 华氏度。' : 'It is 69.8 °F in Paris.' };
  if (/How warm|多少度/.test(question)) return { calls: [{ name: 'weather', args: { city: 'Paris' } }] };
  if (/From now on|以后/.test(question)) return { text: isChinese ? '好的。' : 'I will.' };
  if (/华氏度/.test(shown) && isChinese) return { text: '您要用华氏度。' };
  if (/Fahrenheit/.test(shown) && !isChinese) return { text: 'In Fahrenheit.' };
  return { text: isChinese ? '我不知道，您没有说过。' : 'I do not know, you have not said.' };
}

/** Role and text of each message of a request, in the OpenAI form. */
export function messagesOf(body: RecordedRequest['body']): readonly { readonly role: string; readonly text: string }[] {
  const messages: readonly unknown[] = Array.isArray(body.messages) ? body.messages : [];
  return messages.map((message) => {
    const { role, content, tool_calls: calls } = Object(message);
    const text = typeof content === 'string' ? content : JSON.stringify(content ?? '');
    return { role: String(role), text: calls === undefined ? text : `calls ${JSON.stringify(calls)}` };
  });
}
