/**
 * Measures @google/adk's in-memory session service in a process of its own and prints one JSON object: milliseconds
 * per append with 1,000 and 10,000 events in the session, heap per stored event, milliseconds to import the package.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const sample = 'Please report the weather in Celsius from now on, thank you.';
const tail = 200;

const started = performance.now();
const { createEvent, InMemorySessionService } = await import('@google/adk');
const importMs = performance.now() - started;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

function makeEvent(at) {
  const author = at % 2 === 0 ? 'user' : 'assistant';
  const role = author === 'user' ? 'user' : 'model';
  return createEvent({
    author,
    invocationId: `i${at >> 1}`,
    content: { role, parts: [{ text: String(at).padStart(6, '0') + sample.slice(6) }] },
  });
}

async function appendUpTo(count) {
  const service = new InMemorySessionService();
  const session = await service.createSession({ appName: 'bench', userId: 'u', sessionId: 's' });
  collect();
  const before = process.memoryUsage().heapUsed;
  let tailStarted = 0;
  for (let at = 0; at < count; at++) {
    if (at === count - tail) tailStarted = performance.now();
    await service.appendEvent({ session, event: makeEvent(at) });
  }
  const appendMs = (performance.now() - tailStarted) / tail;
  session.events.length = 0; // the caller's own copy of the list is not the store's
  collect();
  return { appendMs, bytesPerEvent: (process.memoryUsage().heapUsed - before) / count, service };
}

await appendUpTo(500);
const small = await appendUpTo(1000);
const large = await appendUpTo(10_000);
console.log(
  JSON.stringify({
    importMs,
    appendAt1kMs: small.appendMs,
    appendAt10kMs: large.appendMs,
    bytesPerEvent: large.bytesPerEvent,
  }),
);
