import { describe, expect, it } from 'vitest';
import { assemble, type Provider } from '../../src/index.ts';
import {
  answer,
  bareRequest,
  call,
  expectShown,
  logged,
  outlineOf,
  providers,
  says,
  summary,
} from './shown-requests.ts';

const opening = 'user: [The conversation so far:]';

describe('calls and their responses', () => {
  it('C1, JS3: a call that a crash left unanswered does not end the conversation', () => {
    expectShown(
      logged(says('user', '订两张票'), says('assistant', [call('book', 'c1')]), says('user', '停，换一件事')),
      {
        parts: ['user: 订两张票', 'user: 停，换一件事'],
        placed: ['verbatim', 'hidden: orphanCall', 'verbatim'],
      },
    );
  });

  it('C1: what was said with the unanswered call stays', () => {
    const log = logged(
      says('user', '订两张票'),
      says('assistant', ['我来订。', call('book', 'c1')]),
      says('user', '还没好？'),
    );
    expectShown(log, {
      parts: ['user: 订两张票', 'model: 我来订。', 'user: 还没好？'],
      placed: ['verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('C2, JS8: a response without its call, as the newest event of the log, is left out and nothing throws', () => {
    const log = logged(
      says('user', '天气？'),
      says('assistant', '查一下'),
      says('user', [answer('look', 'gone', { a: 1 })]),
    );
    expectShown(log, {
      parts: ['user: 天气？', 'model: 查一下'],
      placed: ['verbatim', 'verbatim', 'hidden: orphanResponse'],
    });
  });

  it('C2: a log of one response without its call is an empty conversation', () => {
    for (const provider of providers) {
      const log = logged(says('user', [answer('look', 'gone', {})]));
      const assembly = assemble(log, { agentName: 'assistant', history: 'full', provider });
      expect(assembly.contents).toEqual([]);
      expect(assembly.placement(1)).toEqual({ outcome: 'hidden', why: 'orphanResponse' });
    }
  });

  it('C3: a response that comes many turns later is paired over the whole log', () => {
    const log = logged(
      says('user', '批准这笔报销'),
      says('assistant', [call('approve', 'c1')], { longRunningToolIds: ['c1'] }),
      says('user', '先说说天气'),
      says('assistant', '晴。'),
      says('user', [answer('approve', 'c1', { approved: true })]),
      says('assistant', '批准了。'),
    );
    expectShown(log, {
      parts: [
        'user: 批准这笔报销',
        'model: call approve({})',
        'user: approve -> {"approved":true}',
        'user: 先说说天气',
        'model: 晴。',
        'model: 批准了。',
      ],
      placed: ['verbatim', 'verbatim', 'verbatim', 'verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('C9: of six pending calls one is done, and the other five are shown as pending', () => {
    const ids = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'];
    const calls = ids.map((id) => call('render', id));
    const log = logged(
      says('user', '渲染六张图'),
      says('assistant', calls, { longRunningToolIds: ids }),
      says('user', [answer('render', 'r4', { url: '四.png' })]),
    );
    const pending = 'user: render -> {"status":"pending"}';
    expectShown(log, {
      parts: [
        'user: 渲染六张图',
        ...ids.map(() => 'model: call render({})'),
        ...[pending, pending, pending, 'user: render -> {"url":"四.png"}', pending, pending],
      ],
      placed: ['verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('C11: an event with nothing but a response is shown', () => {
    const log = logged(
      says('user', '几度？'),
      says('assistant', [call('look', 'c1')]),
      says('tool', [answer('look', 'c1', { celsius: 21 })]),
    );
    expectShown(log, {
      parts: ['user: 几度？', 'model: call look({})', 'user: look -> {"celsius":21}'],
      placed: ['verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('C19: two calls of one tool are paired by id where the provider does so, else by place', () => {
    const log = logged(
      says('user', '两地天气'),
      says('assistant', [call('look', 'adk-1', { city: '大理' }), call('look', 'adk-2', { city: '昆明' })]),
      says('assistant', [answer('look', 'adk-2', { city: '昆明' })]),
      says('assistant', [answer('look', 'adk-1', { city: '大理' })]),
    );
    expectShown(log, {
      parts: [
        'user: 两地天气',
        'model: call look({"city":"大理"})',
        'model: call look({"city":"昆明"})',
        'user: look -> {"city":"大理"}',
        'user: look -> {"city":"昆明"}',
      ],
      placed: ['verbatim', 'verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('JS4: of two parallel calls only the answered one is sent', () => {
    const log = logged(
      says('user', '查两处'),
      says('assistant', [call('look', 'a', { at: 1 }), call('look', 'b', { at: 2 })]),
      says('assistant', [answer('look', 'b', { found: 2 })]),
      says('user', '够了'),
    );
    expectShown(log, {
      parts: ['user: 查两处', 'model: call look({"at":2})', 'user: look -> {"found":2}', 'user: 够了'],
      placed: ['verbatim', 'verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('JS5: responses without ids find their calls by tool and place', () => {
    const log = logged(
      says('user', '查两处'),
      says('assistant', [call('look', undefined, { at: 1 }), call('look', undefined, { at: 2 })]),
      says('assistant', [answer('look', undefined, { found: 1 }), answer('look', undefined, { found: 2 })]),
    );
    expectShown(log, {
      parts: [
        'user: 查两处',
        'model: call look({"at":1})',
        'model: call look({"at":2})',
        'user: look -> {"found":1}',
        'user: look -> {"found":2}',
      ],
      placed: ['verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('JS6: an id that a model uses again belongs each time to its own response', () => {
    const log = logged(
      says('user', '先一后二'),
      says('assistant', [call('look', 'same', { at: 1 })]),
      says('assistant', [answer('look', 'same', { found: 1 })]),
      says('assistant', [call('look', 'same', { at: 2 })]),
      says('assistant', [answer('look', 'same', { found: 2 })]),
    );
    expectShown(log, {
      parts: [
        'user: 先一后二',
        'model: call look({"at":1})',
        'user: look -> {"found":1}',
        'model: call look({"at":2})',
        'user: look -> {"found":2}',
      ],
      placed: ['verbatim', 'verbatim', 'verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('JS7: a late result takes nothing away of what was said since its call', () => {
    const log = logged(
      says('user', '开始编译'),
      says('assistant', [call('build', 'c1')], { longRunningToolIds: ['c1'] }),
      says('assistant', [answer('build', 'c1', { status: 'started' })]),
      says('assistant', '已经开始。'),
      says('user', '谢谢'),
      says('assistant', '不客气。'),
      says('user', [answer('build', 'c1', { status: 'done' })]),
    );
    expectShown(log, {
      parts: [
        'user: 开始编译',
        'model: call build({})',
        'user: build -> {"status":"done"}',
        'model: 已经开始。',
        'user: 谢谢',
        'model: 不客气。',
      ],
      placed: ['verbatim', 'verbatim', 'merged into 7', 'verbatim', 'verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('JS9: a result that comes after its call was summarised is not lost', () => {
    const log = logged(
      says('user', '开始编译'),
      says('assistant', [call('build', 'c1')], { longRunningToolIds: ['c1'] }),
      says('assistant', [answer('build', 'c1', { status: 'started' })]),
      says('assistant', '已经开始。'),
      summary('摘要：编译已开始', [[1, 4]]),
      says('user', [answer('build', 'c1', { status: 'done' })]),
    );
    expectShown(log, {
      parts: [opening, 'model: call build({})', 'user: build -> {"status":"done"}', 'model: 摘要：编译已开始'],
      placed: ['masked by 5', 'verbatim', 'masked by 5', 'masked by 5', 'summary', 'verbatim'],
    });
  });
});

describe('parts that say nothing, or only seem to', () => {
  it('C10, C17: an empty text that a model once returned stands in no later request', () => {
    const log = logged(
      says('user', '在吗？'),
      says('assistant', ''),
      says('user', '在吗？？'),
      says('assistant', ['在', '', ' \n']),
    );
    expectShown(log, {
      parts: ['user: 在吗？', 'user: 在吗？？', 'model: 在'],
      placed: ['verbatim', 'hidden: empty', 'verbatim', 'verbatim'],
    });
  });

  it('C18: a call that comes as a thought, code and its result are never dropped', () => {
    const log = logged(
      says('user', '算一下'),
      says('assistant', [{ thought: true, ...call('look', 'c1') }]),
      says('assistant', [answer('look', 'c1', { n: 4 })]),
      says('assistant', [
        { executableCode: { code: 'print(4)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '4' } },
      ]),
    );
    expectShown(log, {
      parts: ['user: 算一下', 'model: call look({})', 'user: look -> {"n":4}', 'model: print(4)', 'model: 4'],
      placed: ['verbatim', 'verbatim', 'verbatim', 'verbatim'],
    });
  });

  it('C18: a part with nothing but a signature goes back to Gemini, which wants it, and a sealed thought to all', () => {
    const bare = logged(
      says('user', '想一想'),
      says('assistant', [{ thoughtSignature: 'c2ln' }]),
      says('user', '继续'),
    );
    const sealed = { text: '', thought: true, thoughtSignature: 'c2ln' };
    const closed = logged(says('user', '想一想'), says('assistant', [sealed, '好']), says('user', '继续'));
    const parts = (log: typeof bare, provider: Provider) =>
      outlineOf(bareRequest(assemble(log, { agentName: 'assistant', history: 'full', provider }), provider));
    expect(parts(bare, 'gemini')).toEqual(['user: 想一想', 'model: signature', 'user: 继续']);
    for (const provider of ['anthropic', 'openai'] as const)
      expect(parts(bare, provider)).toEqual(['user: 想一想', 'user: 继续']);
    for (const provider of providers)
      expect(parts(closed, provider)).toEqual(['user: 想一想', 'model: ()', 'model: 好', 'user: 继续']);
  });

  it('JS1: a call stands though the first part beside it is an empty text', () => {
    const log = logged(
      says('user', '查'),
      says('assistant', ['', call('look', 'c1')]),
      says('assistant', [answer('look', 'c1', {})]),
    );
    expectShown(log, {
      parts: ['user: 查', 'model: call look({})', 'user: look -> {}'],
      placed: ['verbatim', 'verbatim', 'verbatim'],
    });
  });
});
