import fc from 'fast-check';
import type { Provider, View } from '../../src/events/index.ts';

/** All providers. */
export const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];

const history: fc.Arbitrary<View['history']> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('full' as const) },
  fc.constant('invocation' as const),
  {
    weight: 2,
    arbitrary: fc.record({
      window: fc.record(
        { invocations: fc.integer({ min: 0, max: 12 }), tokens: fc.integer({ min: 0, max: 300 }) },
        { requiredKeys: [] },
      ),
    }),
  },
);

/** Views of every kind. */
export const someView: fc.Arbitrary<View> = fc.record(
  {
    agentName: fc.constantFrom('assistant', 'assistant', 'assistant', 'critic', '</recalled_memories>'),
    provider: fc.constantFrom(...providers),
    history,
    branch: fc.constantFrom('root', 'root.assistant', 'root.assistant.critic', 'root.assistant2'),
    isolationScope: fc.constantFrom('sealed', 'seal'),
  },
  { requiredKeys: ['agentName', 'history', 'provider'] },
);

/** Views of the whole session, and views of every kind. */
export const usualView: fc.Arbitrary<View> = fc.oneof(
  fc.record({
    agentName: fc.constant('assistant'),
    provider: fc.constantFrom(...providers),
    history: fc.constant('full' as const),
  }),
  someView,
);
