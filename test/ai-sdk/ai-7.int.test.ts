import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './ai-7/wrapped-model.ts';
import { type Bench, inShort, openBench, wireNames } from './wired-models.ts';
import { weather } from './wired-tools.ts';

/** Installed beside its lock file by the checks; not by npm ci of the project, whose Node may be too old for it. */
const manifest = join(import.meta.dirname, 'ai-7', 'node_modules', 'ai', 'package.json');

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const picture = Buffer.alloc(100, 7);

describe.skipIf(!existsSync(manifest))('under ai 7', () => {
  it('is what runs', () => {
    expect(JSON.parse(readFileSync(manifest, 'utf8')).version).toMatch(/^7\./);
  });

  it.each(wireNames.flatMap((wire) => (['generateText', 'streamText'] as const).map((how) => [wire, how] as const)))(
    'a model of specification v3 has memory, over the %s wire, by %s',
    async (wire, how) => {
      bench.server.reply(
        { calls: [{ id: 'c1', name: 'weather', args: { city: '大理' } }] },
        { text: '晴。' },
        { calls: [{ id: 'c2', name: 'remember', args: { text: '用户住在大理。' } }] },
        { text: '记住了。' },
      );
      const model = bench.bare(wire);
      const content = [
        { type: 'text' as const, text: '大理天气？' },
        { type: 'file' as const, data: new Uint8Array(picture), mediaType: 'image/png' },
      ];
      await ask(bench.palimpsest, model, { how, prompt: [{ role: 'user', content }], tools: { weather } });
      expect(await ask(bench.palimpsest, model, { how, prompt: '我住在大理。', tools: {} })).toBe('记住了。');
      expect((await bench.events()).map(inShort)).toEqual([
        'user: 大理天气？',
        'assistant: weather({"city":"大理"})',
        'tool: weather → {"city":"大理","celsius":21}',
        'assistant: 晴。',
        'user: 我住在大理。',
        'assistant: remember({"text":"用户住在大理。"})',
        expect.stringMatching(/^tool: remember → \{"remembered":true/),
        'assistant: 记住了。',
      ]);
      const { memories } = await bench.palimpsest.user('u1').recall('大理', { limit: 1 });
      expect(memories[0]?.text).toContain('大理');
      for (const { bodyText } of bench.server.requests) expect(bodyText).toContain(picture.toString('base64'));
    },
  );

  it('a model of specification v4 is sent files, and its files are kept, in the form of v4', async () => {
    const prompts: unknown[] = [];
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = {
      specificationVersion: 'v4',
      provider: 'local',
      modelId: 'painter',
      supportedUrls: {},
      async doGenerate({ prompt }: { readonly prompt: unknown }) {
        prompts.push(prompt);
        const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'cGFpbnRlZA==' } };
        const content = [{ type: 'text', text: '画好了。' }, file];
        return { content, finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] };
      },
    };
    const content = [{ type: 'file' as const, data: new Uint8Array(picture), mediaType: 'image/png' }];
    for (const prompt of [[{ role: 'user' as const, content }], '再画一张'])
      await ask(bench.palimpsest, model as never, { how: 'generateText', prompt, tools: {} });
    const sent = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture.toString('base64') } };
    const painted = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'cGFpbnRlZA==' } };
    expect(prompts[1]).toMatchObject([
      { role: 'user', content: [sent] },
      { role: 'assistant', content: [{ type: 'text', text: '画好了。' }, painted] },
      { role: 'user', content: [{ type: 'text', text: '再画一张' }] },
    ]);
    const [, answer] = await bench.events();
    expect(answer?.content?.parts[1]?.inlineData).toEqual({ mimeType: 'image/png', data: 'cGFpbnRlZA==' });
  });
});
