import { expect, test } from 'vitest';
import type { Content } from '../../events/index.ts';
import type { MemoryEntry } from '../../memory/service/index.ts';
import type { ModelPiece } from '../../models/index.ts';
import { offlineModel } from './offline-model.ts';

const entry = (seq: number, text: string, author = 'user'): MemoryEntry => ({
  id: `m${seq}`,
  text,
  kind: 'turn',
  author,
  timestamp: '2026-01-31T09:30:00.000Z',
  recordedAt: '2026-01-31T09:30:00.000Z',
  timeZone: 'UTC',
  provenance: [{ kind: 'event', sessionId: 'trip', incarnation: 'i1', seq, eventId: `e${seq}` }],
  sourceTrust: 'userStated',
  revision: 1,
});

async function answerTo(contents: readonly Content[], found: readonly MemoryEntry[]) {
  const searched: string[] = [];
  const model = offlineModel(async (question) => {
    searched.push(question);
    return found;
  });
  const request = { instruction: [], tools: [], contents, transient: [] };
  const pieces = await piecesOf(model.call({ request }));
  const text = pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
  return { searched, pieces, text, first: pieces[0] };
}

async function piecesOf(stream: AsyncIterable<ModelPiece>): Promise<ModelPiece[]> {
  const pieces: ModelPiece[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

const asked = (...texts: string[]): Content[] => [{ role: 'user', parts: texts.map((text) => ({ text })) }];

test('begins with a label, whatever is found', async () => {
  for (const found of [[], [entry(1, 'Please use Celsius.')]]) {
    const { first } = await answerTo(asked('Which unit?'), found);
    expect(first).toEqual({ type: 'text', text: '[offline: no model, quoting memory]' });
    expect((await answerTo(asked('用什么单位？'), found)).first).toEqual({
      type: 'text',
      text: '[离线：没有模型，以下引自记忆]',
    });
  }
});

test('quotes each memory with its session, time and author, and nothing of its own', async () => {
  const found = [entry(1, 'Please use\nCelsius.'), entry(2, '我喜欢摄氏度。', 'assistant')];
  expect((await answerTo(asked('Which unit?'), found)).text).toBe(
    [
      '[offline: no model, quoting memory]',
      '2 memories bear on this:',
      '- trip #1, 2026-01-31 09:30, user: Please use Celsius.',
      '- trip #2, 2026-01-31 09:30, assistant: 我喜欢摄氏度。',
    ].join('\n'),
  );
  expect((await answerTo(asked('用什么单位？'), found.slice(0, 1))).text).toBe(
    '[离线：没有模型，以下引自记忆]\n记忆中有 1 条与此有关：\n- trip #1，2026-01-31 09:30，用户：Please use Celsius.',
  );
});

test('says that nothing was found', async () => {
  expect((await answerTo(asked('Which unit?'), [])).text).toMatch(/\nMemory holds nothing that bears on this\./);
  expect((await answerTo(asked('我叫什么？'), [])).text).toMatch(/\n记忆中没有与此有关的内容。/);
});

test('searches for what was said last, also where it stands behind earlier questions', async () => {
  expect((await answerTo(asked('Who am I?', 'Which unit?'), [])).searched).toEqual(['Which unit?']);
  expect((await answerTo([...asked('一'), ...asked('二')], [])).searched).toEqual(['二']);
});

test('Japanese is not taken for Chinese', async () => {
  expect((await answerTo(asked('単位は何ですか'), [])).text).toMatch(/^\[offline/);
});

test('names its sources, so that whoever erases them finds the copies', async () => {
  const { pieces } = await answerTo(asked('Which unit?'), [entry(1, 'a'), entry(2, 'b')]);
  const end = pieces.find((piece) => piece.type === 'end');
  expect(end).toMatchObject({
    extensions: {
      quotes: [
        { sessionId: 'trip', seq: 1 },
        { sessionId: 'trip', seq: 2 },
      ],
    },
  });
});

test('a long memory is cut, and says so', async () => {
  const { text } = await answerTo(asked('Which unit?'), [entry(1, '长'.repeat(1000))]);
  expect(text).toMatch(/长…$/);
  expect(text.length).toBeLessThan(400);
});
