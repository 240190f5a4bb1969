import type {
  EmbeddingModelV3,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import { describe, expectTypeOf, it } from 'vitest';
import type { AiSdkEmbeddingModel } from './ai-sdk-embedding-model.ts';
import type {
  AiSdkCallOptions,
  AiSdkContent,
  AiSdkGenerateResult,
  AiSdkLanguageModel,
  AiSdkPrompt,
  AiSdkStreamPart,
  AiSdkUsage,
} from './ai-sdk-language-model.ts';

// Decided by the type checker; the runner only lists them.
describe('the types of the AI SDK, written out', () => {
  it('take its models as they are', () => {
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>();
    expectTypeOf<EmbeddingModelV3>().toExtend<AiSdkEmbeddingModel>();
  });

  it('take what its models give', () => {
    expectTypeOf<LanguageModelV3StreamPart>().toExtend<AiSdkStreamPart>();
    expectTypeOf<LanguageModelV3Content>().toExtend<AiSdkContent>();
    expectTypeOf<LanguageModelV3GenerateResult>().toExtend<AiSdkGenerateResult>();
    expectTypeOf<LanguageModelV3Usage>().toEqualTypeOf<AiSdkUsage>();
  });

  it('take what its models are given, and give it', () => {
    expectTypeOf<LanguageModelV3CallOptions>().toExtend<AiSdkCallOptions>();
    expectTypeOf<LanguageModelV3Prompt>().toExtend<AiSdkPrompt>();
    expectTypeOf<AiSdkPrompt>().toExtend<LanguageModelV3Prompt>();
    expectTypeOf<AiSdkStreamPart['type']>().toEqualTypeOf<LanguageModelV3StreamPart['type']>();
  });
});
