import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPalimpsest } from '../../../engine/index.ts';
import { textWidth } from '../display/index.ts';
import { type RunOptions, runCaptured } from '../run-captured.ts';
import { writeSampleTalks } from './sample-talks.ts';

let directory = '';
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'palimpsest-show-'));
  await writeSampleTalks(join(directory, 'talks.db'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const cli = (args: readonly string[], options?: RunOptions) =>
  runCaptured([...args, '--file', 'talks.db'], { cwd: directory, ...options });

async function shown(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await cli(['show', ...args]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

const json = async (...args: readonly string[]) => JSON.parse(await shown(...args, '--json'));

describe('the next request', () => {
  test('says how the log becomes contents, and what takes events away', async () => {
    const out = await shown('trip', '--context');
    expect(out).toMatch(/\n {2}14 events in the log\n {2}→ .*\n/);
    expect(out).toContain('summary 7');
    expect(out).toMatch(/2 rewound/);
    expect(out).toMatch(/→ 10 contents: a constant opening on the user's side added\n/);
    expect(out).toMatch(/ 10 .*hidden: rewound +And which shoes\?/);
    expect(out).toMatch(/ 2 .*in summary 7 +好的/);
    expect(out).toContain('without instruction and tools');
  });

  test('counts its tokens by block, and marks what is stable', async () => {
    const out = await shown('trip', '--context', '--provider', 'openai');
    expect(out).toMatch(/Its tokens {2}(about )?\d+, (counted|estimated)/);
    expect(out).toMatch(/ {2}conversation +█+ +\d+ +\d+ % {2}stable\n/);
    expect(out).toMatch(/Request to openai for agent guide {2}\d+ contents, about \d+ tokens\n/);
    expect(out).toMatch(/ {2}user {2}stable {2}#13\n {6}雨伞呢？\n/);
    const { request } = await json('trip', '--context');
    expect(request).toMatchObject({
      kind: 'next',
      agentName: 'guide',
      provider: 'gemini',
      throughSeq: 14,
      memories: [],
    });
    expect(request.explanation.counts).toMatchObject({ contents: 10 });
    const sum = request.explanation.blocks.reduce((total: number, { tokens }: { tokens: number }) => total + tokens, 0);
    expect(sum).toBe(request.explanation.stableTokens + request.explanation.transientTokens);
  });

  test('other agents are narrated, and what is sealed or thought is told as hidden', async () => {
    const out = await shown('travel-team', '--context', '--agent', 'planner');
    expect(out).toContain('→ 9 seen by the agent: 1 in another isolation scope\n');
    expect(out).toContain('1 that says nothing to the model\n');
    expect(out).toMatch(/ 5 .* narrated +D8765 09:30 最快/);
    expect(out).toContain('  user  stable  #7\n      [inns] said: 古城南门外的“听风”客栈，安静，每晚二百元。');
    const own = await shown('travel-team', '--context', '--agent', 'inns');
    expect(own).toMatch(/ 7 .* verbatim +古城南门外/);
    expect(own).toContain('[trains] called find_trains');
  });

  test('--limit and --full', async () => {
    const { out, err } = await cli(['show', 'trip', '--context', '--limit', '2']);
    expect(err).toBe('12 earlier events not shown; --limit 0 shows all.\n');
    expect(out).toContain('… 8 earlier contents');
    expect(out).toContain('for agent guide');
    expect(await shown('trip', '--context', '--full')).toContain('#10  user  ');
  });

  test('of a session without events: no tokens are told of nothing', async () => {
    const out = await shown('empty', '--context');
    expect(out).toContain('0 events in the log\n  → 0 contents\n');
    expect(out).toMatch(/Request to gemini for agent assistant {2}0 contents\n$/);
    expect(out).not.toMatch(/token|marks|%/);
  });

  test.each([
    ['--agent', 'guide'],
    ['--provider', 'anthropic'],
  ])('%s implies --context', async (...option) => {
    expect(await shown('trip', ...option)).toBe(await shown('trip', '--context', ...option));
    expect(await shown('trip', ...option)).toContain('From the log to the request');
  });
});

describe('a request that was sent', () => {
  test('is rebuilt, and held against its hash', async () => {
    const out = await shown('trip', '--at', '9');
    expect(out).toMatch(/ {2}verified: equals the request that was sent \(hash [0-9a-f]{16}…\)\n/);
    expect(out).toContain('model scripted-1, which saw the log through #8\n');
    expect(out).toMatch(
      /the provider counted 310 tokens of it \(256 read from its cache\), and 12 of the answer; we count/,
    );
    expect(out).toContain(
      'begins otherwise than the request before it: compaction (a summary took the place of events)\n',
    );
    expect(out).toMatch(/ {2}memory +█+ +\d+ +\d+ % {2}transient\n/);
    expect(out).toMatch(
      / {2}instruction {2}stable\n {6}Answer briefly, in the language of the question\. 回答要简短。\n {2}tools {2}stable\n {6}forecast\n/,
    );
    expect(out).toMatch(/ {2}user {2}for this request only\n {6}<recalled_memories>\n/);
    expect(out).not.toContain('And which shoes');
    expect(await shown('trip', '--at', '6')).toContain('no break declared');
    expect(await shown('trip', '--context', '--at', '9')).toBe(out);
  });

  test('as JSON, with journal, standing and usage', async () => {
    const { session, events, request } = await json('trip', '--at', '9');
    expect(session.key.sessionId).toBe('trip');
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(events[0].placement).toEqual({ outcome: 'masked', by: 7 });
    expect(request).toMatchObject({
      ...{ kind: 'sent', agentName: 'guide', provider: 'openai', throughSeq: 8, standing: 'verified', answerSeq: 9 },
      ...{ usage: { inputTokens: 310 }, journal: { model: 'scripted-1', breaks: ['compaction'] } },
      tools: [{ name: 'forecast' }],
    });
  });

  test('as JSON, its events are as they were then, not as they are now', async () => {
    const told = async (...args: readonly string[]) => {
      const { events } = await json('trip', '--limit', '0', ...args);
      return events.map(({ live, coveredBy }: { live: boolean; coveredBy?: number }) => ({ live, coveredBy }));
    };
    const asIs = { live: true, coveredBy: undefined };
    expect(await told('--at', '6')).toEqual(Array.from({ length: 5 }, () => asIs));
    expect((await told('--at', '9'))[0]).toEqual({ live: true, coveredBy: 7 });
    expect((await told('--at', '11')).at(-1)).toEqual(asIs);
    const now = await told();
    expect([now[0], now[9]]).toEqual([
      { live: true, coveredBy: 7 },
      { live: false, coveredBy: undefined },
    ]);
  });

  test('is for the agent and provider that its journal names', async () => {
    for (const option of ['--agent', '--provider']) {
      const { code, out, err } = await cli(['show', 'trip', '--at', '9', option, 'openai']);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(
        new RegExp(`${option} cannot be chosen for event 9: .*made for (guide|openai); leave it out`),
      );
    }
  });

  test('what was erased since stands as [erased]', async () => {
    const file = join(directory, 'erased.db');
    await writeSampleTalks(file);
    const palimpsest = await openPalimpsest({ file });
    await palimpsest.user('u1').forget({ sessionId: 'units' });
    await palimpsest.close();
    const { out } = await runCaptured(['show', 'trip', '--at', '9', '--file', file], { cwd: directory });
    expect(out).toContain('erased: texts or events of it are gone; the texts stand as [erased] (hash ');
    expect(out).not.toContain('轻装');
  });
});

describe('an event that answers no request', () => {
  test('shows the request that would have followed it, and says so', async () => {
    const out = await shown('trip', '--at', '10');
    expect(out).toContain('What a request behind #10 would have been\n  #10 answers no request that was kept. So this');
    expect(out).toContain('Request to gemini for agent guide');
    const { request, events } = await json('trip', '--at', '10', '--agent', 'other', '--provider', 'anthropic');
    expect(request).toMatchObject({ kind: 'earlier', throughSeq: 10, agentName: 'other', provider: 'anthropic' });
    expect(events).toHaveLength(10);
    expect(JSON.stringify(request.contents)).toContain('[guide] said: 带外套');
  });

  test.each(['0', '15', 'abc', '-1', '1.5', '9'.repeat(20)])('a seq that is none: %s', async (seq) => {
    const { code, out, err } = await cli(['show', 'trip', '--at', seq]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(`error: --at must name an event by its seq, 1 to 14, such as --at 14; "${seq}" is none.\n`);
  });

  test('an event that the log does not have is shown nowhere', async () => {
    const file = join(directory, 'one.db');
    const palimpsest = await openPalimpsest({ file });
    await (await palimpsest.user('u1').session('one')).append([{ author: 'user', content: '大理几度？' }]);
    await palimpsest.close();
    const one = (...args: readonly string[]) =>
      runCaptured(['show', 'one', ...args, '--file', file], { cwd: directory });
    for (const option of ['--at 99', '--diff 1 99', '--diff 99 1']) {
      const refused = await one(...option.split(' '));
      expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('1 to 1') });
    }
    expect((await one('--context')).out).toContain('1 event in the log\n  → 1 content\n');
    const { events } = JSON.parse((await one('--at', '1', '--json')).out);
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual([1]);
  });

  test('no seq is one of a session without events', async () => {
    expect(await cli(['show', 'empty', '--at', '1'])).toMatchObject({ code: 2, err: /"empty" has none yet/ });
  });
});

describe('what changed between two requests', () => {
  test('a summary: where they part, what is new, which events it covers, and the break', async () => {
    const out = await shown('trip', '--diff', '6', '9');
    expect(out).toMatch(/From #6 to #9\n {2}#6: answers a request, verified\. openai, agent guide, model scripted-1; /);
    expect(out).toMatch(/stable part: of #6, 0 of 5 contents and \d+ of \d+ tokens begin #9\n/);
    expect(out).toMatch(/instruction: the same\n {2}tools: the same\n {2}memory: gone [0-9a-f]{8}; new [0-9a-f]{8}\n/);
    expect(out).toContain('breaks: at #9 compaction (a summary took the place of events)\n');
    expect(out).toMatch(
      /content 1 of #6\n {2}user\n {4}− 我周五去大理，大概住三天。\n {4}\+ \[The conversation so far:\]\n/,
    );
    expect(out).toMatch(/Only in #9 {2}\d contents\n[\s\S]*用户周五去大理，住三天。/);
    expect(out).toContain('#1–2  verbatim → in summary 7\n');
    expect(await shown('trip', '--diff', '6,9')).toBe(out);
    expect(await shown('trip', '--diff', '6', '9', '--context')).toBe(out);
  });

  test('one that begins as the other did; the older one may be the second', async () => {
    expect(await shown('trip', '--diff', '4', '6')).toMatch(/all of #4 begins #6: 3 contents, \d+ tokens\n/);
    const back = await shown('trip', '--diff', '6', '4');
    expect(back).toContain('#4 ends before it\n    − I look it up. → forecast({"place":"大理"})\n');
    expect(back).toMatch(/Only in #6 {2}2 contents/);
    expect(await shown('trip', '--diff', '9', '14')).toContain('breaks: at #14 rewind (events were rewound)\n');
  });

  test('says which tokens are a guess, and which are not scaled', async () => {
    const out = await shown('trip', '--diff', '9', '11');
    expect(out).toMatch(/#9: .* about \d+ tokens \(\d+ before scaling\)\n/);
    expect(out).toMatch(/begins? #11: \d+ contents, about \d+ tokens before scaling\n/);
    const known = await shown('trip', '--diff', '6', '9');
    expect(known).toMatch(/#6: .*; 6 contents, \d+ tokens\n/);
    expect(known).toMatch(/0 of 5 contents and \d+ of \d+ tokens begin #9\n/);
  });

  test('nothing', async () => {
    expect(await shown('trip', '--diff', '9', '9')).toMatch(/\n {2}Nothing changed: the model is given the same\.\n$/);
  });

  test('with one that was never sent, for the same agent and provider', async () => {
    const out = await shown('trip', '--diff', '10', '9');
    expect(out).toMatch(/#10: never sent; the log with this event as the newest\. openai, agent guide; /);
    expect(out).toContain('instruction: not compared, for one of the two was never sent\n');
    const placed = await shown('trip', '--diff', '10', '13');
    expect(placed).toMatch(/#10 {2}verbatim → hidden: rewound\n/);
  });

  test('as JSON', async () => {
    const { first, second, difference } = await json('trip', '--diff', '6', '9');
    expect([first.answerSeq, second.answerSeq]).toEqual([6, 9]);
    expect(difference).toMatchObject({
      ...{ isSame: false, instruction: { is: 'same' }, tools: { is: 'same' } },
      placements: [{ seqs: [[1, 2]], first: { outcome: 'verbatim' }, second: { outcome: 'masked', by: 7 } }],
      breaks: [{ seq: 9, reasons: ['compaction'] }],
    });
  });

  test.each([
    [['6'], /--diff takes the seqs of two events/],
    [['6', '9', '14'], /--diff .* takes the seqs of two events .*: palimpsest show <session> --diff 6 9\n/],
    [['6,9,14'], /: palimpsest show <session> --diff 6 9\n/],
    [['6', '99'], /--diff must name an event by its seq, 1 to 14, such as --diff 6 14; "99" is none/],
    [['六', '9'], /such as --diff 14 9; "六" is none/],
    [['6', '9', '--at', '6'], /--at <seq>' cannot be used with option '--diff/],
    [['6', '9', '--agent', 'guide'], /--agent cannot be chosen for event 6/],
  ])('refused: --diff %j', async (args, reason) => {
    const { code, out, err } = await cli(['show', 'trip', '--diff', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(reason);
  });
});

test.each([
  [['--diff', '6', '9', 'trip'], 'trip'],
  [['--diff', '6,9', 'trip'], 'trip'],
  [['--diff', '6', '9', '小王 的 trip'], "'小王 的 trip'"],
])('a session behind --diff is refused with the order that does: %j', async (args, session) => {
  const { code, out, err } = await cli(['show', ...args]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(`: palimpsest show ${session} --diff 6 9\n`);
});

test('the last activity is the newest event of the session, whatever is shown of it', async () => {
  const file = join(directory, 'old.db');
  const palimpsest = await openPalimpsest({ file });
  const event = (day: number, content: string) => ({
    id: `e${day}`,
    ...{ author: day % 2 === 0 ? 'user' : 'guide', content, timestamp: `2024-05-0${day}T12:00:00.000Z` },
  });
  const events = [event(2, '我周五去大理。'), event(3, 'Have a good trip!'), event(4, '谢谢')];
  await palimpsest.import({ userId: 'u1', sessionId: 'old', events }, { from: 'elsewhere' });
  await palimpsest.close();
  for (const option of ['', '--context', '--at 1', '--diff 1 2', '--limit 1']) {
    const args = ['show', 'old', ...option.split(' ').filter((word) => word !== ''), '--file', file];
    expect((await runCaptured(args, { cwd: directory })).out).toMatch(/^old .* last activity 2024-05-04 /);
  }
});

describe.each([40, 80])('in %i columns', (columns) => {
  test.each([
    ['trip --context'],
    ['trip --at 9'],
    ['trip --at 10'],
    ['trip --diff 6 9'],
    ['trip --diff 9 6 --full'],
    ['trip --diff 10 13'],
    ['travel-team --context --full'],
    ['long --context'],
    ['empty --context'],
  ])('every line of show %s fits', async (command) => {
    const { code, out, err } = await cli(['show', ...command.split(' ')], { columns });
    expect(code).toBe(0);
    for (const line of (out + err).split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  });
});

test.each([60, 80])('the help, with examples, in %i columns', async (columns) => {
  const { out } = await cli(['show', '--help'], { columns });
  expect(out).toMatch(/Examples:[\s\S]*\$ palimpsest show 6f2a --diff 12 20/);
  for (const line of out.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
});

test('colours in a terminal that wants them, none in a pipe', async () => {
  for (const args of [
    ['--at', '9'],
    ['--diff', '6', '9'],
  ]) {
    expect((await cli(['show', 'trip', ...args], { columns: 80, env: { NO_COLOR: '' } })).out).toContain('\u001b[');
    expect(await shown('trip', ...args)).not.toContain('\u001b[');
  }
});

test('a long log: what is shown of it, and a difference', async () => {
  const out = await shown('long', '--context', '--limit', '0');
  expect(out).toContain('2,000 events in the log\n  → 2,000 contents\n');
  expect(out).toMatch(/1999 .* verbatim +Question 1999: 第1999天去哪里？/);
  expect(await shown('long', '--diff', '1000', '2000')).toMatch(/all of #1000 begins #2000: 1,000 contents/);
});

test('an import whose journal is not whole is refused with a reason', async () => {
  const file = join(directory, 'foreign.db');
  const palimpsest = await openPalimpsest({ file });
  const foreign = { id: 'f1', author: 'guide', content: '你好' };
  await palimpsest.import(
    { userId: 'u1', sessionId: 'foreign', events: [{ ...foreign, request: JSON.parse('{"view":{}}') }] },
    { from: 'elsewhere' },
  );
  await palimpsest.close();
  const { code, out, err } = await runCaptured(['show', 'foreign', '--at', '1', '--file', file], { cwd: directory });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^error: --at /);
});

test('is left at once at Ctrl-C', async () => {
  for (const args of [['--context'], ['--at', '9'], ['--diff', '6', '9']])
    expect(await cli(['show', 'trip', ...args], { signal: AbortSignal.abort() })).toMatchObject({ code: 130, out: '' });
});
