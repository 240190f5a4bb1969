import type { ModelRequest } from '../../events/index.ts';
import type { MemoryEntry } from '../../memory/service/index.ts';
import type { LanguageModel, ModelPiece } from '../../models/index.ts';
import { fitWidth, oneLine, timeText } from './display/index.ts';
import { sourceText } from './source-text.ts';

/** Author of what the offline model says, and the sealed conversation that it says it in. */
export const offlineName = 'offline';

const widestQuote = 400;

interface Words {
  readonly label: string;
  readonly nothing: string;
  readonly found: (count: number) => string;
  readonly quote: (from: { readonly source: string; readonly time: string; readonly author: string }) => string;
}

const english: Words = {
  label: '[offline: no model, quoting memory]',
  nothing: 'Memory holds nothing that bears on this. What you say here is kept for later questions.',
  found: (count) => (count === 1 ? '1 memory bears on this:' : `${count} memories bear on this:`),
  quote: ({ source, time, author }) => `- ${source}, ${time}, ${author}: `,
};

const chinese: Words = {
  label: '[离线：没有模型，以下引自记忆]',
  nothing: '记忆中没有与此有关的内容。您说的话会记下来，供以后查找。',
  found: (count) => `记忆中有 ${count} 条与此有关：`,
  quote: ({ source, time, author }) => `- ${source}，${time}，${author === 'user' ? '用户' : author}：`,
};

/**
 * Stands where no model is configured: every answer is labelled, and is nothing but quotes of what the search finds for
 * the question, each with its session and time.
 */
export function offlineModel(search: (question: string) => Promise<readonly MemoryEntry[]>): LanguageModel {
  return {
    name: offlineName,
    vendor: offlineName,
    provider: 'openai',
    async *call({ request }): AsyncGenerator<ModelPiece> {
      const question = questionOf(request);
      const words = isChinese(question) ? chinese : english;
      yield { type: 'text', text: words.label };
      const memories = await search(question);
      const first = memories.length === 0 ? words.nothing : words.found(memories.length);
      yield { type: 'text', text: `\n${first}` };
      for (const memory of memories) yield { type: 'text', text: `\n${quoteOf(memory, words)}` };
      // Whoever erases a source can find the copies of it.
      if (memories.length > 0)
        yield {
          type: 'end',
          extensions: { quotes: memories.flatMap(({ provenance }) => provenance.map((source) => ({ ...source }))) },
        };
      yield { type: 'finish', finishReason: 'stop' };
    },
  };
}

function quoteOf(memory: MemoryEntry, words: Words): string {
  const from = { source: sourceText(memory), time: timeText(memory.timestamp, memory.timeZone), author: memory.author };
  return words.quote(from) + fitWidth(oneLine(memory.text), widestQuote);
}

/** Only what the user said last is searched for; contents of one role may stand joined. */
function questionOf({ contents }: ModelRequest): string {
  const newest = contents.findLast(({ role }) => role === 'user');
  return newest?.parts.findLast((part) => part.text !== undefined)?.text ?? '';
}

/** Japanese has kana beside its Chinese characters. */
function isChinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
}
