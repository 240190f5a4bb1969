import { PalimpsestError } from '../errors/index.ts';
import type { Provider } from '../events/index.ts';
import type { AiSdkLanguageModel, AiSdkLanguageModelV4 } from './ai-sdk-language-model.ts';
import { callAiSdk } from './call-ai-sdk.ts';
import { fromSpecV4 } from './from-spec-v4.ts';
import type { LanguageModel } from './language-model.ts';
import { isServedByOpenAi } from './openai-endpoint.ts';

/** How an AI SDK model is taken. */
export interface ModelAdapterOptions {
  /** Whose rules its requests keep; told from the model where it is left out. */
  readonly provider?: Provider;
  /** What it is called in events and errors; its own id where it is left out. */
  readonly name?: string;
}

/**
 * Makes a LanguageModel of any AI SDK model of specification v3 or v4; one that is a LanguageModel already is returned as it
 * is. Throws INVALID_ARGUMENT for anything else.
 *
 * @example
 * const model = languageModel(google('gemini-2.5-flash'));
 */
export function languageModel(
  model: LanguageModel | AiSdkLanguageModel | AiSdkLanguageModelV4,
  options: ModelAdapterOptions = {},
): LanguageModel {
  if (isLanguageModel(model)) return model;
  const adapted = requireModel(model);
  const name = options.name ?? adapted.modelId;
  const provider = options.provider ?? providerOf(adapted.provider, adapted.modelId);
  const vendor = adapted.provider;
  const caching = { provider, vendor, sendsOptionsAsGiven: isCompatible(model), takesMarks: isServedByOpenAi(model) };
  const target = { model: adapted, name, ...caching };
  return Object.freeze({
    name,
    vendor,
    provider,
    call: (call: Parameters<LanguageModel['call']>[0]) => callAiSdk(target, call),
  });
}

/** The LanguageModel that a value is or can be made to be; `undefined` where languageModel() would refuse it. */
export function asLanguageModel(model: unknown): LanguageModel | undefined {
  if (isLanguageModel(model)) return model;
  if (typeof model !== 'object' || model === null || !isModel(model)) return undefined;
  const { specificationVersion: version } = model;
  return version === 'v3' || version === 'v4' ? languageModel(model) : undefined;
}

/**
 * Decides whose wire rules hold, from who serves a model and what it is called: those of Gemini where Google's own
 * packages or a gateway's Google models serve it, those of Anthropic for its models wherever they are served, and
 * OpenAI's for all others.
 */
export function providerOf(vendor: string, modelId: string): Provider {
  const [served, called] = [vendor.toLowerCase(), modelId.toLowerCase()];
  if (served.includes('anthropic') || /(^|[^a-z])claude/.test(called)) return 'anthropic';
  const isGoogle = /^google([.-](generative-ai|vertex)|$)/.test(served) || /^(google-)?vertex([.]|$)/.test(served);
  const isBehindGateway = served === 'gateway' && called.startsWith('google/');
  return isGoogle || isBehindGateway ? 'gemini' : 'openai';
}

/** True for a model of `@ai-sdk/openai-compatible`: told from those of `@ai-sdk/openai` by a field that only it has. */
function isCompatible(model: object): boolean {
  return 'supportsStructuredOutputs' in model;
}

function isLanguageModel(model: unknown): model is LanguageModel {
  if (typeof model !== 'object' || model === null || 'specificationVersion' in model) return false;
  const fields: Partial<Record<keyof LanguageModel, unknown>> = model;
  return typeof fields.call === 'function' && typeof fields.name === 'string' && fields.provider !== undefined;
}

function requireModel(model: unknown): AiSdkLanguageModel {
  if (typeof model !== 'object' || model === null || !('specificationVersion' in model))
    throw refused(`is ${described(model)}. ${remedy}`);
  const { specificationVersion: version } = model;
  if (version !== 'v3' && version !== 'v4')
    throw refused(
      `speaks specification ${String(version)} of the AI SDK; v3 and v4 are read. Use the release of its provider package that goes with ai 6 or 7`,
    );
  if (!isModel(model)) throw refused(`lacks modelId, provider, doStream or doGenerate. ${remedy}`);
  return model.specificationVersion === 'v4' ? fromSpecV4(model) : model;
}

const remedy = "Give a model of an AI SDK provider package, such as google('gemini-2.5-flash'), or a LanguageModel";

function isModel(model: object): model is AiSdkLanguageModel | AiSdkLanguageModelV4 {
  const fields: Partial<Record<keyof AiSdkLanguageModel, unknown>> = model;
  return (
    typeof fields.modelId === 'string' &&
    typeof fields.provider === 'string' &&
    typeof fields.doStream === 'function' &&
    typeof fields.doGenerate === 'function'
  );
}

function described(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 64))}, not a model`;
  if (typeof value === 'object' && value !== null) return 'no model';
  return typeof value === 'function' ? 'a function, perhaps the provider itself' : String(value);
}

function refused(reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument: 'model', reason });
}
