import { describe, expect, it } from 'vitest';
import { buildLog } from '../../test/logs/log-builder.ts';
import { assemble, buildRequest } from '../context/assembly/index.ts';
import { type Block, modelText, type RequestJournal, text } from '../events/index.ts';
import { canonicalJson, sha256 } from '../internal/index.ts';
import { closeRequest } from './close-request.ts';
import { type RequestRemains, rebuildRequest } from './rebuild-request.ts';
import { assemblyRules, requestHashOf } from './request-journal.ts';

const events = buildLog([
  { seq: 1, author: 'user', content: '你好' },
  { seq: 2, author: 'assistant', content: '您好！' },
  { seq: 3, author: 'user', content: '天气？🌧' },
  { seq: 4, author: 'assistant', content: '下雨。' },
]);
const view = { agentName: 'assistant', provider: 'anthropic', history: 'full' } as const;
const tools = [{ name: 'look', description: '看天气。' }];
const source = [{ kind: 'direct', source: 'form', id: 'm1', at: '2026-01-01T00:00:00.000Z' }] as const;
const instruction: Block = { kind: 'instruction', stable: true, content: text('简短。') };
const example: Block = { kind: 'example', stable: true, content: modelText('例') };
const memory: Block = { kind: 'memory', stable: false, content: text('爱猫。'), source };

const jsonOf = (value: unknown) => canonicalJson(value);
const hashOf = (value: unknown) => sha256(jsonOf(value));
const entryOf = ({ content, ...entry }: Block) => ({ ...entry, hash: hashOf(content) });
const erasedText = text('[erased]');

/** What is left of a request of all four events, with an answer below them. */
function remains(): Required<RequestRemains> & { readonly texts: Map<string, string> } {
  const texts = new Map(
    [instruction, example, memory].map(({ content }) => [entryOf({ ...memory, content }).hash, jsonOf(content)]),
  );
  texts.set(hashOf(tools), jsonOf(tools));
  const assembly = assemble(events, view);
  const request = buildRequest(
    { instruction: [instruction, example], tools, assembly, transient: [memory] },
    'anthropic',
  );
  const toolsEntry = { kind: 'tools', stable: true, hash: hashOf(tools) };
  const journal: RequestJournal = {
    throughSeq: 4,
    view,
    model: 'm',
    configHash: sha256('{}'),
    blocks: [entryOf(instruction), toolsEntry, entryOf(example), entryOf(memory)],
    requestHash: requestHashOf(closeRequest(request)),
    rules: assemblyRules,
    prefixFingerprint: '',
    breaks: [],
  };
  return { journal, events, texts, readText: async (hash) => texts.get(hash) };
}

describe('rebuildRequest', () => {
  it('makes the request of log and texts, closed on the side of the user', async () => {
    const { request, blocks, standing } = await rebuildRequest(remains());
    expect(standing).toBe('verified');
    expect(blocks).toMatchObject([instruction, example, memory]);
    expect(request).toMatchObject({ instruction: ['简短。'], tools });
    expect(request.contents.at(-1)?.role).toBe('user');
    expect(request.transient).toContain(request.contents.length - 1);
  });

  it('shows a text that is gone as [erased], on the side of the user', async () => {
    const { texts, ...rest } = remains();
    texts.delete(hashOf(example.content));
    texts.delete(hashOf(memory.content));
    const { standing, blocks } = await rebuildRequest(rest);
    expect(standing).toBe('erased');
    expect(blocks).toMatchObject([
      instruction,
      { ...example, content: erasedText },
      { ...memory, content: erasedText },
    ]);
  });

  it('shows tools that are gone as one of that name, and none where there were none', async () => {
    const { texts, ...rest } = remains();
    texts.delete(hashOf(tools));
    const { request, standing } = await rebuildRequest(rest);
    expect([request.tools, standing]).toEqual([[{ name: '[erased]', description: '' }], 'erased']);
    const { blocks } = rest.journal;
    const journal = { ...rest.journal, blocks: blocks.filter(({ kind }) => kind !== 'tools') };
    const bare = await rebuildRequest({ ...rest, journal });
    expect([bare.request.tools, bare.standing]).toEqual([[], 'differs']);
  });

  it.each<[string, unknown]>([
    ['a text alone', '简短。'],
    ['nothing', null],
    ['a content without a role', { parts: [{ text: '简短。' }] }],
    ['a content of another role', { role: 'system', parts: [] }],
    ['a content whose parts are none', { role: 'user', parts: ['x'] }],
    ['a list', []],
  ])('takes %s in the place of a content for erased', async (_name, value) => {
    const { journal, texts, ...rest } = remains();
    texts.set(hashOf(value), jsonOf(value));
    const blocks = [{ kind: 'document', stable: true, hash: hashOf(value) }];
    const rebuilt = await rebuildRequest({ ...rest, journal: { ...journal, blocks } });
    expect([rebuilt.blocks[0]?.content, rebuilt.standing]).toEqual([erasedText, 'erased']);
  });

  it.each<[string, unknown]>([
    ['a content', text('简短。')],
    ['a tool without a description', [{ name: 'look' }]],
    ['a tool whose parameters are none', [{ name: 'look', description: '', parameters: 'x' }]],
    ['a list of nothing', [null]],
  ])('takes %s in the place of the tools for erased', async (_name, value) => {
    const { journal, texts, ...rest } = remains();
    texts.set(hashOf(value), jsonOf(value));
    const blocks = [{ kind: 'tools', stable: true, hash: hashOf(value) }];
    const { request } = await rebuildRequest({ ...rest, journal: { ...journal, blocks } });
    expect(request.tools.map(({ name }) => name)).toEqual(['[erased]']);
  });

  it('takes a text that is not the one of its hash, or no JSON, for erased', async () => {
    const { journal, texts, ...rest } = remains();
    texts.set(hashOf(memory.content), jsonOf(text('爱狗。')));
    const noJson = sha256('{');
    texts.set(noJson, '{');
    const blocks = [...journal.blocks, { kind: 'state', stable: false, hash: noJson }];
    const rebuilt = await rebuildRequest({ ...rest, journal: { ...journal, blocks } });
    expect(rebuilt.blocks.slice(2).map(({ content }) => content)).toEqual([erasedText, erasedText]);
    expect(rebuilt.standing).toBe('erased');
  });

  it('says whether events are gone, unless what is left is the same request', async () => {
    const all = remains();
    const gone = await rebuildRequest({ ...all, events: events.slice(1) });
    expect(gone.standing).toBe('erased');
    const recent = { ...view, history: 'invocation' } as const;
    const { request } = await rebuildRequest({ ...all, journal: { ...all.journal, view: recent } });
    const journal = { ...all.journal, view: recent, requestHash: requestHashOf(request) };
    expect((await rebuildRequest({ ...all, journal, events: events.slice(2) })).standing).toBe('verified');
  });

  it('says of another hash that it differs, and of other rules that it cannot know', async () => {
    const all = remains();
    const journal = { ...all.journal, requestHash: all.journal.configHash };
    expect((await rebuildRequest({ ...all, journal })).standing).toBe('differs');
    const other = { ...all.journal, rules: assemblyRules + 1 };
    expect((await rebuildRequest({ ...all, journal: other })).standing).toBe('notReproducible');
  });
});
