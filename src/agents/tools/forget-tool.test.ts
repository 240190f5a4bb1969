import { describe, expect, it } from 'vitest';
import { callTool } from './call-tool.ts';
import { forgetTool } from './forget-tool.ts';
import { sampleContext } from './sample-context.ts';

function call(args: { readonly id?: string }) {
  const memory = { ...sampleContext().memory, forget: async (id: string) => (id === 'm1' ? 1 : 0) };
  return callTool({ tool: forgetTool(), call: { name: 'forget', args }, available: [] }, sampleContext({ memory }));
}

describe('forgetTool', () => {
  it('tells whether there was anything', async () => {
    expect(await call({ id: 'm1' })).toEqual({ response: { forgotten: true } });
    expect(await call({ id: '记忆' })).toEqual({
      response: { forgotten: false, reason: expect.stringMatching(/no memory with that id/) },
    });
  });

  it('asks for an id', async () => {
    expect(await call({})).toMatchObject({ failure: 'invalidArguments' });
  });
});
