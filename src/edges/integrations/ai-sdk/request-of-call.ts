import type { ModelRequest } from '../../../index.ts';
import {
  type AiSdkPrompt,
  type Block,
  isPlainObject,
  type JsonMap,
  type Provider,
  type RequestInput,
  type ToolDeclaration,
  toPrompt,
} from '../../../index.ts';
import type { CalledModel, CallParams } from './call-params.ts';
import type { CallOptions } from './middleware-options.ts';
import { promptFor } from './specification.ts';

/** What the request of a call is made of besides the log: the caller's instruction, tools and settings. */
export function requestOfCall(
  params: CallParams,
  model: CalledModel,
  {
    provider,
    instruction,
    options,
  }: {
    readonly provider: Provider;
    readonly instruction: readonly string[];
    readonly options: CallOptions;
  },
): RequestInput {
  const { recall, history } = options;
  return {
    provider,
    model: model.modelId,
    instruction: instruction.map(instructionBlock),
    tools: (params.tools ?? []).flatMap(declarationOf),
    config: configOf(params),
    ...(recall === undefined ? {} : { recall }),
    ...(history === undefined ? {} : { history }),
  };
}

/** The caller's params with the request in the place of its prompt; all else is passed on as it came. */
export function paramsFor<Params extends CallParams>(
  params: Params,
  model: CalledModel,
  {
    request,
    provider,
    signal,
  }: {
    readonly request: ModelRequest;
    readonly provider: Provider;
    readonly signal: AbortSignal;
  },
): Params {
  const { palimpsest: ours, ...others } = params.providerOptions ?? {};
  return {
    ...params,
    prompt: promptFor(model.specificationVersion, withSystemOptions(toPrompt(request, provider), params.prompt)),
    abortSignal: signal,
    ...(ours === undefined ? {} : { providerOptions: others }),
  };
}

function instructionBlock(text: string): Block {
  return { kind: 'instruction', stable: true, content: { role: 'user', parts: [{ text }] } };
}

/** The caller's system messages as they came: their options say, for one, up to where to cache. */
function withSystemOptions(prompt: AiSdkPrompt, given: readonly unknown[]): AiSdkPrompt {
  const options = new Map(
    given.flatMap((message): [unknown, unknown][] =>
      isPlainObject(message) && message.role === 'system' && message.providerOptions !== undefined
        ? [[message.content, message.providerOptions]]
        : [],
    ),
  );
  return prompt.map((message) => {
    const providerOptions = message.role === 'system' ? options.get(message.content) : undefined;
    return providerOptions === undefined ? message : ({ ...message, providerOptions } as typeof message);
  });
}

function declarationOf(tool: unknown): readonly ToolDeclaration[] {
  if (!isPlainObject(tool) || typeof tool.name !== 'string') return [];
  const { name, description = tool.id, inputSchema = tool.args } = tool;
  const parameters = jsonOf(inputSchema);
  return [{ name, description: typeof description === 'string' ? description : '', ...(parameters && { parameters }) }];
}

/** What else decides about the answer. */
function configOf(params: CallParams): JsonMap {
  const { prompt, tools, abortSignal, ...settings } = params;
  const { headers, ...deciding }: Readonly<Record<string, unknown>> = settings;
  return jsonOf(deciding) ?? {};
}

/** The JSON of an object that a provider is about to be sent as JSON. */
function jsonOf(value: unknown): JsonMap | undefined {
  const copy: unknown = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  return isPlainObject(copy) ? (copy as JsonMap) : undefined;
}
