import type { AiSdkProviderOptions } from './ai-sdk-language-model.ts';

/** Provider options of two sources; of a field that both have, the second one's. */
export function mergedOptions(
  first: AiSdkProviderOptions | undefined,
  second: AiSdkProviderOptions | undefined,
): AiSdkProviderOptions | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const merged = { ...first };
  for (const [provider, fields] of Object.entries(second)) merged[provider] = { ...merged[provider], ...fields };
  return merged;
}
