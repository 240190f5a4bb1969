import { describe, expectTypeOf, it } from 'vitest';
import { modelText } from '../events/index.ts';
import type { AgentCallbacks } from './agent-options.ts';

describe('AgentCallbacks', () => {
  it('may return nothing, at once or later', () => {
    const write = async (): Promise<void> => undefined;
    const silent: AgentCallbacks = {
      beforeAgent: ({ state }) => state.set('begun', true),
      afterAgent: async ({ state }) => {
        state.delete('begun');
      },
      beforeModel: (_call, { state }) => {
        state.set('asked', true);
      },
      afterModel: () => write(),
      beforeTool: async ({ args }) => {
        if (args.stop === true) return { stopped: true };
      },
      afterTool: ({ response }) => void response,
    };
    expectTypeOf(silent).toExtend<AgentCallbacks>();
  });

  it('may return what stands in the place of the work, and nothing else', () => {
    expectTypeOf(() => 'text').toExtend<NonNullable<AgentCallbacks['beforeAgent']>>();
    expectTypeOf(async () => modelText('字')).toExtend<NonNullable<AgentCallbacks['afterModel']>>();
    expectTypeOf(() => 5).not.toExtend<NonNullable<AgentCallbacks['beforeAgent']>>();
    expectTypeOf(() => 'text').not.toExtend<NonNullable<AgentCallbacks['beforeModel']>>();
  });
});
