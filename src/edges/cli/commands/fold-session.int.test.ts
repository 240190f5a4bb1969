import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWireServer, type WireServer } from '../../../../test/wire-server/index.ts';
import { openPalimpsest } from '../../../engine/index.ts';
import { textWidth } from '../display/index.ts';
import { type RunOptions, runCaptured } from '../run-captured.ts';

const summary = '用户计划去大理旅行，已问过住宿、天气和路线；没有未完成的事。';

let directory = '';
let server: WireServer;
let made = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'palimpsest-fold-'));
  server = await startWireServer();
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  server.clear();
  made += 1;
  const palimpsest = await openPalimpsest({ file: join(directory, `${made}.db`) });
  const session = await palimpsest.user('u1').session('trip-2026');
  for (let n = 1; n <= 4; n++) {
    const invocationId = `i${n}`;
    await session.append([
      { author: 'user', invocationId, content: `第 ${n} 问：大理的客栈、天气和路线怎么样？` },
      { author: 'guide', invocationId, content: `第 ${n} 答：古城南门外有客栈，白天十八度，骑车环湖要一天。` },
    ]);
  }
  await palimpsest.close();
});

const cli = (args: readonly string[], { env, ...options }: RunOptions = {}) =>
  runCaptured([...args, '--file', `${made}.db`], {
    cwd: directory,
    env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: server.baseUrl('openai'), ...env },
    ...options,
  });

async function fold(...args: readonly string[]) {
  server.reply({ text: summary });
  return cli(['compact', 'trip', '--model', 'openai:m', ...args]);
}

const json = async (...args: readonly string[]) => JSON.parse((await cli([...args, '--json'])).out);

