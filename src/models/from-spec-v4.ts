import type {
  AiSdkCallOptions,
  AiSdkGenerateResult,
  AiSdkLanguageModel,
  AiSdkLanguageModelV4,
  AiSdkMessage,
  AiSdkOutputItem,
  AiSdkStreamPart,
} from './ai-sdk-language-model.ts';

/**
 * Takes a model of specification v4 as one of v3. They differ in how files are written, which is translated on the way
 * in and read either way on the way out, and in kinds of parts that are left out.
 */
export function fromSpecV4(model: AiSdkLanguageModelV4): AiSdkLanguageModel {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    doGenerate: (options) => model.doGenerate(inV4(options)) as PromiseLike<AiSdkGenerateResult>,
    doStream: (options) => model.doStream(inV4(options)) as PromiseLike<{ stream: ReadableStream<AiSdkStreamPart> }>,
  };
}

/** Typed as fitting any model: what it builds is not among the types written out here. */
function inV4(options: AiSdkCallOptions): never {
  return { ...options, prompt: options.prompt.map(messageInV4) } as never;
}

function messageInV4(message: AiSdkMessage): object {
  if (message.role === 'system') return message;
  return { ...message, content: message.content.map(partInV4) };
}

function partInV4(part: Exclude<AiSdkMessage['content'], string>[number]): object {
  if (part.type === 'file') return { ...part, data: dataInV4(part.data) };
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part;
  return { ...part, output: { ...part.output, value: part.output.value.map(itemInV4) } };
}

function itemInV4(item: AiSdkOutputItem): object {
  const options = item.providerOptions === undefined ? {} : { providerOptions: item.providerOptions };
  switch (item.type) {
    case 'file-data':
    case 'image-data': {
      const name = 'filename' in item && item.filename !== undefined ? { filename: item.filename } : {};
      return { type: 'file', mediaType: item.mediaType, data: dataInV4(item.data), ...name, ...options };
    }
    case 'file-url':
    case 'image-url': {
      const given = item.type === 'file-url' ? item.mediaType : 'image/*';
      const data = URL.canParse(item.url) ? dataInV4(new URL(item.url)) : { type: 'text', text: item.url };
      return { type: 'file', mediaType: given ?? 'application/octet-stream', data, ...options };
    }
    case 'file-id':
    case 'image-file-id':
      return { type: 'text', text: `[file ${JSON.stringify(item.fileId)}]`, ...options };
    default:
      return item;
  }
}

function dataInV4(data: Uint8Array | string | URL): object {
  return data instanceof URL ? { type: 'url', url: data } : { type: 'data', data };
}
