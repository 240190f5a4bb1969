import { PalimpsestError } from '../../../errors/index.ts';
import { type LanguageModel, languageModel } from '../../../models/index.ts';
import type { ModelChoice, NamedProvider } from '../model-choice.ts';
import { installedPackages, type ProviderPackages } from './provider-packages.ts';
import { servedModels } from './served-models.ts';

/** Where models are reached from. */
export interface ModelSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Default: what is installed. */
  readonly packages?: ProviderPackages;
}

/** A model that is ready to be called. */
export interface ConnectedModel {
  readonly model: LanguageModel;
  /** The environment variable that its key is read from. */
  readonly keyName: string;
  /** Where it is called, if that is not the provider's own address. */
  readonly baseUrl?: string;
  /** Names of the models that the server offers, where it was asked for one. */
  readonly offered?: readonly string[];
}

/** Environment variables that are read for a provider; the first key that is set is taken. */
const modelVariables: {
  readonly [from in NamedProvider | 'server']: { readonly keys: readonly string[]; readonly baseUrl?: string };
} = {
  google: { keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'], baseUrl: 'GOOGLE_GENERATIVE_AI_BASE_URL' },
  openai: { keys: ['OPENAI_API_KEY'], baseUrl: 'OPENAI_BASE_URL' },
  anthropic: { keys: ['ANTHROPIC_API_KEY'], baseUrl: 'ANTHROPIC_BASE_URL' },
  server: { keys: ['OPENAI_API_KEY'] },
};

const openaiUrl = 'https://api.openai.com/v1';

/**
 * Makes a chosen model ready. Throws INVALID_ARGUMENT naming the variable that holds no key, MISSING_PACKAGE; and where a
 * server is asked for its models, MODEL_FAILED and ABORTED.
 */
export async function connectModel(choice: ModelChoice, around: ModelSurroundings): Promise<ConnectedModel> {
  const { env, signal, packages = installedPackages } = around;
  const { keys } = modelVariables[choice.from];
  const keyName = keys.find((name) => env[name]) ?? keys.join(' or ');
  const apiKey = env[keyName];
  if (choice.from === 'server') {
    const { baseUrl } = choice;
    const offered = choice.name === undefined ? await servedModels({ baseUrl, apiKey, signal }) : undefined;
    const name = choice.name ?? offered?.[0] ?? '';
    const model = await openaiModel(packages, { vendor: 'server', name, baseUrl, apiKey });
    return { model, keyName, baseUrl, ...(offered === undefined ? {} : { offered }) };
  }
  if (apiKey === undefined || apiKey === '') throw missingKey(keyName, choice);
  const baseUrl = baseUrlOf(choice.from, env);
  const model = await namedModel(packages, choice, { apiKey, baseUrl });
  return { model, keyName, ...(baseUrl === undefined ? {} : { baseUrl }) };
}

async function namedModel(
  packages: ProviderPackages,
  { from, name }: { readonly from: NamedProvider; readonly name: string },
  { apiKey, baseUrl }: { readonly apiKey: string; readonly baseUrl: string | undefined },
): Promise<LanguageModel> {
  const settings = { apiKey, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) };
  switch (from) {
    case 'google':
      return languageModel((await packages.google()).createGoogleGenerativeAI(settings)(name));
    case 'anthropic':
      return languageModel((await packages.anthropic()).createAnthropic(settings)(name));
    case 'openai':
      return openaiModel(packages, { vendor: 'openai', name, baseUrl: baseUrl ?? openaiUrl, apiKey });
  }
}

async function openaiModel(
  packages: ProviderPackages,
  called: {
    readonly vendor: string;
    readonly name: string;
    readonly baseUrl: string;
    readonly apiKey: string | undefined;
  },
): Promise<LanguageModel> {
  const { createOpenAICompatible } = await packages.openai();
  const { vendor, name, baseUrl, apiKey } = called;
  return languageModel(
    createOpenAICompatible({
      name: vendor,
      baseURL: baseUrl,
      includeUsage: true,
      ...(apiKey ? { apiKey } : {}),
    })(name),
  );
}

function baseUrlOf(from: NamedProvider, env: ModelSurroundings['env']): string | undefined {
  const variable = modelVariables[from].baseUrl;
  const given = variable === undefined ? undefined : env[variable]?.trim();
  if (variable === undefined || given === undefined || given === '') return undefined;
  if (!URL.canParse(given)) throw new PalimpsestError('INVALID_ARGUMENT', { argument: variable, reason: 'is no URL' });
  const url = given.replace(/\/+$/, '');
  // Other programs that read this variable add the version themselves.
  return from === 'anthropic' && !/\/v\d+$/.test(url) ? `${url}/v1` : url;
}

function missingKey(keyName: string, choice: { readonly from: string; readonly name: string }): PalimpsestError {
  const reason = `is not set: it holds the key for --model ${choice.from}:${choice.name}`;
  return new PalimpsestError('INVALID_ARGUMENT', { argument: keyName, reason });
}
