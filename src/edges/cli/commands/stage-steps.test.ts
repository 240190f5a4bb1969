import { expect, test } from 'vitest';
import { assemble } from '../../../context/assembly/index.ts';
import { type Event, type EventInput, placeEvent, prepareEvent, type View } from '../../../events/index.ts';
import { stageSteps } from './stage-steps.ts';

const instant = '2026-01-01T00:00:00.000Z';
const view = { agentName: 'guide', history: 'full', provider: 'openai' } as const;

function logOf(inputs: readonly EventInput[]): Event[] {
  return inputs.map((input, index) => {
    const { draft } = prepareEvent(input, `events[${index}]`);
    const origin = input.author === 'user' || input.author === 'system' ? input.author : 'agent';
    return placeEvent(draft, {
      seq: index + 1,
      id: `e${index}`,
      invocationId: `i${index}`,
      origin,
      recordedAt: instant,
    });
  });
}

function stepsOf(inputs: readonly EventInput[], logLength = inputs.length, own: Partial<View> = {}) {
  const events = logOf(inputs);
  const assembly = assemble(events, { ...view, ...own });
  const request = { assembly, events, explanation: assembly, explain: assembly.placement.bind(assembly) };
  return stageSteps(request, logLength).map(({ left, why }) => (why === '' ? left : `${left}: ${why}`));
}

const asked: EventInput = { author: 'user', content: '我周五去大理。' };
const answered: EventInput = { author: 'guide', content: 'On Friday, then.' };
const call = (id: string): EventInput => ({
  author: 'guide',
  content: { role: 'model', parts: [{ functionCall: { id, name: 'look', args: {} } }] },
});
const result = (id: string): EventInput => ({
  author: 'guide',
  content: { role: 'user', parts: [{ functionResponse: { id, name: 'look', response: { ok: true } } }] },
});

test('where nothing is taken away, only the log and the contents', () => {
  expect(stepsOf([asked, answered])).toEqual(['2 events in the log', '2 contents']);
  expect(stepsOf([])).toEqual(['0 events in the log', '0 contents']);
});

test('each stage that takes something away says why', () => {
  const covers = { covers: [[1, 2]], content: { role: 'model', parts: [{ text: '摘要' }] } } as const;
  const log: EventInput[] = [
    ...[asked, answered, asked],
    { author: 'other', content: '密封', isolationScope: 'sealed' },
    { author: 'other', content: { role: 'model', parts: [{ text: 'hm', thought: true }] } },
    { author: 'system', actions: { compaction: { ...covers, trigger: 'test', sourceHash: 'x' } } },
    { author: 'system', actions: { pin: { seqs: [3] } } },
    ...[call('c1'), call('c2'), result('c2'), answered],
  ];
  expect(stepsOf(log)).toEqual([
    '11 events in the log',
    '10 live: 1 about the log itself',
    '9 seen by the agent: 1 in another isolation scope',
    '7 remain: 2 behind summary 6',
    '6 with something to say: 1 that says nothing to the model',
    "6 contents: 1 call without an answer, a constant opening on the user's side added",
  ]);
});

test('rewound events, and two of one side that are one content', () => {
  const rewind: EventInput = { author: 'system', actions: { rewind: { beforeInvocationId: 'i2', fromSeq: 3 } } };
  expect(stepsOf([asked, answered, asked, answered, rewind, asked, asked], 7, { provider: 'anthropic' })).toEqual([
    '7 events in the log',
    '4 live: 2 rewound, 1 about the log itself',
    '3 contents: 1 joined with a neighbour of the same side',
  ]);
});

test('of a log that was read in part, what the rest is hidden behind', () => {
  const covers: EventInput = {
    author: 'system',
    actions: {
      compaction: {
        ...{ covers: [[1, 2]], content: { role: 'model', parts: [{ text: 'Dali on Friday.' }] } },
        ...{ trigger: 'test', sourceHash: 'x' },
      },
    },
  };
  const events = logOf([asked, answered, covers, asked]).slice(1);
  const assembly = assemble(events, view);
  const request = { assembly, events, explanation: assembly, explain: assembly.placement.bind(assembly) };
  expect(stageSteps(request, 4)).toEqual([
    { left: '4 events in the log', why: '' },
    { left: '3 that need to be read', why: '1 behind summary 3' },
    { left: '2 remain', why: '1 behind summary 3' },
    { left: '3 contents', why: "a constant opening on the user's side added" },
  ]);
});
