/**
 * Measures how long @google/adk takes from a session's events to the contents of a request, in a process of its own. The
 * events come as JSON on standard input. Prints one JSON object: milliseconds, median, and how many contents came out.
 */
import { readFileSync } from 'node:fs';
import { CONTENT_REQUEST_PROCESSOR, createEvent, LlmAgent } from '@google/adk';

const warmUp = 5;
const rounds = 15;

const events = JSON.parse(readFileSync(0, 'utf8')).map((event) => createEvent(event));
const agent = new LlmAgent({ name: 'assistant', model: 'instant' });

const figures = [];
let contents = 0;
for (let at = 0; at < warmUp + rounds; at++) {
  const request = { contents: [] };
  const started = performance.now();
  for await (const _ of CONTENT_REQUEST_PROCESSOR.runAsync({ agent, session: { events } }, request));
  if (at >= warmUp) figures.push(performance.now() - started);
  contents = request.contents.length;
}
figures.sort((a, b) => a - b);
console.log(JSON.stringify({ contentsMs: figures[rounds >> 1], contents }));
process.exit(0);
