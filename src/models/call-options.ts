import type { JsonMap, ToolDeclaration } from '../events/index.ts';
import type { AiSdkCallOptions, AiSdkProviderOptions, AiSdkTool } from './ai-sdk-language-model.ts';
import { type CachingModel, type CallCaching, callCaching } from './cache-options.ts';
import type { ModelCall, ModelSettings } from './language-model.ts';
import { mergedOptions } from './merged-options.ts';
import { toPrompt } from './to-prompt.ts';

/** What an AI SDK model is called with. */
export function callOptions(call: ModelCall, model: CachingModel): AiSdkCallOptions {
  const { request, settings = {}, outputSchema, signal } = call;
  const caching = callCaching(call, model);
  const tools = caching.holdsTools ? [] : toolsOf(request.tools, caching);
  return {
    prompt: toPrompt(request, model.provider, caching.prompt),
    ...settingsOf(settings, caching),
    ...(tools.length === 0 ? {} : { tools, ...toolChoiceOf(settings.toolChoice) }),
    ...(outputSchema === undefined ? {} : { responseFormat: { type: 'json', schema: outputSchema } }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  };
}

function settingsOf(settings: ModelSettings, { options }: CallCaching): Partial<AiSdkCallOptions> {
  const { stopSequences, headers, providerOptions: given, toolChoice: _, ...numbers } = settings;
  const providerOptions = mergedOptions(options, given as AiSdkProviderOptions | undefined);
  return {
    ...numbers,
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

const takesNothing: JsonMap = Object.freeze({ type: 'object', properties: Object.freeze({}) });

function toolsOf(tools: readonly ToolDeclaration[], { lastTool }: CallCaching): AiSdkTool[] {
  return tools.map((tool, index) => {
    const isMarked = lastTool !== undefined && index + 1 === tools.length;
    return isMarked ? { ...toolOf(tool), providerOptions: lastTool } : toolOf(tool);
  });
}

function toolOf({ name, description, parameters }: ToolDeclaration): AiSdkTool {
  return { type: 'function', name, description, inputSchema: parameters ?? takesNothing };
}

function toolChoiceOf(choice: ModelSettings['toolChoice']): Pick<AiSdkCallOptions, 'toolChoice'> {
  if (choice === undefined) return {};
  if (typeof choice === 'string') return { toolChoice: { type: choice } };
  return { toolChoice: { type: 'tool', toolName: choice.toolName } };
}
