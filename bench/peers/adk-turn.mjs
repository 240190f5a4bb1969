/**
 * Measures a whole turn of @google/adk's Runner with a model that answers at once, over an in-memory session with
 * 10,000 events, in a process of its own. Prints one JSON object: CPU milliseconds per turn, median.
 */
import { BaseLlm, createEvent, InMemorySessionService, LlmAgent, Runner } from '@google/adk';

const events = 10_000;
const warmUp = 3;
const rounds = 15;
const sample = 'Please report the weather in Celsius from now on, thank you.';

class InstantModel extends BaseLlm {
  constructor() {
    super({ model: 'instant' });
  }
  async *generateContentAsync() {
    yield {
      content: { role: 'model', parts: [{ text: 'Twenty degrees.' }] },
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 9 },
    };
  }
  async connect() {
    throw new Error('has no live connection');
  }
}

const key = { appName: 'bench', userId: 'u', sessionId: 's' };
const sessionService = new InMemorySessionService();
const session = await sessionService.createSession(key);
for (let at = 0; at < events; at++) {
  const author = at % 2 === 0 ? 'user' : 'assistant';
  const content = {
    role: author === 'user' ? 'user' : 'model',
    parts: [{ text: String(at).padStart(6, '0') + sample.slice(6) }],
  };
  await sessionService.appendEvent({ session, event: createEvent({ author, invocationId: `i${at >> 1}`, content }) });
}
const agent = new LlmAgent({ name: 'assistant', model: new InstantModel(), instruction: 'Answer briefly.' });
const runner = new Runner({ appName: 'bench', agent, sessionService });

const figures = [];
for (let at = 0; at < warmUp + rounds; at++) {
  const before = process.cpuUsage();
  const newMessage = { role: 'user', parts: [{ text: `How warm is it today, on day ${at}?` }] };
  for await (const _ of runner.runAsync({ userId: 'u', sessionId: 's', newMessage }));
  const { user, system } = process.cpuUsage(before);
  if (at >= warmUp) figures.push((user + system) / 1000);
}
figures.sort((a, b) => a - b);
console.log(JSON.stringify({ turnCpuMs: figures[rounds >> 1] }));
process.exit(0);
