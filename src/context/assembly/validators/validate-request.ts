import type { ModelRequest, Provider } from '../../../events/index.ts';
import { validateAnthropic } from './validate-anthropic.ts';
import { validateGemini } from './validate-gemini.ts';
import { validateOpenAi } from './validate-openai.ts';

const validators: Readonly<Record<Provider, (request: ModelRequest) => string[]>> = {
  gemini: validateGemini,
  anthropic: validateAnthropic,
  openai: validateOpenAi,
};

/**
 * What a provider would refuse about a request, in words; empty if nothing. Written from each provider's public rules
 * and apart from assembly, so that the two check each other. Whether a request may end with the model's own words
 * depends on the model and is not checked.
 */
export function validateRequest(request: ModelRequest, provider: Provider): readonly string[] {
  return validators[provider](request);
}
