import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import gpt4o from 'gpt-tokenizer/model/gpt-4o';
import { describe, expect, it } from 'vitest';
import {
  type Block,
  type Event,
  type EventInput,
  estimateTokens,
  type ModelRequest,
  type OpenOptions,
  openPalimpsest,
  type Provider,
  type ToolDeclaration,
  text,
  textOf,
} from '../../src/index.ts';
import { tokensIn, trueCount } from './true-count.ts';

interface Fixture {
  readonly agentName: string;
  readonly instruction: readonly string[];
  readonly tools?: readonly ToolDeclaration[];
  readonly events: readonly EventInput[];
}

const folder = join(import.meta.dirname, '../fixtures/tokens');
const names = readdirSync(folder).map((file) => file.replace('.json', ''));
const readFixture = (name: string): Fixture => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
const key = { appName: 'test', userId: 'u1', sessionId: 's1' };
const block = (value: string): Block => ({ kind: 'instruction', stable: true, content: text(value) });

/** The request that a fixture's log gives, and what the library says of its tokens. */
async function requestOf(
  { events, agentName, instruction, tools = [] }: Fixture,
  more: {
    readonly provider?: Provider;
    readonly options?: OpenOptions;
    readonly transient?: readonly Block[];
  } = {},
) {
  const palimpsest = await openPalimpsest({ appName: 'test', sweepSeconds: 0, ingest: 'never', ...more.options });
  await palimpsest.sessions.create(key);
  const stored = await palimpsest.sessions.append(key, events);
  const invocation = await palimpsest.invocations.begin({ key, agentName });
  const prepared = await invocation.request({
    provider: more.provider ?? 'openai',
    model: 'm',
    instruction: instruction.map(block),
    tools,
    recall: false,
    ...(more.transient ? { transient: more.transient } : {}),
  });
  await invocation.finish();
  await palimpsest.close();
  return { ...prepared, events: stored.events };
}

/** As the package's chat encoding has it, for requests of texts alone. */
function chatTokens({ instruction, contents }: ModelRequest): number {
  const told = instruction.map((content) => ({ role: 'system' as const, content }));
  const said = contents.map((content) => ({
    role: content.role === 'user' ? ('user' as const) : ('assistant' as const),
    content: textOf(content),
  }));
  return gpt4o.encodeChat([...told, ...said], 'gpt-4o', { disallowedSpecial: new Set() }).length;
}

describe('tokens of a request', () => {
  it.each(names)('are within 2 % of what the tokenizer says: %s', async (name) => {
    const { request, tokens, events, journal } = await requestOf(readFixture(name));
    const truth = trueCount(request);
    const counted = tokens.n - (tokens.parts.tools ?? 0);
    process.stdout.write(`tokens of ${name}: ${counted}, by the tokenizer ${truth}\n`);
    expect(Math.abs(counted - truth) / truth).toBeLessThanOrEqual(0.02);
    expect(tokens).toMatchObject({ by: 'o200k_base', label: 'counted', unscaled: tokens.n });
    expect(events.map((event: Event) => event.tokens?.by)).toEqual(events.map(() => 'o200k_base'));
    expect(journal.extensions?.tokens).toEqual({ n: tokens.n, by: 'o200k_base', label: 'counted', unscaled: tokens.n });
  });

  it.each(['chat-en', 'chat-zh'])('are what the chat encoding says where all is text: %s', async (name) => {
    const { request, tokens } = await requestOf(readFixture(name));
    expect(tokens.n).toBe(chatTokens(request));
  });

  it.each(['tools-en', 'tools-zh'])(
    'take declared tools for about what the tokenizer makes of them: %s',
    async (name) => {
      const { tools = [], ...fixture } = readFixture(name);
      const { tokens } = await requestOf({ ...fixture, tools });
      const asked = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'x' }] };
      const count = gpt4o.countChatCompletionTokens;
      if (count === undefined) throw new Error('the package counts no tools');
      const functions: Parameters<typeof count>[0]['functions'] = JSON.parse(JSON.stringify(tools));
      const truth = count(functions === undefined ? asked : { ...asked, functions }) - count(asked);
      process.stdout.write(`tools of ${name}: ${tokens.parts.tools}, by the tokenizer ${truth}\n`);
      expect(Math.abs((tokens.parts.tools ?? 0) - truth) / truth).toBeLessThanOrEqual(0.1);
    },
  );

  it.each(['gemini', 'anthropic'] as const)('are estimated for %s, whose tokenizer nobody has', async (provider) => {
    const { tokens } = await requestOf(readFixture('chat-zh'), { provider });
    expect(tokens.label).toBe('estimated');
  });

  it('are told by kind of block, and together are the sum', async () => {
    const state: Block = { kind: 'state', stable: false, content: text('今天是星期五。') };
    const { request, tokens } = await requestOf(readFixture('tools-zh'), { transient: [state] });
    expect(tokens.parts.state).toBe(tokensIn('今天是星期五。'));
    expect(tokens.parts.instruction).toBe(request.instruction.reduce((sum, one) => sum + tokensIn(one), 0));
    expect(Object.keys(tokens.parts).sort()).toEqual(['conversation', 'framing', 'instruction', 'state', 'tools']);
    expect(Object.values(tokens.parts).reduce((sum, n) => sum + n, 0)).toBe(tokens.n);
  });

  it('are an estimate, and say so, where no tokenizer counts', async () => {
    const { tokens, events } = await requestOf(readFixture('chat-en'), { options: { countTokens: estimateTokens } });
    expect(tokens).toMatchObject({ by: 'estimate', label: 'estimated' });
    expect(new Set(events.map((event: Event) => event.tokens?.by))).toEqual(new Set(['estimate']));
  });
});
