import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ModelRequest, openPalimpsest, text, validateRequest } from '../../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-story-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One story in one language: what is said on Monday, asked on Tuesday, and known beside it. */
interface Story {
  readonly language: string;
  readonly wish: string;
  readonly agreed: string;
  readonly question: string;
  readonly answer: string;
  readonly statement: string;
  readonly query: string;
  readonly regretted: string;
}

const stories: readonly Story[] = [
  {
    language: 'English',
    wish: 'Please report the temperature in Celsius.',
    agreed: 'Celsius from now on.',
    question: 'Which temperature unit do I prefer?',
    answer: 'You prefer Celsius.',
    statement: 'Travels to Bergen every spring.',
    query: 'travel in spring',
    regretted: 'My password is hunter2.',
  },
  {
    language: 'Chinese',
    wish: '以后请用摄氏度报告天气。',
    agreed: '好的，以后都用摄氏度。',
    question: '报告天气时我喜欢用什么单位？',
    answer: '您喜欢摄氏度。',
    statement: '每年春天都去卑尔根旅行。',
    query: '春天旅行',
    regretted: '我的密码是猎人二号。',
  },
];

const textOfRequest = ({ contents }: ModelRequest) => contents.flatMap(({ parts }) => parts.map((part) => part.text));

describe.each(stories)('an agent that remembers, in $language', (story) => {
  const file = join(folder, `${story.language}.db`);
  const open = () => openPalimpsest({ file, appName: 'weather' });

  it('hears a wish on Monday and keeps it when the process ends', async () => {
    const palimpsest = await open();
    const user = palimpsest.user('u1');
    const monday = await user.session('monday');
    await monday.append([{ author: 'user', content: text(story.wish) }], { expectedVersion: monday.version });
    await monday.append([{ author: 'assistant', content: story.agreed }], { expectedVersion: monday.version });
    await user.remember(story.statement);
    await palimpsest.settled();
    await palimpsest.close();
  });

  it('recalls it on Tuesday in another process, with where it comes from, for every provider', async () => {
    await using palimpsest = await open();
    const user = palimpsest.user('u1');
    const tuesday = await user.session('tuesday');
    await tuesday.append([{ author: 'user', content: story.question }]);
    for (const provider of ['anthropic', 'gemini', 'openai'] as const) {
      const request = await palimpsest.context(tuesday.key, { instruction: 'Answer briefly.', provider });
      expect(validateRequest(request, provider)).toEqual([]);
      expect(request.instruction).toEqual(['Answer briefly.']);
      expect(request.explain(1)).toEqual({ outcome: 'verbatim' });
      const told = textOfRequest(request).join('\n');
      expect(told).toContain(story.question);
      expect(told).toContain(`the user said in session monday: ${story.wish}`);
      const wish = request.memories.find((memory) => memory.text === story.wish);
      expect(wish?.provenance).toMatchObject([{ kind: 'event', sessionId: 'monday', seq: 1 }]);
    }
    await tuesday.append([{ author: 'assistant', content: story.answer }], { expectedVersion: tuesday.version });
    const { memories } = await user.recall(story.query, { tokenBudget: 800 });
    expect(memories[0]?.text).toBe(story.statement);
  });

  it('takes back what the user regrets, from the context and from memory, and keeps it in the log', async () => {
    await using palimpsest = await open();
    const user = palimpsest.user('u1');
    const tuesday = await user.session('tuesday');
    await tuesday.append([
      { author: 'user', content: story.regretted },
      { author: 'assistant', content: story.agreed },
    ]);
    await palimpsest.settled();
    expect((await user.recall(story.regretted)).memories[0]?.text).toBe(story.regretted);
    const [regretted] = (await tuesday.read({ fromSeq: 3, limit: 1 })).items;
    await tuesday.rewind({ beforeInvocationId: regretted?.invocationId ?? '' });
    await palimpsest.settled();
    expect((await user.recall(story.regretted)).memories.map((memory) => memory.text)).not.toContain(story.regretted);
    const request = await palimpsest.context(tuesday.key);
    expect(request.explain(3)).toEqual({ outcome: 'hidden', why: 'rewound' });
    expect(textOfRequest(request)).not.toContain(story.regretted);
    expect((await tuesday.read()).items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect((await tuesday.readEffective()).items.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('forgets a session, then the user, for good', async () => {
    const palimpsest = await open();
    const user = palimpsest.user('u1');
    expect(await user.forget({ sessionId: 'monday' })).toBe(2);
    expect((await user.recall(story.wish)).memories.map((memory) => memory.text)).not.toContain(story.wish);
    const receipt = await user.erase();
    expect(receipt).toMatchObject({ events: 7, memories: 3 });
    expect(receipt.sessions.map(({ sessionId }) => sessionId).sort()).toEqual(['monday', 'tuesday']);
    await palimpsest.close();
    await using again = await open();
    await again.settled();
    expect((await again.user('u1').memories()).items).toEqual([]);
    expect((await again.user('u1').sessions()).items).toEqual([]);
  });
});
