import { describe, expect, it } from 'vitest';
import { type Content, type JsonValue, modelText, type ProvenanceRef, type SessionKey, text } from '../events/index.ts';
import { createInMemoryMemoryStore, createMemoryService, type MemoryEntry } from '../memory/service/index.ts';
import { createInMemorySessionStore, createSessionService } from '../sessions/index.ts';
import { ManualClock } from '../testing/index.ts';
import { createInvocationDriver } from './create-invocation-driver.ts';
import { sourcesMetadata } from './memory-sources.ts';

const key: SessionKey = { appName: 'app', userId: 'u1', sessionId: 's1' };
const source = (seq: number): ProvenanceRef => ({
  kind: 'event',
  sessionId: '旧会话',
  incarnation: 'i',
  seq,
  eventId: `e${seq}`,
});

describe('sourcesMetadata', () => {
  it('names each source once, at most 200, and nothing where there is none', () => {
    const memories = [1, 2, 1].map((seq) => ({ provenance: [source(seq), source(2)] }));
    expect(sourcesMetadata(memories)).toEqual({ memorySources: [source(1), source(2)] });
    const many = Array.from({ length: 300 }, (_, seq) => ({ provenance: [source(seq)] }));
    expect(sourcesMetadata(many).memorySources).toHaveLength(200);
    expect(sourcesMetadata([{ provenance: [] }])).toEqual({});
  });
});

describe('answers of load_memory that a prompt brings', () => {
  const ask = [text('Unit?'), callOf('c1')];
  const answered = (name: string, response: JsonValue): Content => ({
    role: 'user',
    parts: [{ functionResponse: { id: 'c1', name, response } }],
  });
  const quote = ({ id, text: words }: MemoryEntry) => ({ memories: [{ id, text: words }, { id: 'gone' }, { id: 7 }] });

  async function house() {
    const clock = new ManualClock();
    const sessions = createSessionService({ store: createInMemorySessionStore(), clock });
    const memory = createMemoryService({ store: createInMemoryMemoryStore(), clock });
    const warned: string[] = [];
    const quiet = () => undefined;
    const logger = { debug: quiet, info: quiet, error: quiet, warn: (told: string) => void warned.push(told) };
    const driver = createInvocationDriver({ sessions, memory, clock, logger });
    const add = async (scope: { readonly projectId?: string } = {}) => {
      const own = { appName: 'app', userId: 'u1', ...scope };
      const [entry] = await memory.add(own, [{ text: '用户喜欢摄氏度。', provenance: [source(3)] }]);
      return entry as MemoryEntry;
    };
    const receive = async (answer: Content, projectId?: string) => {
      const project = projectId === undefined ? {} : { projectId };
      const run = await driver.begin({ key, agentName: 'assistant', prompt: [...ask, answer], ...project });
      await run.record([{ author: 'assistant', content: modelText('Celsius.') }]);
      await run.finish();
      return (await sessions.read(key)).items.find(({ origin }) => origin === 'tool')?.customMetadata;
    };
    return { memory, add, receive, warned };
  }

  it('are marked with the sources of what they quote', async () => {
    const { add, receive } = await house();
    expect(await receive(answered('load_memory', quote(await add())))).toEqual({ memorySources: [source(3)] });
  });

  it('are marked also where the memory belongs to the project', async () => {
    const { add, receive } = await house();
    const entry = await add({ projectId: 'acme' });
    expect(await receive(answered('load_memory', quote(entry)), 'acme')).toEqual({ memorySources: [source(3)] });
  });

  it.each<[string, (entry: MemoryEntry) => Content]>([
    ['of another tool', (entry) => answered('look', quote(entry))],
    ['that quotes nothing', () => answered('load_memory', { memories: [] })],
    ['that is none', () => answered('load_memory', 'x')],
    ['with ids that are none', () => answered('load_memory', { memories: [{ id: '' }, null, { id: 'no\n' }] })],
  ])('an answer %s is stored without', async (_what, answerTo) => {
    const { add, receive } = await house();
    expect(await receive(answerTo(await add()))).toBeUndefined();
  });

  it('are stored also where memory cannot be read', async () => {
    const { memory, add, receive, warned } = await house();
    const entry = await add();
    memory.get = () => Promise.reject(new TypeError('gone'));
    expect(await receive(answered('load_memory', { memories: [{ id: entry.id }] }))).toBeUndefined();
    expect(warned).toHaveLength(1);
  });
});

function callOf(id: string): Content {
  return { role: 'model', parts: [{ functionCall: { id, name: 'load_memory', args: { query: 'unit' } } }] };
}
