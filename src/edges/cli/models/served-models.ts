import { PalimpsestError } from '../../../errors/index.ts';
import { isPlainObject } from '../../../events/index.ts';
import { modelFailure } from '../../../models/index.ts';

const patienceMs = 10_000;

/** A server that speaks the chat API of OpenAI. */
export interface ModelServer {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

/** Names of the models that a server offers, at least one. Throws MODEL_FAILED if it does not say, ABORTED. */
export async function servedModels(server: ModelServer): Promise<readonly string[]> {
  const { baseUrl, signal } = server;
  const { status, body } = await listOf(server).catch((error: unknown) => {
    if (signal.aborted) throw new PalimpsestError('ABORTED', { what: 'The command' }, { cause: error });
    throw modelFailure(error, baseUrl);
  });
  if (status !== 200) {
    const message = `${baseUrl}/models does not say which models there are`;
    throw modelFailure({ message, statusCode: status, responseBody: body }, baseUrl);
  }
  const names = namesIn(body);
  if (names.length > 0) return names;
  const reason = `${baseUrl}/models names no model; name it with --model ${baseUrl}#<name>`;
  throw new PalimpsestError('MODEL_FAILED', { model: baseUrl, reason, attempts: 1 });
}

async function listOf({ baseUrl, apiKey, signal }: ModelServer): Promise<{ status: number; body: string }> {
  const response = await fetch(`${baseUrl}/models`, {
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  });
  return { status: response.status, body: await response.text() };
}

function namesIn(body: string): string[] {
  const list = readJson(body);
  const models = isPlainObject(list) ? (list.data ?? list.models) : undefined;
  if (!Array.isArray(models)) return [];
  return models.flatMap((model: unknown) => {
    const name = isPlainObject(model) ? (model.id ?? model.name) : undefined;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Some other page than a list of models.
    return undefined;
  }
}
