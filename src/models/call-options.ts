import type { JsonMap, Provider, ToolDeclaration } from '../events/index.ts';
import type { AiSdkCallOptions, AiSdkProviderOptions, AiSdkTool } from './ai-sdk-language-model.ts';
import type { ModelCall, ModelSettings } from './language-model.ts';
import { toPrompt } from './to-prompt.ts';

/** What an AI SDK model is called with. */
export function callOptions(call: ModelCall, provider: Provider): AiSdkCallOptions {
  const { request, settings = {}, outputSchema, signal } = call;
  const tools = request.tools.map(toolOf);
  return {
    prompt: toPrompt(request, provider),
    ...settingsOf(settings),
    ...(tools.length === 0 ? {} : { tools, ...toolChoiceOf(settings.toolChoice) }),
    ...(outputSchema === undefined ? {} : { responseFormat: { type: 'json', schema: outputSchema } }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  };
}

function settingsOf(settings: ModelSettings): Partial<AiSdkCallOptions> {
  const { stopSequences, headers, providerOptions, toolChoice: _, ...numbers } = settings;
  return {
    ...numbers,
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(providerOptions === undefined ? {} : { providerOptions: providerOptions as AiSdkProviderOptions }),
  };
}

const takesNothing: JsonMap = Object.freeze({ type: 'object', properties: Object.freeze({}) });

function toolOf({ name, description, parameters }: ToolDeclaration): AiSdkTool {
  return { type: 'function', name, description, inputSchema: parameters ?? takesNothing };
}

function toolChoiceOf(choice: ModelSettings['toolChoice']): Pick<AiSdkCallOptions, 'toolChoice'> {
  if (choice === undefined) return {};
  if (typeof choice === 'string') return { toolChoice: { type: choice } };
  return { toolChoice: { type: 'tool', toolName: choice.toolName } };
}
