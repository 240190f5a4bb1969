import { describe, expect, it } from 'vitest';
import { callTool } from './call-tool.ts';
import { rememberTool } from './remember-tool.ts';
import { sampleContext, sampleMemory } from './sample-context.ts';

function call(args: { readonly text?: string }) {
  const kept: string[] = [];
  const context = sampleContext({
    memory: {
      ...sampleContext().memory,
      async remember(text) {
        kept.push(text);
        return sampleMemory({ id: 'm9', text });
      },
    },
  });
  const outcome = callTool({ tool: rememberTool(), call: { name: 'remember', args }, available: [] }, context);
  return { outcome, kept };
}

describe('rememberTool', () => {
  it('keeps what the model says and tells its id', async () => {
    const { outcome, kept } = call({ text: '用户住在杭州' });
    expect(await outcome).toEqual({ response: { remembered: true, id: 'm9' } });
    expect(kept).toEqual(['用户住在杭州']);
  });

  it.each([{}, { text: '' }])('keeps nothing of %j', async (args) => {
    const { outcome, kept } = call(args);
    expect(await outcome).toMatchObject({ failure: 'invalidArguments' });
    expect(kept).toEqual([]);
  });
});
