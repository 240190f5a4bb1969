import { describe, it } from 'vitest';
import { answer, call, expectShown, logged, says } from './shown-requests.ts';

const opening = 'user: [The conversation so far:]';
const current = { history: 'invocation' } as const;

describe('the current invocation alone', () => {
  it('C12: an agent that is handed the turn sees what the user asked, not only the hand-over', () => {
    const log = logged(
      says('user', '你好'),
      says('root', '你好，有什么事？'),
      says('user', '帮我查账单'),
      says('root', [call('transfer_to_agent', 't1', { agent_name: 'assistant' })]),
      says('root', [answer('transfer_to_agent', 't1', { ok: true })], { actions: { transferToAgent: 'assistant' } }),
    );
    expectShown(log, {
      view: current,
      parts: [
        'user: 帮我查账单',
        'user: [root] called transfer_to_agent({"agent_name":"assistant"})',
        'user: [root] transfer_to_agent returned {"ok":true}',
      ],
      placed: ['hidden: window', 'hidden: window', 'verbatim', 'narrated', 'narrated'],
    });
  });

  it('C13: agents that work side by side take no call away from each other', () => {
    const own = { branch: 'all.assistant' };
    const other = { branch: 'all.critic' };
    const log = logged(
      says('user', '评一评'),
      says('assistant', [call('look', 'c1')], own),
      says('critic', '我先说', other),
      says('assistant', [answer('look', 'c1', { found: 1 })], own),
    );
    expectShown(log, {
      view: { ...current, branch: 'all.assistant' },
      parts: ['user: 评一评', 'model: call look({})', 'user: look -> {"found":1}'],
      placed: ['verbatim', 'verbatim', 'hidden: branch', 'verbatim'],
    });
    expectShown(log, {
      view: current,
      parts: ['user: 评一评', 'model: call look({})', 'user: look -> {"found":1}', 'user: [critic] said: 我先说'],
      placed: ['verbatim', 'verbatim', 'narrated', 'verbatim'],
    });
  });

  it('C14: a result that is posted back in a later turn brings its call with it', () => {
    const log = logged(
      says('user', '渲染'),
      says('assistant', [call('render', 'c1')], { longRunningToolIds: ['c1'] }),
      says('user', '还没好？'),
      says('user', [answer('render', 'c1', { url: '一.png' })]),
    );
    expectShown(log, {
      view: current,
      parts: [opening, 'model: call render({})', 'user: render -> {"url":"一.png"}', 'user: 还没好？'],
      placed: ['hidden: window', 'verbatim', 'verbatim', 'verbatim'],
    });
  });
});

describe('a window', () => {
  it('C15: counts what the user asked, so that a turn of five tool rounds is one and is never cut', () => {
    const rounds = [1, 2, 3, 4, 5].flatMap((n) => [
      says('assistant', [call('look', `c${n}`, { n })]),
      says('assistant', [answer('look', `c${n}`, { n })]),
    ]);
    const log = logged(
      says('user', '一'),
      says('assistant', '一好了'),
      says('user', '二'),
      ...rounds,
      says('assistant', '二好了'),
    );
    const shownRounds = [1, 2, 3, 4, 5].flatMap((n) => [`model: call look({"n":${n}})`, `user: look -> {"n":${n}}`]);
    const verbatim = log.map(() => 'verbatim');
    expectShown(log, {
      view: { history: { window: { invocations: 2 } } },
      parts: ['user: 一', 'model: 一好了', 'user: 二', ...shownRounds, 'model: 二好了'],
      placed: verbatim,
    });
    expectShown(log, {
      view: { history: { window: { invocations: 1 } } },
      parts: ['user: 二', ...shownRounds, 'model: 二好了'],
      placed: ['hidden: window', 'hidden: window', ...verbatim.slice(2)],
    });
  });
});
