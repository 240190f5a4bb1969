import { describe, expect, it } from 'vitest';
import { rememberTool, type Span, type Telemetry, tool } from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, place, runToEnd } from './run-to-end.ts';

const fails = (): never => {
  throw new Error('监听者坏了');
};
const failingSpan: Span = { child: fails, set: fails, end: fails, run: fails };
const endsBadly: Span = {
  child: () => endsBadly,
  set: fails,
  end: fails,
  run: (work) => {
    work();
    return fails();
  },
};
const later = () => Promise.reject(new Error('later'));

describe('a run is not harmed by', () => {
  it.each<[string, Parameters<typeof openQuiet>[0] & object]>([
    ['a logger that throws', { logger: { debug: fails, info: fails, warn: fails, error: fails } }],
    ['a logger that fails later', { logger: { debug: later, info: later, warn: later, error: later } }],
    ['telemetry that begins no span', { telemetry: { span: fails } satisfies Telemetry }],
    ['spans that throw', { telemetry: { span: () => failingSpan } }],
    ['spans that throw behind the work', { telemetry: { span: () => endsBadly } }],
  ])('%s', async (_name, options) => {
    const palimpsest = await openQuiet(options);
    let runs = 0;
    const broken = tool({
      name: 'broken',
      description: 'Fails.',
      run: (_args, { logger }) => {
        runs++;
        logger.info('我在这里');
        return fails();
      },
    });
    const failure = { failure: new Error('忙'), cutAfter: 0 };
    const model = new ScriptedModel([failure, { calls: [{ name: 'broken' }] }, '好了']);
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [broken], retry: { firstDelayMs: 0 } });
    const run = await runToEnd(agent, { message: 'go' });
    expect(run.failure).toBeUndefined();
    expect(runs).toBe(1);
    expect((await logOf(palimpsest)).map(outline)).toEqual([
      'user: go',
      'assistant: call broken',
      'assistant: answer broken',
      'assistant: 好了',
    ]);
  });
});

it('what a model remembers has its call as the source, and goes with the session', async () => {
  const palimpsest = await openQuiet();
  const args = { text: '用户对花生过敏' };
  const model = new ScriptedModel([{ calls: [{ name: 'remember', args }] }, '记住了。']);
  const agent = palimpsest.agent({ name: 'assistant', model, tools: [rememberTool()] });
  await runToEnd(agent, { message: '记一下' });
  const scope = { appName: palimpsest.appName, userId: place.userId };
  const find = () => palimpsest.memory.search({ scope, query: '花生过敏' });
  const call = (await logOf(palimpsest))[1];
  const [entry] = (await find()).memories;
  expect(entry).toMatchObject({
    text: args.text,
    author: 'assistant',
    sourceTrust: 'agent',
    provenance: [{ kind: 'event', sessionId: place.sessionId, seq: call?.seq, eventId: call?.id }],
  });
  await (await palimpsest.user(place.userId).session(place.sessionId)).delete();
  expect((await find()).memories).toEqual([]);
});
