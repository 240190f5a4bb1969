import { describe, expect, it } from 'vitest';
import { eventFromAdk } from '../../src/index.ts';
import { answer, call, expectShown, logged, notes, says } from './shown-requests.ts';

describe('branches', () => {
  it('F5: agent_1 and agent_10 do not see each other', () => {
    const log = logged(
      says('user', '开始'),
      says('agent_1', '一号的话', { branch: 'root.agent_1' }),
      says('agent_10', '十号的话', { branch: 'root.agent_10' }),
    );
    expectShown(log, {
      view: { agentName: 'agent_1', branch: 'root.agent_1' },
      parts: ['user: 开始', 'model: 一号的话'],
      placed: ['verbatim', 'verbatim', 'hidden: branch'],
    });
    expectShown(log, {
      view: { agentName: 'agent_10', branch: 'root.agent_10' },
      parts: ['user: 开始', 'model: 十号的话'],
      placed: ['verbatim', 'hidden: branch', 'verbatim'],
    });
  });

  it('F6: a reducer behind a nested group sees its children once they have ended, and nobody beside the group', () => {
    const [first, second] = [{ branch: 'all.left.甲' }, { branch: 'all.left.乙' }];
    const children = [says('user', '写一段'), says('甲', '甲写完', first), says('乙', '乙写完', second)];
    const beside = says('丙', '另一组', { branch: 'all.right' });
    const ends = [
      { author: '甲', actions: { endOfAgent: true }, ...first },
      { author: '乙', actions: { endOfAgent: true }, ...second },
    ];
    const view = { branch: 'all.left' };
    expectShown(logged(...children, beside), {
      view,
      parts: ['user: 写一段'],
      placed: ['verbatim', 'hidden: branch', 'hidden: branch', 'hidden: branch'],
    });
    expectShown(logged(...children, beside, ...ends), {
      view,
      parts: ['user: 写一段', 'user: [甲] said: 甲写完', 'user: [乙] said: 乙写完'],
      placed: ['verbatim', 'narrated', 'narrated', 'hidden: branch', 'hidden: empty', 'hidden: empty'],
    });
  });

  it('F7: what has no branch, or an empty one where it comes from, is seen on every branch', () => {
    const adk = { author: 'user', branch: '', content: { role: 'user', parts: [{ text: '外来的话' }] } };
    const { input } = eventFromAdk({ ...adk, id: 'e1', invocationId: 'i1', timestamp: 1, actions: {} }, 'event');
    const log = logged(says('user', '没有分支'), input, says('assistant', '好', { branch: 'root.assistant' }));
    expectShown(log, {
      view: { branch: 'root.assistant' },
      parts: ['user: 没有分支', 'user: 外来的话', 'model: 好'],
      placed: ['verbatim', 'verbatim', 'verbatim'],
    });
  });
});

describe('other agents, retold', () => {
  it('F8, JS2: thoughts of another agent reach nobody, and a turn of thoughts alone leaves no trace', () => {
    const log = logged(
      says('user', '问题'),
      says('critic', [{ text: '暗想', thought: true, thoughtSignature: 'c2ln' }, '明说']),
      says('critic', [{ text: '又想', thought: true }]),
      says('critic', [{ thoughtSignature: 'c2ln' }]),
    );
    expectShown(log, {
      parts: ['user: 问题', 'user: [critic] said: 明说'],
      placed: ['verbatim', 'narrated', 'hidden: empty', 'hidden: empty'],
    });
  });

  it('F9: retelling adds a name and no more, a long result can be cut, and a sealed talk is not retold at all', () => {
    const sealed = { isolationScope: 'research' };
    const log = logged(
      says('user', '查资料'),
      says('researcher', '内部讨论', sealed),
      says('researcher', [call('fetch', 'f1')]),
      says('researcher', [answer('fetch', 'f1', { page: '长'.repeat(5000) })]),
      says('researcher', '结论'),
      says('assistant', '我的话'),
      notes({ trim: { seqs: [4], keepChars: 10 } }),
    );
    expectShown(log, {
      parts: [
        'user: 查资料',
        'user: [researcher] called fetch({})',
        'user: [researcher] fetch returned {"page":"长[cut: 5001 characters; expand_history 4]',
        'user: [researcher] said: 结论',
        'model: 我的话',
      ],
      placed: ['verbatim', 'hidden: scope', 'narrated', 'trimmed', 'narrated', 'verbatim', 'hidden: bookkeeping'],
    });
  });

  it('F9: a window forgets old hand-overs', () => {
    const turns = [1, 2, 3, 4].flatMap((n) => [says('user', `问${n}`), says('researcher', `答${n}`)]);
    expectShown(logged(...turns), {
      view: { history: { window: { invocations: 1 } } },
      parts: ['user: 问4', 'user: [researcher] said: 答4'],
      placed: [...Array.from({ length: 6 }, () => 'hidden: window'), 'verbatim', 'narrated'],
    });
  });

  it('F1: what an agent said in a turn that was rewound is live for nobody', () => {
    const log = logged(
      says('user', '一'),
      says('assistant', '答一'),
      says('user', '二', { invocationId: 'turn2' }),
      says('assistant', [call('transfer_to_agent', 't')]),
      says('assistant', [answer('transfer_to_agent', 't', {})], { actions: { transferToAgent: 'billing' } }),
      says('billing', '账单组接手'),
      notes({ rewind: { beforeInvocationId: 'turn2', fromSeq: 3 } }),
      says('user', '三'),
    );
    const rewound = Array.from({ length: 4 }, () => 'hidden: rewound');
    const placed = ['verbatim', 'verbatim', ...rewound, 'hidden: bookkeeping', 'verbatim'];
    expectShown(log, { parts: ['user: 一', 'model: 答一', 'user: 三'], placed });
    expectShown(log, {
      view: { agentName: 'billing' },
      parts: ['user: 一', 'user: [assistant] said: 答一', 'user: 三'],
      placed: ['verbatim', 'narrated', ...placed.slice(2)],
    });
    expect(log[4]?.actions.transferToAgent).toBe('billing');
  });

  it('JS10: pieces of a transcript are one turn of who spoke', () => {
    const heard = (text: string, finished = false) => ({ author: 'user', inputTranscription: { text, finished } });
    const spoke = (text: string) => ({ author: 'assistant', outputTranscription: { text } });
    const log = logged(heard('今天'), heard('冷吗', true), spoke('不'), spoke('冷。'), heard('好'));
    expectShown(log, {
      parts: ['user: 今天冷吗', 'model: 不冷。', 'user: 好'],
      placed: ['verbatim', 'merged into 1', 'verbatim', 'merged into 3', 'verbatim'],
    });
  });
});
