import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isPalimpsestError, loadMemory, type Provider, textOf, tool } from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, runToEnd } from './run-to-end.ts';

const forecast = tool({
  name: 'forecast',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  run: ({ city }) => ({ city, celsius: 21 }),
});

describe('a run', () => {
  it('appends the words of the user, calls, answers and the reply, and yields what it stores', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel([
      { thought: 'Look it up.', text: 'One moment.', calls: [{ name: 'forecast', args: { city: '杭州' }, id: 'c1' }] },
      { text: '杭州今天二十一度。', usage: { inputTokens: 40, outputTokens: 9, cacheReadTokens: 32 } },
    ]);
    const agent = palimpsest.agent({ name: 'assistant', model, instruction: 'Answer briefly.', tools: [forecast] });
    const { events, pieces, failure } = await runToEnd(agent, { message: '杭州天气怎么样？' });
    expect(failure).toBeUndefined();
    const log = await logOf(palimpsest);
    expect(log.map(outline)).toEqual([
      'user: 杭州天气怎么样？',
      'assistant: (Look it up.) + One moment. + call forecast',
      'assistant: answer forecast',
      'assistant: 杭州今天二十一度。',
    ]);
    expect(log.slice(1)).toEqual(events);
    expect(new Set(log.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect(log.map(({ origin }) => origin)).toEqual(['user', 'agent', 'tool', 'agent']);
    expect(log[2]?.content?.parts[0]?.functionResponse).toEqual({
      id: 'c1',
      name: 'forecast',
      response: { city: '杭州', celsius: 21 },
    });
    expect(log[3]?.usage).toEqual({ inputTokens: 40, outputTokens: 9, cacheReadTokens: 32 });
    expect(log[3]?.finishReason).toBe('stop');
    for (const at of [1, 3]) {
      const stored = log[at];
      const streamed = pieces.filter(({ id }) => id === stored?.id).map(({ content }) => content.parts[0]?.text);
      const said = stored?.content?.parts.flatMap((part) => part.text ?? []);
      expect(streamed.join('')).toBe(said?.join(''));
    }
  });

  it('keeps a journal of each request on the event that answers it', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel([{ calls: [{ name: 'forecast', args: { city: 'Rome' } }] }, 'Warm.']);
    const agent = palimpsest.agent({ name: 'assistant', model, instruction: 'Answer briefly.', tools: [forecast] });
    await runToEnd(agent, { message: 'Rome?' });
    const journals = (await logOf(palimpsest)).flatMap(({ request }) => request ?? []);
    expect(journals.map(({ throughSeq, model: name, rules }) => ({ throughSeq, name, rules }))).toEqual([
      { throughSeq: 1, name: 'scripted', rules: 1 },
      { throughSeq: 3, name: 'scripted', rules: 1 },
    ]);
    expect(journals[0]?.blocks.map(({ kind, stable }) => ({ kind, stable }))).toEqual([
      { kind: 'instruction', stable: true },
      { kind: 'tools', stable: true },
    ]);
    expect(journals[0]?.requestHash).toMatch(/^[0-9a-f]{64}$/);
    expect(journals[0]?.requestHash).not.toBe(journals[1]?.requestHash);
  });

  it('gives the model the conversation, the instruction with values of state, and the tools', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel(['Hello.', 'Again.']);
    const agent = palimpsest.agent({
      name: 'assistant',
      model,
      instruction: 'Speak to {user:name} in {language}. {{language}} {unknown}',
      tools: [forecast],
    });
    await runToEnd(agent, { message: 'Hi', stateDelta: { 'user:name': '小明', language: 'English' } });
    await runToEnd(agent, { message: 'And again' });
    expect(model.calls[1]?.request.instruction).toEqual(['Speak to 小明 in English. {language} {unknown}']);
    expect(model.calls[1]?.request.contents.map(textOf)).toEqual(['Hi', 'Hello.', 'And again']);
    expect(model.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['forecast']);
  });

  it('recalls what another session said, for this invocation only', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel(['好的。', '摄氏度。', 'Nothing more.']);
    const agent = palimpsest.agent({ name: 'assistant', model });
    await runToEnd(agent, { message: '以后请用摄氏度报告温度' });
    await palimpsest.settled();
    await runToEnd(agent, { sessionId: 's2', message: '我喜欢用哪种温度单位？' });
    const asked = model.calls[1]?.request;
    expect(asked?.transient).toHaveLength(1);
    expect(textOf(asked?.contents[asked.transient[0] ?? -1])).toContain('以后请用摄氏度报告温度');
    const [, event] = await logOf(palimpsest, 's2');
    const sources = event?.request?.blocks.find(({ kind }) => kind === 'memory')?.source;
    expect(sources?.[0]).toMatchObject({ kind: 'event', sessionId: 's1', seq: 1 });
    await runToEnd(agent, { sessionId: 's2', message: 'Thanks' });
    expect(JSON.stringify(model.calls[2]?.request.contents)).not.toContain('摄氏度报告');
  });

  it('marks what a tool answers with where the memories come from that it found', async () => {
    const palimpsest = await openQuiet();
    const query = { name: 'load_memory', args: { query: '温度' } };
    const model = new ScriptedModel([
      '好的。',
      { calls: [query, { name: 'forecast', args: { city: 'x' } }] },
      '摄氏度。',
    ]);
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [loadMemory(), forecast], recall: false });
    await runToEnd(agent, { message: '以后请用摄氏度报告温度' });
    await palimpsest.settled();
    await runToEnd(agent, { sessionId: 's2', message: 'Which unit?' });
    const log = await logOf(palimpsest, 's2');
    const marks = log.map((event) => [outline(event), event.customMetadata?.memorySources]);
    expect(marks.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))).toEqual([
      ['assistant: answer forecast', undefined],
      [
        'assistant: answer load_memory',
        expect.arrayContaining([expect.objectContaining({ kind: 'event', sessionId: 's1', seq: 1 })]),
      ],
      ['assistant: call load_memory + call forecast', undefined],
      ['assistant: 摄氏度。', undefined],
      ['user: Which unit?', undefined],
    ]);
  });

  it('answers without memories where they cannot be searched', async () => {
    const palimpsest = await openQuiet();
    palimpsest.memory.search = () => Promise.reject(new TypeError('索引坏了'));
    const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['好的。']) });
    const { events, failure } = await runToEnd(agent, { message: '天气？' });
    expect(failure).toBeUndefined();
    expect(events.map(outline)).toEqual(['assistant: 好的。']);
  });

  it.each<Provider>(['gemini', 'anthropic', 'openai'])(
    'shows a %s model media of any size, and what a tool has saved, at each step',
    async (provider) => {
      const palimpsest = await openQuiet();
      const draw = tool({
        name: 'draw',
        description: 'Draws something.',
        parameters: z.object({}),
        run: async (_args, { artifacts }) => {
          await artifacts.save('猫.png', Buffer.from('a cat'), 'image/png');
          return { file: 'artifact:猫.png' };
        },
      });
      const model = new ScriptedModel([{ calls: [{ name: 'draw', id: 'c1' }] }, 'Drawn.', '一只猫。'], { provider });
      const agent = palimpsest.agent({ name: 'assistant', model, tools: [draw] });
      const photo = { mimeType: 'image/jpeg', data: Buffer.alloc(100_000, 9).toString('base64') };
      await runToEnd(agent, { message: { parts: [{ text: '照着画' }, { inlineData: photo }] } });
      await runToEnd(agent, {
        message: { parts: [{ text: '画了什么？' }, { fileData: { fileUri: 'artifact:猫.png' } }] },
      });
      const media = model.calls.map(({ request }) =>
        request.contents.flatMap(({ parts }) => parts.flatMap(({ inlineData }) => inlineData ?? [])),
      );
      const drawn = { mimeType: 'image/png', data: Buffer.from('a cat').toString('base64') };
      expect(media).toEqual([[photo], [photo], [photo, drawn]]);
      const hashes = (await logOf(palimpsest)).flatMap(({ request }) => request?.breaks ?? []);
      expect(hashes).toEqual([]);
    },
  );

  it('recalls what answers a question, not the same question asked before', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel(() => '好的。');
    const agent = palimpsest.agent({ name: 'assistant', model });
    await runToEnd(agent, { message: '天气预报的温度请用摄氏度' });
    for (let day = 2; day < 6; day++) {
      await palimpsest.settled();
      await runToEnd(agent, { sessionId: `s${day}`, message: '我的温度单位是哪个？' });
    }
    const { contents, transient } = model.calls.at(-1)?.request ?? { contents: [], transient: [] };
    const recalled = textOf(contents[transient[0] ?? -1]);
    expect(recalled).toContain('摄氏度');
    expect(recalled).not.toContain('哪个');
  });

  it('ends at the limit of model calls, with an event that says so', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel(() => ({ calls: [{ name: 'forecast', args: { city: 'x' } }] }));
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [forecast], maxSteps: 3 });
    const { failure } = await runToEnd(agent, { message: 'Go on for ever' });
    expect(isPalimpsestError(failure, 'STEP_LIMIT') && failure.details.limit).toBe(3);
    expect(model.calls).toHaveLength(3);
    const log = await logOf(palimpsest);
    expect(log.map(outline).at(-1)).toBe('assistant: - !STEP_LIMIT');
    expect(log).toHaveLength(1 + 3 * 2 + 1);
  });

  it('refuses the second of two runs at once, or has it wait', async () => {
    const palimpsest = await openQuiet();
    let answer: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const model = new ScriptedModel([{ text: 'First.', after }, 'Second.']);
    const agent = palimpsest.agent({ name: 'assistant', model });
    const first = runToEnd(agent, { message: 'one' });
    while (model.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const refused = await runToEnd(agent, { message: 'double click' });
    expect(isPalimpsestError(refused.failure, 'SESSION_BUSY')).toBe(true);
    const queued = runToEnd(agent, { message: 'two', onBusy: 'queue' });
    answer();
    expect((await first).failure).toBeUndefined();
    expect((await queued).failure).toBeUndefined();
    expect((await logOf(palimpsest)).map(outline)).toEqual([
      'user: one',
      'assistant: First.',
      'user: two',
      'assistant: Second.',
    ]);
  });

  it('keeps a late result of a long-running tool beside its call', async () => {
    const palimpsest = await openQuiet();
    const order = tool({
      name: 'order',
      description: 'Orders something; somebody has to confirm it.',
      parameters: z.object({ what: z.string() }),
      longRunning: true,
      run: () => ({ status: 'waiting for a person', ticket: 7 }),
    });
    const model = new ScriptedModel([
      { calls: [{ name: 'order', args: { what: 'tea' }, id: 'c1' }] },
      'I asked.',
      'Done.',
    ]);
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [order] });
    await runToEnd(agent, { message: 'Order tea' });
    const response = { id: 'c1', name: 'order', response: { status: 'confirmed' } };
    const { failure } = await runToEnd(agent, { message: { parts: [{ functionResponse: response }] } });
    expect(failure).toBeUndefined();
    const log = await logOf(palimpsest);
    expect(log[1]?.longRunningToolIds).toEqual(['c1']);
    expect(log.map(({ invocationId }) => invocationId === log[0]?.invocationId)).not.toContain(false);
    const told = model.calls[2]?.request;
    expect(JSON.stringify(told?.contents)).toContain('confirmed');
    expect(told?.contents.at(-1)?.role).toBe('user');
    expect(told?.transient).toContain((told?.contents.length ?? 0) - 1);
    expect(log.map(outline)).toEqual([
      'user: Order tea',
      'assistant: call order',
      'assistant: answer order',
      'assistant: I asked.',
      'user: answer order',
      'assistant: Done.',
    ]);
  });
});
