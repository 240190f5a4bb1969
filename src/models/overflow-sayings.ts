/** How a service says that a request is longer than a model's context. */
export interface OverflowSaying {
  /**
   * `most`: what the model takes in all; `answer`: what of that was set aside for the answer. Either is left out where the
   * service does not tell it.
   */
  readonly says: RegExp;
  readonly source: string;
  /** The day on which the sentence was last seen to be in use, such as `2026-12-01`. */
  readonly date: string;
}

const seen = '2026-12-01';

/**
 * The sentences of services, those first that tell more. Each is the service's own for this failure: words that also
 * stand in refusals for other reasons, such as `too many tokens`, are not among them.
 */
export const overflowSayings: readonly OverflowSaying[] = Object.freeze([
  saying(/resulting in a maximum input length of (?<most>[\d,]+) tokens/i, 'vLLM and Meta, of input and output'),
  saying(
    /is too large: [\d,]+\. This model's maximum context length.*?\((?<answer>[\d,]+) > (?<most>[\d,]+) - [\d,]+\)/is,
    'vLLM, of max_tokens beside the input',
  ),
  saying(
    /maximum context length (?:is|of) (?<most>[\d,]+).*?requested (?<answer>[\d,]+) output tokens/is,
    'vLLM, of an answer beside the input',
  ),
  saying(
    /maximum context length (?:is|of) (?<most>[\d,]+)(?:.*?\b(?<answer>[\d,]+) (?:in|for) the (?:completion|output))?/is,
    'OpenAI chat completions; DeepSeek, OpenRouter, vLLM and SGLang alike',
  ),
  saying(/maximum context length \((?<most>[\d,]+)\)/i, 'SGLang behind gateways'),
  saying(/exceeds? the configured limit of (?<most>[\d,]+) tokens/i, 'OpenAI chat completions, GPT-5'),
  saying(/exceeds the context window of (?:this|the) model/i, 'OpenAI responses'),
  saying(/\bcontext_length_exceeded\b/, 'OpenAI, Groq and Cerebras, the code of the error'),
  saying(/prompt is too long: [\d,]+, model maximum context length: (?<most>[\d,]+)/i, 'Fireworks'),
  saying(/prompt is too long(?:: [\d,]+ tokens > (?<most>[\d,]+))?/i, 'Anthropic messages; Vertex and Bedrock alike'),
  saying(
    /exceed context limit: [\d,]+ \+ (?<answer>[\d,]+) > (?<most>[\d,]+)/i,
    'Anthropic messages, of max_tokens beside the input',
  ),
  saying(/\brequest_too_large\b/, 'Anthropic, the type of the error where a request has too many bytes'),
  saying(
    /input token count.{0,40}exceeds the maximum number of tokens allowed \(?(?<most>[\d,]+)/is,
    'Gemini generateContent; Vertex alike',
  ),
  saying(/input is too long for requested model/i, 'Amazon Bedrock'),
  saying(/number of input tokens exceeds maximum length/i, 'Amazon Nova'),
  saying(/too large for model with (?<most>[\d,]+) maximum context length/i, 'Mistral chat completions'),
  saying(
    /reduce the length of the messages or completion(?:\. Current length is [\d,]+ while limit is (?<most>[\d,]+))?/i,
    'Groq and Cerebras; DeepSeek alike',
  ),
  saying(
    /total number of tokens(?: \(prompt and prediction\)| in the prompt)? cannot exceed (?<most>[\d,]+)/i,
    'Cohere generate',
  ),
  saying(
    /size limit exceeded by [\d,]+ tokens(?:.*?limit for this model is (?<most>[\d,]+))?/is,
    'Cohere chat, versions 1 and 2',
  ),
  saying(
    /exceeds the available context size(?: \((?<most>[\d,]+) tokens\))?|\bexceed_context_size_error\b/i,
    'llama.cpp server, its sentence and the type of its error',
  ),
  saying(/longer than the maximum model length of (?<most>[\d,]+)/i, 'vLLM, of the prompt alone'),
  saying(/too long to fit into the model \(context length (?<most>[\d,]+)\)/i, 'vLLM, of a prompt with media'),
  saying(
    /`inputs` tokens \+ `max_new_tokens` must be <= (?<most>[\d,]+)\. Given: [\d,]+ `inputs` tokens and (?<answer>[\d,]+)/i,
    'Hugging Face Text Generation Inference and Together, of input and output',
  ),
  saying(/`inputs` must have less than (?<most>[\d,]+) tokens/i, 'Hugging Face Text Generation Inference'),
  saying(/longer than the model's context length(?: \((?<most>[\d,]+) tokens\))?/i, 'SGLang and Together'),
  saying(/exceeds the maximum allowed (?:input )?length (?:of |\()(?<most>[\d,]+) tokens/i, 'SGLang, of its memory'),
  saying(/initial prompt is greater than the context length/i, 'LM Studio'),
  saying(/prompt too long; exceeded (?:max )?context length/i, 'Ollama'),
  saying(/range of input length should be \[\d+, ?(?<most>[\d,]+)\]/i, 'Alibaba Cloud Model Studio (Qwen)'),
  saying(/input length [\d,]+ exceeds the maximum length (?<most>[\d,]+)/i, 'Volcano Engine Ark (Doubao, GLM)'),
  saying(/exceed max message tokens/i, 'Volcano Engine Ark (Doubao), of text and images'),
  saying(
    /(?:length of prompt_tokens|max_total_tokens) \([\d,]+\) must be less than (?:or equal to )?max_seq_len \((?<most>[\d,]+)\)/i,
    'SiliconFlow',
  ),
  saying(/\btokens_too_long\b|\bcharacters_too_long\b|prompt tokens too long/i, 'Baidu Qianfan (ERNIE)'),
  saying(/prompt exceeds max length/i, 'Zhipu and Z.ai (GLM), error 1261'),
  saying(/exceeded model token limit(?:: ?(?<most>[\d,]+))?/i, 'Moonshot (Kimi)'),
  saying(/context window exceeds limit/i, 'MiniMax'),
  saying(/\bmodel_context_window_exceeded\b/, 'Z.ai (GLM), the code of the error'),
  saying(/maximum prompt length is (?<most>[\d,]+)/i, 'xAI'),
  saying(/prompt token count of [\d,]+ exceeds the limit of (?<most>[\d,]+)/i, 'GitHub Copilot'),
]);

function saying(says: RegExp, source: string): OverflowSaying {
  return { says, source, date: seen };
}
