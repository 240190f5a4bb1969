import { expect, test } from 'vitest';
import { openPalimpsest } from '../../../engine/index.ts';
import { waitingText, whatWaits } from './what-waits.ts';

const call = (name: string) => ({ functionCall: { id: name, name, args: { 城市: '大理' } } });
const answer = (name: string) => ({ functionResponse: { id: name, name, response: { 结果: '好' } } });

test('tells what each event waits for, and leaves out what has come', async () => {
  const palimpsest = await openPalimpsest({ appName: 'waits' });
  const session = await palimpsest.user('小王').session('旅行');
  const asked = ['查天气', 'book_room', 'sign_in', 'find_trains'];
  await session.append([
    { author: 'user', content: '请安排大理三日游。' },
    {
      author: 'guide',
      content: { role: 'model', parts: asked.map(call) },
      actions: { requestedToolConfirmations: { book_room: { hint: '订房？' } }, requestedAuthConfigs: { sign_in: {} } },
    },
    { author: 'guide', content: { role: 'user', parts: [answer('find_trains')] } },
    { author: 'guide', longRunningToolIds: ['slow'], content: { role: 'model', parts: [call('slow')] } },
    { author: 'guide', content: { role: 'user', parts: [answer('slow')] } },
  ]);
  const waits = await whatWaits(palimpsest, session.key, [2, 4]);
  expect(waits).toEqual([
    {
      seq: 2,
      for: [
        { kind: 'confirmation', tool: 'book_room' },
        { kind: 'authorisation', tool: 'sign_in' },
        { kind: 'result', tool: '查天气' },
      ],
    },
    { seq: 4, for: [{ kind: 'result', tool: 'slow' }] },
  ]);
  expect(waits.map(waitingText)).toEqual([
    'book_room waits for a confirmation; sign_in waits for an authorisation; 查天气 waits for its result',
    'slow waits for its result',
  ]);
  await palimpsest.close();
});