describe('compact', () => {
  test('folds all but the last exchange, and says what that did', async () => {
    const { code, out, err } = await fold('--focus', '住宿');
    expect({ code, err }).toEqual({ code: 0, err: 'Asking m for a summary …\n' });
    expect(out).toMatch(/^Event 9 is a summary of 6 events: 1–6\.\nThe next request of guide has about/);
    expect(out).toMatch(/: palimpsest expand trip-2026 9\n$/);
    const [, after = '', before = ''] = /about (\d+) tokens instead of (\d+)/.exec(out) ?? [];
    expect(Number(after)).toBeLessThan(Number(before));
    expect(server.requests[0]?.bodyText).toContain('住宿');
    expect((await cli(['show', 'trip', '--context'])).out).toContain(summary);
  });

  test('--through and --json', async () => {
    const { code, out, err } = await fold('--through', '4', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      session: { userId: 'u1', sessionId: 'trip-2026' },
      status: 'compacted',
      summaries: [{ seq: 9, covers: [[1, 4]] }],
    });
  });

  test('says why there is nothing to do', async () => {
    await fold();
    const { code, out } = await cli(['compact', 'trip', '--model', 'openai:m']);
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Nothing was folded: nothing older than the last exchange is left that may be folded.\n',
    });
    const upTo = await cli(['compact', 'trip', '--model', 'openai:m', '--through', '4']);
    expect(upTo.out).toBe('Nothing was folded: nothing up to event 4 is left that may be folded.\n');
    expect(server.requests).toHaveLength(1);
  });

  test('says what must be answered first', async () => {
    const palimpsest = await openPalimpsest({ file: join(directory, `${made}.db`) });
    const session = await palimpsest.user('u1').session('trip-2026');
    const calls = ['book', 'weather'].map((name) => ({ functionCall: { id: name, name, args: {} } }));
    const answer = { functionResponse: { id: 'weather', name: 'weather', response: { 天气: '晴' } } };
    await session.append([
      { author: 'user', invocationId: 'i5', content: '请订房。' },
      {
        ...{ author: 'guide', invocationId: 'i5', content: { role: 'model', parts: calls } },
        actions: { requestedToolConfirmations: { book: { hint: '订房？' } } },
      },
      { author: 'guide', invocationId: 'i5', content: { role: 'user', parts: [answer] } },
      { author: 'user', invocationId: 'i6', content: '先等等。' },
      { author: 'guide', invocationId: 'i6', content: '好的，等您确认。' },
      { author: 'user', invocationId: 'i7', content: '先说说天气。' },
      { author: 'guide', invocationId: 'i7', content: '晴，十八度。' },
    ]);
    await palimpsest.close();
    await fold('--through', '9');
    const { code, out } = await cli(['compact', 'trip', '--model', 'openai:m']);
    expect({ code, out }).toEqual({
      code: 1,
      out: 'Nothing was folded: event 10 waits for an answer.\n  #10: book waits for a confirmation\n',
    });
    expect(JSON.parse((await cli(['compact', 'trip', '--model', 'openai:m', '--json'])).out)).toMatchObject({
      ...{ status: 'blocked', by: [10], summaries: [] },
      waits: [{ seq: 10, for: [{ kind: 'confirmation', tool: 'book' }] }],
    });
    expect((await cli(['show', 'trip'])).out).toContain(
      'nothing could be folded for guide: event 10 must be answered first',
    );
  });

  test('takes no summary that is none, and says what was wrong with it', async () => {
    server.reply({ text: '' });
    const { code, out, err } = await cli(['compact', 'trip', '--model', 'openai:m']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/error: Model "m" failed after 1 attempt.*\nNothing was folded\.\n$/);
    expect((await json('show', 'trip')).events).toHaveLength(8);
  });

  const stopAtRequest = async (count: number, options: RunOptions = {}) => {
    const controller = new AbortController();
    const running = cli(['compact', 'trip', '--model', 'openai:m'], { signal: controller.signal, ...options });
    while (server.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    return running;
  };

  test('is stopped by Ctrl-C, and nothing is changed', async () => {
    server.reply({ hang: true });
    const { code, err } = await stopAtRequest(1);
    expect(code).toBe(130);
    expect(err).toMatch(/stopped before it finished\.\nNothing was folded\.\n$/);
    expect((await json('show', 'trip')).events).toHaveLength(8);
  });

  test('of what takes several summaries, those that were made before Ctrl-C stay, and are told', async () => {
    const palimpsest = await openPalimpsest({ file: join(directory, `${made}.db`) });
    const session = await palimpsest.user('u1').session('trip-2026');
    for (let n = 5; n <= 40; n++)
      await session.append([
        { author: 'user', invocationId: `i${n}`, content: `第 ${n} 问。` },
        { author: 'guide', invocationId: `i${n}`, content: '古城南门外有客栈，白天十八度。'.repeat(250) },
      ]);
    await palimpsest.close();
    server.reply({ text: summary }, { hang: true });
    const { code, err } = await stopAtRequest(2);
    expect(code).toBe(130);
    const { summaries } = await json('expand', 'trip');
    expect(summaries).toHaveLength(1);
    const [{ seq, covers }] = summaries;
    expect(err).toContain(`Folded before that, and stays so: events ${covers[0].join('–')} by summary ${seq}.\n`);
  });

  test('at a terminal, a line moves while the model works, and goes away', async () => {
    server.reply({ hang: true });
    const { err } = await stopAtRequest(1, { columns: 40 });
    const erased = '\r\u001b[K';
    const [before, first = '', ...later] = err.split(erased);
    expect(before).toBe('');
    expect(first).toMatch(/^\| 0 s · Ctrl-C stops it · Asking m/);
    for (const line of [first, ...later.slice(0, -1)]) expect(textWidth(line)).toBeLessThanOrEqual(37);
    expect(later.at(-1)).toMatch(/^error: /);
  });

  test.each([
    [[], '--model is needed'],
    [['--model', 'openai:m', '--through', '99'], '--through is 99, but the session has 8 events'],
    [['--model', 'openai:m', '--through', 'x'], '--through must be the seq of an event'],
    [['--model', 'openai:m', '--focus', '　'], '--focus is empty'],
    [['--model', 'echo'], '--model must be google:<name>'],
  ])('refuses %o', async (args, message) => {
    const { code, err } = await cli(['compact', 'trip', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(server.requests).toEqual([]);
  });

  test('knows no other session', async () => {
    const { code, err } = await cli(['compact', 'nowhere', '--model', 'openai:m']);
    expect(code).toBe(1);
    expect(err).toContain('There is no session "nowhere"');
  });
});

describe('expand', () => {
  test('lists the summaries in force, then what one stands for', async () => {
    await fold();
    const listed = await cli(['expand', 'trip']);
    expect(listed.out).toMatch(
      /SEQ +TIME +COVERS +TOKENS +TRIGGER +SUMMARY\n +9 +[\d-]+ [\d:]+ +1–6 +\d+ +asked +用户计划去大理旅行/,
    );
    const shown = await cli(['expand', 'trip', '9']);
    expect(shown.out).toMatch(/^Summary 9, in force, stands for 6 events\n/);
    expect(shown.out).toMatch(/\n +1 .* user +第 1 问/);
    expect(shown.out).not.toContain('第 4 问');
    const cut = await cli(['expand', 'trip', '9', '--limit', '2']);
    expect(cut.err).toBe('Later ones are not shown; --all shows all.\n');
    expect(cut.out).toMatch(/^Summary 9, in force, stands for 6 events\n/);
    expect((await json('expand', 'trip', '9')).events).toHaveLength(6);
    expect((await json('expand', 'trip')).summaries).toMatchObject([
      { seq: 9, covers: [[1, 6]], events: 6, trigger: 'asked', text: summary, timestamp: expect.any(String) },
    ]);
  });

  test('--all shows more than one page holds', async () => {
    const palimpsest = await openPalimpsest({ file: join(directory, `${made}.db`) });
    const session = await palimpsest.user('u1').session('long');
    await session.append(Array.from({ length: 60 }, (_, n) => ({ author: 'user', content: `第 ${n + 1} 天 🚲` })));
    const content = { role: 'model' as const, parts: [{ text: '用户骑车六十天。\n每天一句。' }] };
    const compaction = { covers: [[1, 60] as const], content, trigger: 'test', sourceHash: 'x' };
    await session.append([{ author: 'system', actions: { compaction } }]);
    await palimpsest.close();
    expect(await json('expand', 'long', '61')).toMatchObject({ isAll: false, events: { length: 50 } });
    expect(await json('expand', 'long', '61', '--all')).toMatchObject({ isAll: true, events: { length: 60 } });
    expect((await cli(['expand', 'long', '61', '--all'])).err).toBe('');
    expect((await cli(['expand', 'long', '61', '--all', '--limit', '3'])).code).toBe(2);
    expect((await cli(['expand', 'long'])).out).toMatch(/test +用户骑车六十天。\n$/);
  });

  test('shows of a summary that a wider one took the place of where its events are now', async () => {
    await fold('--through', '2');
    const palimpsest = await openPalimpsest({ file: join(directory, `${made}.db`) });
    const session = await palimpsest.user('u1').session('trip-2026');
    const content = { role: 'model' as const, parts: [{ text: '去大理。' }] };
    const compaction = { covers: [[1, 4] as const], content, supersedes: [9], trigger: 'test', sourceHash: 'x' };
    await session.append([{ author: 'system', actions: { compaction } }]);
    await palimpsest.close();
    const { out } = await cli(['expand', 'trip', '9']);
    expect(out).toMatch(/^Summary 9, no longer in force, stands for 2 events\n/);
    expect(out).toMatch(/ 1 .*in summary 10 +第 1 问/);
    expect((await json('expand', 'trip')).summaries).toMatchObject([{ seq: 10, supersedes: [9] }]);
  });

  test('fits into narrow terminals', async () => {
    await fold();
    for (const args of [
      ['expand', 'trip'],
      ['expand', 'trip', '9'],
      ['expand', 'trip', '9', '--full'],
      ['pins', 'trip', '--add', '1,3,5'],
      ['pins', 'trip', '--full'],
      ['compact', 'trip', '--model', 'openai:m'],
    ]) {
      const { out } = await cli(args, { columns: 40 });
      expect(out).not.toBe('');
      for (const line of out.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(40);
    }
  });

  test('says that there are no summaries, and what is none', async () => {
    expect((await cli(['expand', 'trip'])).err).toContain("has no summaries; 'palimpsest compact' makes one");
    const remedy = 'The summaries are listed by: palimpsest expand trip-2026\n';
    expect(await cli(['expand', 'trip', '3'])).toEqual({
      ...{ code: 2, out: '' },
      err: `error: seq must be that of a summary, which event 3 is not.\n${remedy}`,
    });
    expect(await cli(['expand', 'trip', '99'])).toEqual({
      ...{ code: 2, out: '' },
      err: `error: seq is 99, but the session has 8 events.\n${remedy}`,
    });
    expect((await cli(['expand', 'trip', 'all'])).code).toBe(2);
  });
});

describe('pins', () => {
  test('are added, listed and removed, and what is pinned is not folded', async () => {
    const added = await cli(['pins', 'trip', '--add', '1,3']);
    expect(added.out).toMatch(/^2 events stay word for word {2}about \d+ tokens of each request\n/);
    expect(added.out).toMatch(/SEQ +AUTHOR +TOKENS +PINNED +BY +EVENT\n +1 +user +\d+ +[\d-]+ [\d:]+ +#9 +第 1 问/);
    await fold();
    expect((await json('expand', 'trip')).summaries).toMatchObject([
      {
        covers: [
          [2, 2],
          [4, 6],
        ],
      },
    ]);
    expect((await cli(['pins', 'trip', '--remove', '3'])).out).toMatch(/^1 event stays word for word/);
    expect((await json('pins', 'trip')).pins).toMatchObject([
      { seq: 1, pinnedBy: 9, tokens: { n: expect.any(Number) } },
    ]);
    expect((await cli(['pins', 'trip', '--remove', '1'])).err).toContain('has no pins');
  });

  test.each([['99'], ['x'], ['0']])('refuses %s, and pins nothing', async (seq) => {
    const { code, err } = await cli(['pins', 'trip', '--add', seq]);
    expect(code).not.toBe(0);
    expect(err).toContain(seq);
    expect((await json('pins', 'trip')).pins).toEqual([]);
  });

  test('what is as it should be is not noted again', async () => {
    await cli(['pins', 'trip', '--add', '1']);
    expect((await cli(['pins', 'trip', '--add', '1'])).code).toBe(0);
    const { code, err } = await cli(['pins', 'trip', '--remove', '5、7']);
    expect({ code, err }).toEqual({ code: 0, err: 'Not pinned, so not unpinned: 5, 7.\n' });
    expect((await json('show', 'trip')).events).toHaveLength(9);
  });

  test('refuses to unpin what is no event, and then unpins nothing', async () => {
    await cli(['pins', 'trip', '--add', '1']);
    expect(await cli(['pins', 'trip', '--remove', '1,99'])).toEqual({
      ...{ code: 1, out: '' },
      err: "error: Event 99 is not in this log.\n'palimpsest show <session>' lists the events with their seqs.\n",
    });
    expect((await json('pins', 'trip')).pins).toMatchObject([{ seq: 1 }]);
  });

  test('refuses to do both with one event', async () => {
    const { code, err } = await cli(['pins', 'trip', '--add', '1,3', '--remove', '3']);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'error: --add names event 3, which --remove names too; leave it out of one of them.\n',
    });
    expect((await json('pins', 'trip')).pins).toEqual([]);
  });
});

test.each(['compact', 'expand', 'pins'])('%s --help has examples', async (command) => {
  const { code, out } = await cli([command, '--help']);
  expect(code).toBe(0);
  expect(out).toContain(`Examples:\n  $ palimpsest ${command} 6f2a`);
});
