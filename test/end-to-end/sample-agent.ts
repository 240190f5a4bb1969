import {
  type Agent,
  type CompactionSettings,
  compactContext,
  estimateTokens,
  type ModelCall,
  type Palimpsest,
  tool,
} from '../../src/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';

/** What an agent asks for in an invocation beyond its usual call. */
export type Wish = 'fold' | 'completion' | undefined;

/** How an agent of equal invocations is made. */
export interface EqualOptions {
  readonly compaction: CompactionSettings;
  /** What it wishes for in the nth invocation, from 1. */
  readonly wishes?: (invocation: number) => Wish;
  /** What comes of the nth summary that it is asked for, from 1. */
  readonly summarize?: (n: number) => string | ScriptedTurn;
}

/** An agent and what its model was sent. */
export interface EqualAgent {
  readonly agent: Agent;
  /** Tokens of the first request of each invocation. */
  readonly prompts: number[];
  /** Requests for a summary. */
  readonly asked: ModelCall[];
}

const question = /^问 (?<n>\d+)：/;
const report = '多云转晴，气温二十一摄氏度，东南风三级，湿度百分之五十八，空气质量良好，适宜户外活动，夜间可能有小雨。';

/** What the user says in the nth invocation. */
export function questionOf(n: number): string {
  return `问 ${n}：请查第 ${n} 站的天气，用摄氏度回答，并说明是否需要带伞。`;
}

/** The summary that the model writes: as long as it is asked to keep it, in the language of what it covers. */
export function summaryOf(n: number): string {
  return `第 ${n} 次摘要：用户逐站询问天气，要求用摄氏度；各站都已查到，没有未完成的事；下次继续按站号回答。`;
}

/** An agent whose invocations are all alike: a question, a call of a tool, its result and an answer. */
export function equalAgent(
  palimpsest: Palimpsest,
  { compaction, wishes, summarize = summaryOf }: EqualOptions,
): EqualAgent {
  const prompts: number[] = [];
  const asked: ModelCall[] = [];
  const model = new ScriptedModel((call) => {
    const said = lastPart(call)?.text;
    const n = Number(question.exec(said ?? '')?.groups?.n ?? 0);
    const promptTokens = sizeOf(call);
    const usage = { inputTokens: promptTokens, outputTokens: 60 };
    if (n > 0) {
      prompts.push(promptTokens);
      return { calls: callsOf(n, wishes?.(n)), usage };
    }
    if (said === undefined) return { text: `查到了：${report}不用带伞。`, usage };
    asked.push(call);
    return summarize(asked.length);
  });
  const agent = palimpsest.agent({
    name: 'weather',
    instruction: '你是天气助手，按站号报告天气。',
    model,
    retry: false,
    tools: [weather, done, compactContext()],
    compaction,
  });
  return { agent, prompts, asked };
}

const weather = tool({
  name: 'weather',
  description: '查一站的天气',
  parameters: { type: 'object', properties: { station: { type: 'integer' } }, required: ['station'] },
  run: ({ station }) => ({ station: Number(station), report: report.repeat(4) }),
});

const done = tool({
  name: 'done',
  description: '一项任务完成了',
  parameters: { type: 'object', properties: {} },
  run: (_, context) => {
    context.completeTask();
    return { done: true };
  },
});

function callsOf(n: number, wish: Wish) {
  const call = { name: 'weather', args: { station: n } };
  if (wish === undefined) return [call];
  return [
    call,
    wish === 'fold' ? { name: 'compact_context', args: { focus: '各站的天气' } } : { name: 'done', args: {} },
  ];
}

function lastPart({ request }: ModelCall) {
  return request.contents.at(-1)?.parts.at(-1);
}

function sizeOf({ request }: ModelCall): number {
  return estimateTokens.count(
    JSON.stringify([request.instruction, request.tools, request.contents, request.transient]),
  );
}
