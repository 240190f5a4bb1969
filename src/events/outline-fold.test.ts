import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../test/logs/log-builder.ts';
import type { Outline, PartInput } from './event.ts';
import { OutlineFold } from './outline-fold.ts';
import type { SeqRange } from './ranges.ts';

const call = (id?: string, name = 'f'): PartInput => ({ functionCall: { name, ...(id === undefined ? {} : { id }) } });
const response = (id?: string, name = 'f'): PartInput => ({
  functionResponse: { name, ...(id === undefined ? {} : { id }) },
});
const by = (author: string, ...parts: PartInput[]): Omit<LoggedInput, 'seq'> => ({ author, content: { parts } });

/** The outline of events that stand at these places, 1, 2, 3 … if none are given. */
function outlineOf(inputs: readonly Omit<LoggedInput, 'seq'>[], seqs?: readonly number[], older: Outline[] = []) {
  const log = buildLog(inputs.map((input, at) => ({ ...input, seq: seqs?.[at] ?? at + 1 })));
  const fold = new OutlineFold();
  for (const event of log) fold.add(event);
  return fold.outline([[1, 1000]], older);
}

describe('an outline', () => {
  it('says which question or answer is the newest', () => {
    expect(outlineOf([by('user', { text: '几点了？' }), by('bot', { text: '三点。' })])).toEqual({ answered: 2 });
    expect(
      outlineOf([by('bot', { text: 'a' }), by('user', { text: 'q' }), by('bot', call('c'), response('c'))]),
    ).toEqual({ asked: 2 });
    expect(outlineOf([{ author: 'user', inputTranscription: { text: 'spoken' } }])).toEqual({ asked: 1 });
    expect(outlineOf([{ author: 'user', inputTranscription: { text: ' ' } }])).toEqual({});
  });

  it('says where the agent of the branch ended', () => {
    const end = { author: 'bot', actions: { endOfAgent: true } };
    expect(outlineOf([{ ...end, branch: 'root.a' }, by('bot', { text: '' })])).toEqual({ ended: 1 });
    expect(outlineOf([end])).toEqual({});
  });

  it('leaves out calls with their responses', () => {
    const log = [by('bot', call('a'), call('b')), by('bot', response('b')), by('bot', response('a'), call('c'))];
    expect(outlineOf([...log, by('bot', response('c'), response('a'))])).toEqual({});
    expect(outlineOf(log)).toEqual({ unpaired: [[3, 3]] });
  });

  it.each<[string, Omit<LoggedInput, 'seq'>[], SeqRange[]]>([
    ['a call that nothing answers', [by('bot', call('a'))], [[1, 1]]],
    ['a response without its call', [by('bot', response('a'))], [[1, 1]]],
    ['what has no id', [by('bot', call()), by('bot', response())], [[1, 2]]],
    ['what has the id and another name', [by('bot', call('a')), by('bot', response('a', 'g'))], [[1, 2]]],
    ['what the user calls', [by('user', call('a')), by('bot', response('a'))], [[1, 2]]],
    [
      'a call whose id is used again first',
      [by('bot', call('a')), by('bot', call('a')), by('bot', response('a'))],
      [[1, 1]],
    ],
    [
      'a call that a response without an id may answer',
      [by('bot', call('a')), by('bot', response()), by('bot', response('a'))],
      [[1, 2]],
    ],
  ])('names %s', (_, log, unpaired) => {
    expect(outlineOf(log)).toEqual({ unpaired });
  });

  it('takes no pair for certain that has uncovered events between', () => {
    expect(outlineOf([by('bot', call('a')), by('bot', response('a'))], [1, 3])).toEqual({
      unpaired: [
        [1, 1],
        [3, 3],
      ],
    });
  });

  it('runs over bookkeeping', () => {
    const log = [by('bot', call('a')), { author: 'system', actions: { pin: { seqs: [1] } } }, by('bot', response('a'))];
    expect(outlineOf(log)).toEqual({});
  });

  it('takes over what older outlines say', () => {
    const older: Outline[] = [
      { asked: 3, unpaired: [[2, 2]] },
      { answered: 7, ended: 6, unpaired: [[8, 8]] },
    ];
    expect(outlineOf([by('user', { text: 'q' })], [5], older)).toEqual({
      answered: 7,
      ended: 6,
      unpaired: [
        [2, 2],
        [8, 8],
      ],
    });
    expect(outlineOf([by('user', { text: 'q' })], [9], older)).toMatchObject({ asked: 9 });
  });

  it('names all that is covered where too much would have to be named', () => {
    const log = Array.from({ length: 300 }, (_, at) => by('bot', at % 2 === 0 ? call() : { text: '' }));
    expect(outlineOf(log).unpaired).toEqual([[1, 1000]]);
  });
});
