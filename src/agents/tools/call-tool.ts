import { copyJsonMap, type FunctionCall, type JsonMap, type JsonValue } from '../../events/index.ts';
import { callContext } from './call-context.ts';
import { failureText } from './failure-text.ts';
import { keepResult } from './keep-result.ts';
import { shortenText } from './shorten-text.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { type Ending, withinTime } from './within-time.ts';

/** Limits of a call. */
export interface CallLimits {
  /** The longest it may take, in milliseconds, unless its tool says otherwise. Default 120,000. */
  readonly timeoutMs?: number;
  /** The most JSON that its result may take, in bytes of UTF-8. Default 1 MiB. */
  readonly maxResultBytes?: number;
}

/** A call that a model made. */
export interface ToolCall {
  /** The tool of that name, if there is one. */
  readonly tool: Tool | undefined;
  readonly call: FunctionCall;
  /** Names of the tools that the model may call. */
  readonly available: readonly string[];
  /** What the model gave instead of arguments, if it was no JSON object. */
  readonly invalidArguments?: JsonValue;
}

const defaultTimeoutMs = 120_000;
const defaultMaxResultBytes = 1024 * 1024;

/**
 * Answers a call of a tool. Never rejects, and never takes longer than its time: a tool that is unknown, throws, hangs or
 * returns what cannot be kept becomes an error that the model can read. The tool's signal aborts when its time is over or
 * the one of the context aborts; nobody waits for what it does then, and its context lets it change nothing more.
 */
export async function callTool(made: ToolCall, context: ToolContext, limits: CallLimits = {}): Promise<ToolOutcome> {
  const { tool, call, invalidArguments } = made;
  if (tool === undefined) return failed('unknownTool', unknownTool(made));
  const { name } = tool.declaration;
  if (invalidArguments !== undefined) return failed('invalidArguments', noJson(name, invalidArguments));
  const timeoutMs = tool.timeoutMs ?? limits.timeoutMs ?? defaultTimeoutMs;
  const what = `The tool ${name}`;
  let close = (): void => undefined;
  const work = (signal: AbortSignal) => {
    const own = callContext(context, { what, signal });
    close = own.close;
    return runTool(tool, call.args ?? {}, own.context);
  };
  const ending = await withinTime(work, { what, timeoutMs, signal: context.signal });
  close();
  return outcomeOf(tool, ending, { timeoutMs, maxBytes: limits.maxResultBytes ?? defaultMaxResultBytes });
}

type Answer = { readonly problem: string } | { readonly result: unknown };

async function runTool(tool: Tool, args: JsonMap, context: ToolContext): Promise<Answer> {
  // A copy has no prototype, so that no schema takes inherited members for what the model gave.
  const given = copyJsonMap(args, 'args', { replacedSurrogates: 0, size: 0 });
  const read = await tool.readArguments(given);
  if ('problem' in read) return read;
  // The time may have ended while the arguments were read; then nothing must happen any more.
  context.signal.throwIfAborted();
  return { result: await tool.run(read.value, context) };
}

function outcomeOf(
  tool: Tool,
  ending: Ending<Answer>,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
): ToolOutcome {
  const { name } = tool.declaration;
  switch (ending.by) {
    case 'abort':
      return failed('aborted', `The call of ${name} was stopped before there was an answer.`);
    case 'timeout':
      return failed('timeout', `${name} gave no answer within ${timeoutMs} ms and was stopped.`);
    case 'error':
      return failed('threw', failureText(ending.error) ?? `${name} failed and gave no reason.`);
    case 'value':
      break;
  }
  if ('problem' in ending.value) return failed('invalidArguments', ending.value.problem);
  const { result } = ending.value;
  if (tool.longRunning !== true) return keepResult(name, result, maxBytes);
  const kept = keepResult(name, result === undefined ? { status: 'pending' } : result, maxBytes);
  return kept.failure === undefined ? { ...kept, pending: true } : kept;
}

function failed(failure: NonNullable<ToolOutcome['failure']>, error: string): ToolOutcome {
  return { response: { error: error.toWellFormed() }, failure };
}

function unknownTool({ call, available }: ToolCall): string {
  const missing = `There is no tool named ${JSON.stringify(shortenText(call.name, 64))}.`;
  return available.length === 0
    ? `${missing} There are no tools: answer without.`
    : `${missing} The tools are: ${available.join(', ')}.`;
}

function noJson(name: string, given: JsonValue): string {
  const text = shortenText(typeof given === 'string' ? given : JSON.stringify(given), 200);
  return `The arguments of ${name} are not a JSON object: ${text}\nCall it again with a JSON object that fits its parameters.`;
}
