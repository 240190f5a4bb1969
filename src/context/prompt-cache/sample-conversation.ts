import type { Content, ModelRequest, Part, ToolDeclaration } from '../../events/index.ts';
import { type PrefixPlan, planPrefix } from './plan-prefix.ts';

/** A user's question and the calls that an agent makes until it answers. */
export interface SampleInvocation {
  /** How many parts the question has. */
  readonly parts: number;
  /** Something is recalled for this invocation only. */
  readonly recalls: boolean;
  /** How many calls the model makes at once, one number for each request but the last. */
  readonly calls: readonly number[];
}

/** A request of a conversation. */
export interface SampleRequest {
  readonly request: ModelRequest;
  readonly invocation: number;
}

/** Tools of a conversation, not by name. */
export const sampleTools: readonly ToolDeclaration[] = Object.freeze([
  { name: 'weather', description: '天气', parameters: { type: 'object', properties: {} } },
  { name: 'clock', description: 'The time' },
]);

/** Tokens of a part of a conversation. */
export const tokensPerPart = 100;

/**
 * The requests that a conversation sends. What is recalled stands behind the question, within its content or, as where
 * contents of one role are not joined, as a content of its own.
 */
export function requestsOf(invocations: readonly SampleInvocation[], { joins = true } = {}): readonly SampleRequest[] {
  const requests: SampleRequest[] = [];
  const past: Content[] = [];
  for (const [invocation, { parts, recalls, calls }] of invocations.entries()) {
    const question = contentOf('user', parts, (at) => ({ text: `问题 ${invocation}.${at} 🙂` }));
    const steps: Content[] = [];
    for (const [step, count] of [...calls, 0].entries()) {
      requests.push({ request: requestOf(past, question, steps, recalls && { joins, invocation }), invocation });
      if (count === 0) break;
      const id = (at: number) => `${invocation}-${step}-${at}`;
      const call = (at: number): Part => ({ functionCall: { id: id(at), name: 'weather', args: { 城市: '上海' } } });
      const thought: Part = { text: 'hm', thought: true, thoughtSignature: 'c2ln' };
      steps.push({ role: 'model', parts: [thought, ...contentOf('model', count, call).parts] });
      steps.push(
        contentOf('user', count, (at) => ({ functionResponse: { id: id(at), name: 'weather', response: '晴' } })),
      );
    }
    past.push(question, ...steps, { role: 'model', parts: [{ text: `答案 ${invocation}` }] });
  }
  return requests;
}

function requestOf(
  past: readonly Content[],
  question: Content,
  steps: readonly Content[],
  recalled: false | { readonly joins: boolean; readonly invocation: number },
): ModelRequest {
  const head = { instruction: ['你是助手。', 'Answer briefly.'], tools: sampleTools };
  if (recalled === false) return { ...head, contents: [...past, question, ...steps], transient: [] };
  const memory: Part = { text: `recalled for ${recalled.invocation}` };
  if (!recalled.joins)
    return {
      ...head,
      contents: [...past, question, { role: 'user', parts: [memory] }, ...steps],
      transient: [past.length + 1],
    };
  const from = question.parts.length;
  return {
    ...head,
    contents: [...past, { role: 'user', parts: [...question.parts, memory] }, ...steps],
    transient: [],
    transientParts: { content: past.length, from, to: from + 1 },
  };
}

/** The plan of such a request, with as many tokens for instruction and for tools as told. */
export function planOf(request: ModelRequest, { instruction = 2000, tools = 2000 } = {}): PrefixPlan {
  return planPrefix(request, { instruction, tools, tokensOf: ({ parts }) => parts.length * tokensPerPart });
}

function contentOf(role: Content['role'], count: number, partAt: (at: number) => Part): Content {
  return { role, parts: Array.from({ length: count }, (_, at) => partAt(at)) };
}
