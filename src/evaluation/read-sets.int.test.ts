import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluateRetrieval, findSet, headFigures, reportPage } from './index.ts';
import { spokenInstant } from './spoken-instant.ts';

let folder = '';
const write = (name: string, ...values: readonly unknown[]) =>
  writeFileSync(
    join(folder, name),
    values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n'),
  );

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-eval-'));
  for (const name of ['locomo', 'longmemeval', 'madial']) mkdirSync(join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const talk = (id: string, speaker: string, text: string, more: object = {}) => ({ dia_id: id, speaker, text, ...more });

describe('LoCoMo', () => {
  it('is read with its turns, captions and evidence, which is mended where it can be', async () => {
    write('locomo/locomo10.json', [
      {
        sample_id: 'c1',
        conversation: {
          session_2: [
            talk('D2:1', 'Ana', 'We adopted a cat, 叫小白.', { blip_caption: 'a white cat', query: 'hidden words' }),
          ],
          session_2_date_time: '1:56 pm on 8 May, 2023',
          session_1: [talk('D1:1', 'Ben', 'I moved to Porto last week.'), talk('D1:2', 'Ana', 'How is the sea there?')],
        },
        qa: [
          { question: 'Where did Ben move?', category: 4, evidence: ['D1:01'] },
          { question: 'Which animal did Ana adopt?', category: 1, evidence: ['D:2:1; D1:2'] },
          { question: 'Who sang?', category: 5, evidence: ['D9:9'] },
          { question: 'Why?', category: 3 },
        ],
      },
    ]);
    const set = await findSet('locomo', folder);
    expect(set.corpora[0]?.sessions.map(({ id }) => id)).toEqual(['D1', 'D2']);
    expect(set.corpora[0]?.sessions[1]?.documents).toEqual([
      {
        id: 'D2:1',
        speaker: 'Ana',
        text: 'We adopted a cat, 叫小白. [shared image: a white cat]',
        timestamp: '2023-05-08T13:56:00.000Z',
      },
    ]);
    expect(set.corpora[0]?.questions.map(({ category, gold }) => [category, gold])).toEqual([
      ['4 single-hop', ['D1:1']],
      ['1 multi-hop', ['D2:1', 'D1:2']],
    ]);
    expect(set.leftOut).toEqual([
      { id: 'c1/3', why: 'evidence D9:9 names no turn' },
      { id: 'c1/4', why: 'no evidence' },
    ]);
    const report = await evaluateRetrieval(set);
    expect(report).toMatchObject({ questions: 2, sessions: { hit: { 1: 1 } } });
    expect(report.answered[0]?.found[0]).toBe('D1:1');
    expect(headFigures(report)).toMatchObject({ turnR10: 100, sessionR10: 100 });
    expect(JSON.stringify(set)).not.toContain('hidden words');
  });
});

describe('LongMemEval', () => {
  const turns = [
    { role: 'user', content: 'My train to Lyon leaves at seven.' },
    { role: 'assistant', content: 'Noted.' },
  ];

  it('is read in its own format, and questions to abstain from are left out', async () => {
    const one = {
      question_type: 'single-session-user',
      haystack_session_ids: ['s1', 's2'],
      haystack_dates: ['2023/05/20 (Sat) 02:21', '2023/05/21 (Sun) 10:00'],
      haystack_sessions: [turns, [{ role: 'user', content: 'What is a good soup?' }]],
    };
    write('own.json', [
      { ...one, question_id: 'q1', question: 'When does my train leave?', answer_session_ids: ['s1'] },
      { ...one, question_id: 'q2_abs', question: 'Who is my dentist?', answer_session_ids: [] },
    ]);
    const set = await findSet(join(folder, 'own.json'), folder);
    expect(set.leftOut).toEqual([{ id: 'q2_abs', why: 'names no session: to abstain is right' }]);
    const report = await evaluateRetrieval(set);
    expect(report.documents).toBeUndefined();
    expect(headFigures(report)).toEqual({ hit5: 100 });
  });

  it('is read from haystacks that share sessions', async () => {
    write('longmemeval/lme-samples.json', {
      sessions: {
        a: { time: '2023-01-09T01:34:00', turns: turns.map(({ role, content }) => ({ role, text: content })) },
      },
      haystacks: [['a']],
      questions: [{ id: 'q', type: 't', question: 'Where does the train go?', haystack: 0, gold: ['a'] }],
    });
    const set = await findSet('lme', folder);
    expect(set.corpora[0]?.sessions[0]?.documents[0]).toMatchObject({
      id: 'a#1',
      timestamp: '2023-01-09T01:34:00.000Z',
    });
    expect(headFigures(await evaluateRetrieval(set))).toEqual({ hit5: 100 });
  });
});

describe('MADial-Bench', () => {
  it('is read by user, what was said before the turn being the question', async () => {
    write(
      'madial/MADial-Bench-zh-memory.json',
      {
        1: {
          time: '2023-12-25',
          scene: '活动类',
          emotion: '开心',
          event: '小明在圣诞晚会上跳舞。',
          'user-id': 1,
          id: '1',
        },
      },
      { 2: { event: '小明养了一只猫。', 'user-id': 1, id: '2' } },
    );
    const dialogue = ['<BOD>\n', '<小明>:"元旦晚会我要跳舞！"\n', '<Assistant>:"太好了"\n'];
    write(
      'madial/MADial-Bench-zh-dialogue.json',
      { dialogue, 'test-turn': [2], 'relevant-id': [1], 'user-id': 1 },
      { dialogue, 'test-turn': 2, 'relevant-id': [9], 'user-id': 1 },
    );
    const set = await findSet('madial-zh', folder);
    expect(set.corpora[0]?.questions).toEqual([
      { id: 'talk 1', text: '元旦晚会我要跳舞！', category: 'recall', gold: ['1'] },
    ]);
    expect(set.leftOut).toEqual([{ id: 'talk 2', why: 'no memory of its user is relevant' }]);
    const report = await evaluateRetrieval(set);
    expect(report.answered[0]?.found[0]).toBe('1');
    expect(headFigures(report)).toEqual({ r10: 100 });
  });
});

describe("a set of one's own", () => {
  it('is asked, and shown as a page without scripts or unescaped text', async () => {
    write(
      'own.jsonl',
      { session: '一', id: 'a', text: '我住在杭州 <b>西湖</b> 边。' },
      '',
      { session: '一', id: 'b', speaker: '助手', text: '知道了。' },
      { question: '我住在哪个 <城市>？', gold: ['a'], category: '住处' },
      { question: '谁？', gold: ['没有'] },
    );
    const report = await evaluateRetrieval(await findSet(join(folder, 'own.jsonl'), folder));
    expect(report).toMatchObject({ questions: 1, leftOut: [{ id: 'line 5' }], documents: { recall: { 1: 1 } } });
    const page = reportPage({ ...report, answered: report.answered.map((one) => ({ ...one, found: [] })) });
    expect(page).toContain('我住在哪个 &lt;城市&gt;？');
    expect(page).not.toContain('<script');
  });

  it.each([
    ['no json', /:1: the line is no JSON/],
    [{ session: 's', id: 'a' }, /:1: /],
    [{ question: 'q', gold: [] }, /:1: /],
  ])('%o is refused with its line', async (line, message) => {
    write('bad.jsonl', line);
    await expect(findSet(join(folder, 'bad.jsonl'), folder)).rejects.toThrow(message);
  });

  it('other names are refused, and missing files named', async () => {
    await expect(findSet('msc', folder)).rejects.toThrow(/dataset must be locomo, lme/);
    await expect(findSet('madial-en', folder)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});

it.each([
  ['12:09 am on 13 September, 2023', '2023-09-13T00:09:00.000Z'],
  ['2022/09/01 (Thu) 09:42', '2022-09-01T09:42:00.000Z'],
  ['2023-05-15', '2023-05-15T00:00:00.000Z'],
  ['yesterday', undefined],
  ['1:00 pm on 8 Floréal, 2023', undefined],
])('%s is a time', (text, instant) => expect(spokenInstant(text)).toBe(instant));
