import { isPalimpsestError } from '../../../errors/index.ts';
import type { ConnectedModel } from './connect-model.ts';

const unreachable = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|fetch failed|Cannot connect/;

/** What a person may do about a failing model, where that can be told. */
export function modelHint(error: unknown, { keyName, baseUrl }: Pick<ConnectedModel, 'keyName' | 'baseUrl'>) {
  if (!isPalimpsestError(error, 'MODEL_FAILED')) return undefined;
  const { status, reason } = error.details;
  if (status === 401 || status === 403) return `Is the key in ${keyName} right?`;
  if (status === 404) return `Is there a model of that name${baseUrl === undefined ? '' : ` at ${baseUrl}`}?`;
  if (status === 429) return 'The provider asks for fewer requests: wait a while, or look at your quota there.';
  if (status !== undefined && status < 500 && /\b(tools?|functions?)\b/i.test(reason))
    return 'If the model cannot call tools, leave them out with --no-tools.';
  if (status === undefined && unreachable.test(reason))
    return `Is ${baseUrl === undefined ? 'the network there' : `the server at ${baseUrl} running`}?`;
  return undefined;
}
