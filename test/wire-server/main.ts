import { parseArgs } from 'node:util';
import { cannedReply } from './canned-reply.ts';
import { startWireServer } from './start-wire-server.ts';

/** Starts the server for trying clients by hand: `tsx test/wire-server/main.ts [--port 4711]`. */
const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const server = await startWireServer({ port: Number(values.port) });
server.answerBy(cannedReply);
process.stdout.write(
  [
    'A scripted server, no model. Send it any words, or what begins with !:',
    '!429 !500 !400 !hang !empty !slow !cut !broken !think !call tool {"its":"arguments"}',
    `OpenAI-compatible  ${server.baseUrl('openai')}`,
    `Gemini             ${server.baseUrl('gemini')}`,
    `Anthropic          ${server.baseUrl('anthropic')}`,
    'Any key will do. Stop it with Ctrl+C.',
    '',
  ].join('\n'),
);
