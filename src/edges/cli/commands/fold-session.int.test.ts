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
    expect(out).toMatch(/^Event 9 is a summary of events 1–6\.\n/);
    expect(out).toMatch(/The next request has about (\d+) tokens instead of (\d+)\./);
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
      out: 'Nothing was folded: there is nothing older than the last exchange.\n',
    });
    expect(server.requests).toHaveLength(1);
  });

  test('says what must be answered first', async () => {
    const palimpsest = await openPalimpsest({ file: join(directory, `${made}.db`) });
    const session = await palimpsest.user('u1').session('trip-2026');
    const call = { functionCall: { id: 'c1', name: 'book', args: {} } };
    await session.append([
      { author: 'user', invocationId: 'i5', content: '请订房。' },
      {
        ...{ author: 'guide', invocationId: 'i5', content: { role: 'model', parts: [call] } },
        actions: { requestedToolConfirmations: { c1: { hint: '订房？' } } },
      },
      { author: 'user', invocationId: 'i6', content: '先等等。' },
      { author: 'guide', invocationId: 'i6', content: '好的，等您确认。' },
      { author: 'user', invocationId: 'i7', content: '先说说天气。' },
      { author: 'guide', invocationId: 'i7', content: '晴，十八度。' },
    ]);
    await palimpsest.close();
    await fold('--through', '9');
    const { code, out } = await cli(['compact', 'trip', '--model', 'openai:m']);
    expect({ code, out }).toEqual({ code: 1, out: 'Nothing was folded: event 10 waits for an answer.\n' });
    expect((await cli(['show', 'trip'])).out).toContain(
      'nothing could be folded for guide: event 10 must be answered first',
    );
  });

  test('takes no summary that is none, and says what was wrong with it', async () => {
    server.reply({ text: '' });
    const { code, out, err } = await cli(['compact', 'trip', '--model', 'openai:m']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/error: Model "m" failed after 1 attempt/);
    expect((await json('show', 'trip')).events).toHaveLength(8);
  });

  test('is stopped by Ctrl-C, and nothing is changed', async () => {
    server.reply({ hang: true });
    const controller = new AbortController();
    const running = cli(['compact', 'trip', '--model', 'openai:m'], { signal: controller.signal });
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect((await running).code).toBe(130);
    expect((await json('show', 'trip')).events).toHaveLength(8);
  });

  test.each([
    [[], '--model is needed'],
    [['--model', 'openai:m', '--through', '99'], '--through is 99, but the session has 8 events'],
    [['--model', 'openai:m', '--through', 'x'], '--through must be the seq of an event'],
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
    expect(listed.out).toMatch(/SEQ +COVERS +TOKENS +TRIGGER +SUMMARY\n +9 +1–6 +\d+ +asked +用户计划去大理旅行/);
    const shown = await cli(['expand', 'trip', '9']);
    expect(shown.out).toMatch(/^Summary 9, in force, stands for 6 events\n/);
    expect(shown.out).toMatch(/ 1 .*in summary 9 +第 1 问/);
    expect(shown.out).not.toContain('第 4 问');
    const cut = await cli(['expand', 'trip', '9', '--limit', '2']);
    expect(cut.err).toBe('Later ones are not shown; --limit 0 shows all.\n');
    expect((await json('expand', 'trip', '9')).events).toHaveLength(6);
    expect((await json('expand', 'trip')).summaries).toMatchObject([{ seq: 9, covers: [[1, 6]], text: summary }]);
  });

  test('fits into narrow terminals', async () => {
    await fold();
    for (const args of [
      ['expand', 'trip'],
      ['expand', 'trip', '9'],
      ['pins', 'trip', '--add', '1'],
    ])
      for (const line of (await cli(args, { columns: 40 })).out.split('\n'))
        expect(textWidth(line)).toBeLessThanOrEqual(40);
  });

  test('says that there are no summaries, and what is none', async () => {
    expect((await cli(['expand', 'trip'])).err).toContain("has no summaries; 'palimpsest compact' makes one");
    const { code, err } = await cli(['expand', 'trip', '3']);
    expect(code).toBe(2);
    expect(err).toContain('3');
    expect((await cli(['expand', 'trip', 'all'])).code).toBe(2);
  });
});

describe('pins', () => {
  test('are added, listed and removed, and what is pinned is not folded', async () => {
    const added = await cli(['pins', 'trip', '--add', '1,3']);
    expect(added.out).toMatch(/^2 events stay word for word\n/);
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
    expect((await json('pins', 'trip')).pins).toMatchObject([{ seq: 1 }]);
    expect((await cli(['pins', 'trip', '--remove', '1'])).err).toContain('has no pins');
  });

  test.each([['99'], ['x'], ['0']])('refuses %s, and pins nothing', async (seq) => {
    const { code, err } = await cli(['pins', 'trip', '--add', seq]);
    expect(code).not.toBe(0);
    expect(err).toContain(seq);
    expect((await json('pins', 'trip')).pins).toEqual([]);
  });
});
