/** A region of its own is a name in front of it, such as `eu.api.openai.com`. */
const ownHost = /^(?:[a-z0-9-]+\.)?api\.openai\.com$/;

/**
 * True for a model of `@ai-sdk/openai` that asks OpenAI itself. Others speak the same language under the same names and
 * refuse what they do not know, and only the address tells them apart; the package keeps it in a field of its own, so that
 * a model whose address cannot be read counts as asking somebody else.
 */
export function isServedByOpenAi(model: { readonly provider: string; readonly modelId: string }): boolean {
  return /^openai\.(?:chat|responses)$/.test(model.provider) && ownHost.test(hostOf(model) ?? '');
}

function hostOf(model: { readonly modelId: string }): string | undefined {
  const config: unknown = Reflect.get(model, 'config');
  const url: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, 'url') : undefined;
  if (typeof url !== 'function') return undefined;
  try {
    const address: unknown = Reflect.apply(url, config, [{ path: '/', modelId: model.modelId }]);
    return typeof address === 'string' && URL.canParse(address) ? new URL(address).hostname : undefined;
  } catch {
    // It is called otherwise than it is here, so that it is none of the package's.
    return undefined;
  }
}
