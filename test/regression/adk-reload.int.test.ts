import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPalimpsest, type Palimpsest, validateRequest } from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { place, runToEnd } from '../agents/run-to-end.ts';
import { outlineOf, providers } from './shown-requests.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-reload-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const key = { appName: 'test', ...place };
const openFile = (name: string): Promise<Palimpsest> =>
  openPalimpsest({ file: join(folder, `${name}.db`), appName: 'test', sweepSeconds: 0, ingest: 'never' });

describe.each(providers)('a session that is opened again, for %s', (provider) => {
  it('F1, F2, F3: has its rewind: the turn of the other agent is in no request and in no list of what counts', async () => {
    const first = await openFile(`rewind-${provider}`);
    const say = async (palimpsest: Palimpsest, name: string, message: string, said: string) => {
      const model = new ScriptedModel([said], { provider });
      expect((await runToEnd(palimpsest.agent({ name, model }), { message })).failure).toBeUndefined();
      return model.calls.map(({ request }) => {
        expect(validateRequest(request, provider)).toEqual([]);
        return outlineOf(request);
      });
    };
    await say(first, 'root', '一', '答一');
    await say(first, 'billing', '账单', '账单组的话');
    const [, , asked] = (await first.sessions.read(key)).items;
    await first.sessions.rewind(key, { beforeInvocationId: asked?.invocationId ?? '' });
    await first.close();
    const second = await openFile(`rewind-${provider}`);
    const live = (await second.sessions.readEffective(key)).items;
    expect(live.map(({ author }) => author)).toEqual(['user', 'root']);
    expect(await say(second, 'root', '三', '答三')).toEqual([['user: 一', 'root: 答一', 'user: 三'].map(asModel)]);
    await second.close();
  });

  it('F10: has the state of its agents, whose bare marks are no part of a request', async () => {
    const name = `marks-${provider}`;
    const first = await openFile(name);
    await first.sessions.create(key);
    const actions = { agentState: { step: 2, 待办: ['核对'] }, endOfAgent: true };
    await first.sessions.append(key, [
      { author: 'user', content: '开始' },
      { author: 'worker', actions: { agentState: { step: 1 } } },
      { author: 'worker', actions },
    ]);
    await first.close();
    const second = await openFile(name);
    expect((await second.sessions.read(key)).items.map((event) => event.actions)).toEqual([
      {},
      { agentState: { step: 1 } },
      actions,
    ]);
    const { contents, explain } = await second.context(key, { agentName: 'root', provider });
    expect(outlineOf({ contents })).toEqual(['user: 开始']);
    for (const seq of [2, 3]) expect(explain(seq)).toEqual({ outcome: 'hidden', why: 'empty' });
    await second.close();
  });
});

function asModel(line: string): string {
  return line.replace('root:', 'model:');
}
