import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../../test/logs/log-builder.ts';
import type { View } from '../../../events/index.ts';
import { assemble } from '../assemble.ts';
import type { Assembly } from '../assembly.ts';
import { LogView } from './context-view.ts';

const view: View = { agentName: 'assistant', history: 'full', provider: 'anthropic' };
const spans = { mostOpen: 3, alwaysOpen: 1 };

const said = ({ contents, sources, question, counts }: Assembly) => ({ contents, sources, question, counts });

/** Builds up a view event by event, asking each time, and compares what comes out. */
function grow(inputs: readonly LoggedInput[], options: Partial<View> = {}): LogView {
  const log = buildLog(inputs);
  const live = new LogView({ ...view, ...options }, [], { spans });
  log.forEach((event, index) => {
    expect(live.push(event)).toBe('ok');
    const expected = assemble(log.slice(0, index + 1), { ...view, ...options });
    expect(said(live.assembly()), `after ${event.seq}`).toEqual(said(expected));
  });
  return live;
}

const talk = (from: number, to: number): LoggedInput[] =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const seq = from + index;
    return { seq, author: seq % 2 === 1 ? 'user' : 'researcher', content: `turn ${seq} 天气` };
  });

const compaction = (seq: number, covers: readonly (readonly [number, number])[]): LoggedInput => ({
  seq,
  author: 'system',
  actions: {
    compaction: { covers, content: { role: 'model', parts: [{ text: 'before' }] }, trigger: 't', sourceHash: '' },
  },
});

const call = (seq: number, id: string | undefined, where: Partial<LoggedInput> = {}): LoggedInput => ({
  seq,
  author: 'assistant',
  content: { parts: [{ functionCall: { name: 'f', ...(id === undefined ? {} : { id }) } }] },
  ...where,
});
const response = (seq: number, id: string | undefined): LoggedInput => ({
  seq,
  author: 'assistant',
  content: { parts: [{ functionResponse: { name: 'f', response: { seq }, ...(id === undefined ? {} : { id }) } }] },
});
const words = (seq: number, text: string, finished = false): LoggedInput => ({
  seq,
  author: 'user',
  inputTranscription: { text, finished },
});

describe('spans that are laid out apart', () => {
  it('keep what stands before and behind a compaction', () => {
    const live = new LogView({ ...view, provider: 'gemini' }, buildLog(talk(1, 200)), { spans });
    const before = live.assembly().contents;
    for (const event of buildLog([compaction(201, [[41, 60]])])) live.push(event);
    const after = live.assembly().contents;
    expect(after).toHaveLength(181);
    // A retold turn is a content of its own making: the same object only if it was not made again.
    const made = after.filter((content) => !before.includes(content));
    expect(made.length).toBeLessThan(10);
  });

  it('join where what stood between two pieces of a transcript is covered', () => {
    const pieces = [...talk(1, 4), words(5, 'how '), ...talk(6, 6), words(7, 'warm'), ...talk(8, 9)];
    const live = grow([
      ...pieces,
      compaction(10, [
        [6, 6],
        [8, 9],
      ]),
    ]);
    expect(live.assembly().contents.flatMap(({ parts }) => parts)).toContainEqual({ text: 'how warm' });
  });

  it('join where what stood between two turns of the model goes', () => {
    const own = (seq: number) => ({ seq, author: 'assistant', content: `own ${seq}` });
    const rewound = { seq: 12, author: 'system', actions: { rewind: { beforeInvocationId: 'i8', fromSeq: 8 } } };
    grow([...talk(1, 5), own(6), ...talk(7, 9), own(10), own(11), rewound, own(13), own(14)]);
    grow([...talk(1, 5), own(6), call(7, 'c'), own(8), call(9, 'd'), own(10), response(11, 'd'), response(12, 'c')]);
  });

  it('are one again from a call to its late response', () => {
    const live = grow([...talk(1, 3), call(4, 'c'), ...talk(5, 40), response(41, 'c'), ...talk(42, 60)]);
    const { contents } = live.assembly();
    const at = contents.findIndex(({ parts }) => parts.some((part) => part.functionCall !== undefined));
    expect(contents[at + 1]?.parts[0]?.functionResponse?.response).toEqual({ seq: 41 });
  });

  it('give each id to one call, also when an older call that had it comes back', () => {
    const pinned = { seq: 22, author: 'system', actions: { pin: { seqs: [4] } } };
    const again = [call(12, 'c'), response(13, 'c'), ...talk(14, 20)];
    const log = [
      ...talk(1, 3),
      call(4, 'c'),
      response(5, 'c'),
      ...talk(6, 11),
      ...again,
      compaction(21, [[1, 9]]),
      pinned,
    ];
    const live = grow(log);
    const ids = live.assembly().contents.flatMap(({ parts }) => parts.flatMap((part) => part.functionCall?.id ?? []));
    expect(ids).toEqual(['c', 'call_12_0']);
  });

  it('are laid out anew where the end of an agent shows a call that something below answers', () => {
    const branch = 'root.researcher';
    const ended = { seq: 42, author: 'researcher', branch, actions: { endOfAgent: true } };
    const log = [...talk(1, 3), call(4, undefined, { branch }), ...talk(5, 40), { ...response(41, undefined), branch }];
    const live = grow([...log, ended, ...talk(43, 50)], { branch: 'root' });
    expect(live.assembly().placement(41)).toEqual({ outcome: 'verbatim' });
  });

  it('wait with a late response until it stands, and forget it where it is covered unasked', () => {
    const rewound = { seq: 33, author: 'system', actions: { rewind: { beforeInvocationId: 'i31', fromSeq: 31 } } };
    const log = buildLog([
      ...talk(1, 3),
      { ...call(4, 'c'), longRunningToolIds: ['c'] },
      ...talk(5, 29),
      response(30, 'c'),
      ...talk(31, 31),
      compaction(32, [[4, 31]]),
      rewound,
      compaction(34, [[20, 30]]),
    ]);
    const live = new LogView(view, [], { spans });
    for (const event of log) expect(live.push(event)).toBe('ok');
    expect(said(live.assembly())).toEqual(said(assemble(log, view)));
    expect(JSON.stringify(live.assembly().contents)).toContain('pending');
  });
});
