import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWireServer, type WireServer } from '../../test/wire-server/index.ts';
import { openAgent as openWithMemory } from './after.ts';
import type { Agent, Settings } from './agent.ts';
import { openAgent as openWithout } from './before.ts';
import { answerLikeAModel, messagesOf, stories } from './stories.ts';

/** How the example is played. */
export interface PlayOptions {
  readonly print: (line: string) => void;
  /** Takes the memory away between the days; the example then fails. */
  readonly lostMemory?: boolean;
}

/** What the agents said on the second day. */
export interface Outcome {
  readonly language: string;
  readonly expected: string;
  readonly before: string;
  readonly after: string;
}

type Open = (settings: Settings) => Promise<Agent>;

const oneDay = 24 * 60 * 60 * 1000;

/** Plays each story with the agent as it was, and with memory; the application is started anew on the second day. */
export async function play({ print, lostMemory = false }: PlayOptions): Promise<readonly Outcome[]> {
  const server = await startWireServer();
  server.answerBy(answerLikeAModel);
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-ai-sdk-'));
  try {
    const memoryOf = (day: number) => join(folder, lostMemory ? `memory-${day}.db` : 'memory.db');
    const answers: Record<string, readonly string[]> = {};
    for (const [name, open] of [
      ['before', openWithout],
      ['after', openWithMemory],
    ] as const) {
      print(`\n=== ${name}.ts`);
      answers[name] = await playDays(open, { server, memoryOf, print });
    }
    const said = (name: string, index: number) => answers[name]?.[index] ?? '';
    return stories.map(({ language, answer }, index) => ({
      language,
      expected: answer,
      before: said('before', index),
      after: said('after', index),
    }));
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playDays(
  open: Open,
  stage: {
    readonly server: WireServer;
    readonly memoryOf: (day: number) => string;
    readonly print: PlayOptions['print'];
  },
): Promise<readonly string[]> {
  const { server, memoryOf, print } = stage;
  let now = Date.parse('2026-03-01T09:00:00Z');
  const clock = { now: () => ++now };
  const settings = (day: number): Settings => ({
    modelUrl: server.baseUrl('openai'),
    memory: { file: memoryOf(day), appName: 'weather', clock, sweepSeconds: 0 },
  });
  const first = await open(settings(1));
  for (const { language, firstDay } of stories)
    for (const message of firstDay) await first.answer({ userId: language, chatId: 'monday' }, message);
  await first.close();

  now += oneDay;
  const answers: string[] = [];
  const second = await open(settings(2));
  for (const { language, question } of stories) {
    server.clear();
    answers.push(await second.answer({ userId: language, chatId: 'tuesday' }, question));
    print(`\nthe second day, a new chat; the model is sent:`);
    for (const { role, text } of messagesOf(server.requests.at(-1)?.body ?? {}))
      print(`  ${role.padEnd(9)}  ${text.replaceAll('\n', `\n${' '.repeat(13)}`)}`);
    print(`  answer     ${answers.at(-1)}`);
  }
  await second.close();
  return answers;
}
