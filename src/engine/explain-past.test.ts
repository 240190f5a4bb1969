import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import { type Block, type Event, type ModelRequest, modelText, text } from '../events/index.ts';
import { ScriptedModel } from '../testing/index.ts';
import { openPalimpsest, type Palimpsest } from './index.ts';

const key = { appName: 'default', userId: 'u1', sessionId: 's1' };
const open = () => openPalimpsest({ sweepSeconds: 0, ingest: 'never' });

/** Asks and answers; what was sent, and the answer that was stored. */
async function turn(
  palimpsest: Palimpsest,
): Promise<{ readonly request: ModelRequest; readonly answer: Event | undefined }> {
  const instruction: Block[] = [{ kind: 'instruction', stable: true, content: text('简短。') }];
  const events = [{ author: 'user', content: '还有呢？' }];
  const run = await palimpsest.invocations.begin({ key, agentName: 'assistant', events });
  const { journal, request } = await run.request({ provider: 'openai', model: 'm', instruction });
  const [answer] = await run.record([{ author: 'assistant', content: modelText('好'), request: journal }]);
  await run.finish();
  return { request, answer };
}

/** Appends an answer whose journal is an answer's, but for some of it; returns its seq. */
async function append(palimpsest: Palimpsest, like: Event | undefined, change: object): Promise<number> {
  const request = { ...like?.request, ...change } as NonNullable<Event['request']>;
  const { version } = await palimpsest.sessions.append(key, [{ author: 'assistant', content: '嗯', request }]);
  return version;
}

const refusalOf = (past: Promise<unknown>) =>
  past.then(
    () => 'none',
    (error: unknown) => (isPalimpsestError(error, 'INVALID_ARGUMENT') ? error.message : error),
  );

describe('explain', () => {
  it('shows the request that an answer is to, what it was made of, and what became of each event', async () => {
    await using palimpsest = await open();
    await turn(palimpsest);
    const { request, answer } = await turn(palimpsest);
    const invocationId = answer?.invocationId ?? '';
    await palimpsest.sessions.rewind(key, { beforeInvocationId: invocationId });
    const past = await palimpsest.explain(key, 4);
    expect(past).toMatchObject({ ...request, answer, journal: answer?.request, standing: 'verified' });
    expect(past.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect([1, 3, 4].map((seq) => past.explain(seq).outcome)).toEqual(['verbatim', 'verbatim', 'hidden']);
    const { blocks, tokens } = past.explanation;
    expect(blocks.map(({ kind, contents }) => [kind, contents])).toEqual([
      ['instruction', 0],
      ['conversation', 3],
    ]);
    expect(past.journal.extensions?.tokens).toEqual({
      n: tokens.n,
      by: tokens.by,
      label: tokens.label,
      unscaled: tokens.unscaled,
    });
  });

  it('refuses what is no event that answers a request, and names the nearest that are', async () => {
    await using palimpsest = await open();
    await palimpsest.sessions.create(key);
    await palimpsest.sessions.append(key, [{ author: 'user', content: '早' }]);
    expect(await refusalOf(palimpsest.explain(key, 1))).toMatch(/no request of a model; no event .* answers one\.$/);
    await turn(palimpsest);
    const { answer } = await turn(palimpsest);
    await append(palimpsest, answer, { rules: 'new' });
    await palimpsest.sessions.append(key, [
      { author: 'assistant', content: '嗯', customMetadata: { requestReplaced: true } },
    ]);
    for (const [seq, message] of [
      [1, 'is that of an event that answers no request of a model; event 3 answers one.'],
      [4, 'is that of an event that answers no request of a model; events 3 and 5 answer one each.'],
      [6, 'is that of an event whose journal is not one to rebuild a request from; event 5 answers one.'],
      [7, 'is that of an answer to a request that a callback put in the place of the one built from the log; event 5'],
      [8, 'is that of no event of the session; event 5 answers one.'],
      [0, 'must be the seq of an event: a whole number, 1 or more.'],
      ['4' as never, 'must be the seq of an event: a whole number, 1 or more.'],
    ] as const)
      expect(await refusalOf(palimpsest.explain(key, seq))).toContain(`seq ${message}`);
  });

  it('says of a request that a callback replaced that it was', async () => {
    await using palimpsest = await open();
    const model = new ScriptedModel(['好']);
    const beforeModel = () => ({
      call: { request: { instruction: [], tools: [], contents: [text('别的')], transient: [] } },
    });
    const agent = palimpsest.agent({ name: 'assistant', model, callbacks: { beforeModel } });
    for await (const event of agent.run({ userId: 'u1', sessionId: 's1', message: '你好' }))
      if (event.partial !== true && event.author === 'assistant')
        expect(await refusalOf(palimpsest.explain(key, event.seq))).toContain('a callback put in the place');
    expect(model.calls).toHaveLength(1);
  });

  it('throws SESSION_NOT_FOUND for a session that is not there', async () => {
    await using palimpsest = await open();
    await expect(palimpsest.explain(key, 1)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(palimpsest.explain({ ...key, userId: '' }, 1)).rejects.toMatchObject({ code: 'INVALID_ID' });
  });

  it('takes what any journal says, and rebuilds or refuses by name', async () => {
    const junk = fc.jsonValue({ maxDepth: 2 });
    const fields = ['throughSeq', 'view', 'model', 'blocks', 'requestHash', 'rules', 'breaks', 'prefixFingerprint'];
    const view = fc.record(
      {
        agentName: fc.constantFrom('assistant', ''),
        provider: fc.constantFrom('gemini', 'openai', 'mistral'),
        history: fc.oneof(fc.constant('full'), junk, fc.record({ window: fc.record({ tokens: fc.integer() }) })),
        branch: fc.oneof(fc.constant('a..b'), junk),
        isolationScope: fc.oneof(fc.constant('封闭'), junk),
      },
      { requiredKeys: ['agentName', 'provider', 'history'] },
    );
    const block = fc.record({
      hash: fc.oneof(fc.constant('0'.repeat(64)), junk),
      kind: fc.constantFrom('tools', 'memory', 'instruction', 'secret'),
      stable: fc.oneof(fc.boolean(), junk),
      source: fc.oneof(fc.constant([{ kind: 'direct' }]), junk),
    });
    const changes: fc.Arbitrary<{ readonly field: string; readonly value: unknown }> = fc.oneof(
      fc.record({ field: fc.constantFrom(...fields), value: junk }),
      fc.record({ field: fc.constantFrom('throughSeq', 'rules'), value: fc.integer({ min: -1, max: 9 }) }),
      fc.record({ field: fc.constant('view'), value: view }),
      fc.record({ field: fc.constant('blocks'), value: fc.array(block, { maxLength: 3 }) }),
    );
    await using palimpsest = await open();
    const { answer } = await turn(palimpsest);
    const known = [
      { field: 'model', value: '另一个' },
      { field: 'view', value: null },
      { field: 'requestHash', value: '' },
      { field: 'blocks', value: [{ hash: '0'.repeat(64), kind: 'memory', stable: false }] },
      { field: 'rules', value: 9 },
    ];
    const standings = new Set<string>();
    await fc.assert(
      fc.asyncProperty(changes, async ({ field, value }) => {
        const seq = await append(palimpsest, answer, { [field]: value });
        try {
          standings.add((await palimpsest.explain(key, seq)).standing);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { argument: 'seq' } });
          standings.add('refused');
        }
      }),
      { examples: known.map((one): [typeof one] => [one]) },
    );
    expect([...standings].slice(0, known.length)).toEqual([
      'verified',
      'refused',
      'differs',
      'erased',
      'notReproducible',
    ]);
  });
});
