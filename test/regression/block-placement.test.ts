import { describe, expect, it } from 'vitest';
import {
  type Block,
  type ModelRequest,
  type RequestInput,
  text,
  textOf,
  tool,
  validateRequest,
} from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { logOf, openQuiet, place, runToEnd } from '../agents/run-to-end.ts';
import { outlinePart, providers } from './shown-requests.ts';

const block = (kind: Block['kind'], stable: boolean, words: string): Block => ({ kind, stable, content: text(words) });
const look = tool({ name: 'look', description: 'Looks something up.', run: () => ({ found: 1 }) });

interface Line {
  readonly line: string;
  readonly isTransient: boolean;
}

/** The parts of a request with their side, recalled memories as one word, and which are for this invocation only. */
function linesOf({ contents, transient, transientParts }: ModelRequest): readonly Line[] {
  return contents.flatMap(({ role, parts }, content) =>
    parts.map((part, index) => ({
      line: `${role}: ${outlinePart(part).replace(/^<recalled_memories>.*<\/recalled_memories>$/s, '记忆')}`,
      isTransient:
        transient.includes(content) ||
        (transientParts?.content === content && index >= transientParts.from && index < transientParts.to),
    })),
  );
}

const shown = (request: ModelRequest) => linesOf(request).map(({ line }) => line);
const transientOf = (request: ModelRequest) =>
  linesOf(request).flatMap(({ line, isTransient }) => (isTransient ? line : []));
const stableOf = (request: ModelRequest) =>
  linesOf(request).flatMap(({ line, isTransient }) => (isTransient ? [] : line));

const called = ['model: call look({})', 'user: look -> {"found":1}'];

describe.each(providers)('blocks of a request to %s', (provider) => {
  it('stand in their places at every step, and what is not stable is gone in the next invocation', async () => {
    const palimpsest = await openQuiet({ ingest: 'never' });
    await palimpsest.user(place.userId).remember('猫叫虎子。');
    const turns = [{ calls: [{ name: 'look', id: 'c1' }] }, '虎子。', '吃鱼。'];
    const model = new ScriptedModel(turns, { provider });
    const agent = palimpsest.agent({
      name: 'assistant',
      model,
      instruction: '回答要短。',
      tools: [look],
      examples: [block('example', true, '例子')],
      documents: ({ question }) => [
        block('profile', true, '画像'),
        block('document', true, '手册'),
        block('document', false, `找到：${textOf(question)}`),
        block('state', false, '今天是星期五'),
      ],
    });
    await runToEnd(agent, { message: '我的猫叫什么？' });
    await runToEnd(agent, { message: '虎子吃什么？' });
    const requests = model.calls.map(({ request }) => request);
    for (const request of requests) {
      expect(validateRequest(request, provider)).toEqual([]);
      expect(request.instruction).toEqual(['回答要短。']);
    }
    const front = ['user: 例子', 'user: 画像', 'user: 手册'];
    const aside = (question: string) => [`user: 找到：${question}`, 'user: 今天是星期五', 'user: 记忆'];
    const asked = [...front, 'user: 我的猫叫什么？', ...aside('我的猫叫什么？')];
    expect(requests.map(shown)).toEqual([
      asked,
      [...asked, ...called],
      [...front, 'user: 我的猫叫什么？', ...called, 'model: 虎子。', 'user: 虎子吃什么？', ...aside('虎子吃什么？')],
    ]);
    expect(requests.map(transientOf)).toEqual([
      aside('我的猫叫什么？'),
      aside('我的猫叫什么？'),
      aside('虎子吃什么？'),
    ]);
    for (const [index, request] of requests.slice(1).entries()) {
      const before = stableOf(requests[index] ?? request);
      expect(stableOf(request).slice(0, before.length)).toEqual(before);
    }
    const journals = (await logOf(palimpsest)).flatMap(({ request }) => request ?? []);
    expect(journals.map(({ breaks }) => breaks)).toEqual([[], [], []]);
    expect(journals[0]?.blocks.map(({ kind, stable }) => `${kind} ${stable}`)).toEqual([
      'instruction true',
      'tools true',
      'example true',
      'profile true',
      'document true',
      'document false',
      'state false',
      'memory false',
    ]);
  });

  it.each<[Block['kind'], readonly string[], readonly string[]]>([
    ['example', ['user: 块', 'user: 问'], ['instruction']],
    ['document', ['user: 块', 'user: 问'], ['instruction']],
    ['profile', ['user: 块', 'user: 问'], ['profile']],
    ['memory', ['user: 问', 'user: 块'], []],
    ['state', ['user: 问', 'user: 块'], []],
  ])(
    'a %s stands alone where it belongs, and whoever changes it breaks what has to be told',
    async (kind, lines, breaks) => {
      const palimpsest = await openQuiet({ ingest: 'never' });
      const isStable = breaks.length > 0;
      const key = { appName: palimpsest.appName, ...place };
      const ask = async (message: string, words: string) => {
        const events = [{ author: 'user', content: message }];
        const invocation = await palimpsest.invocations.begin({ key, agentName: 'assistant', events });
        const given = [block(kind, isStable, words)];
        const input: RequestInput = {
          provider,
          model: 'm',
          recall: false,
          ...(isStable ? { documents: given } : { transient: given }),
        };
        const { request, journal } = await invocation.request(input);
        await invocation.record([{ author: 'assistant', content: '答', request: journal }]);
        await invocation.finish();
        expect(validateRequest(request, provider)).toEqual([]);
        return { lines: shown(request), breaks: journal.breaks };
      };
      expect(await ask('问', '块')).toEqual({ lines, breaks: [] });
      const kept = isStable ? ['user: 块'] : [];
      const next = await ask('再问', '块');
      expect(next).toEqual({
        lines: [...kept, 'user: 问', 'model: 答', 'user: 再问', ...(isStable ? [] : ['user: 块'])],
        breaks: [],
      });
      expect((await ask('三问', '另一块')).breaks).toEqual(breaks);
    },
  );
});
